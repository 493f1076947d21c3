//! The rate that an encoder goes by.

use std::time::Instant;

/// What the source of this connection may send, in bit/s: the target of its [estimate](quiche_cc::estimate()). Who has none, as
/// quiche's cubic and reno, goes by the window over the round-trip time. None before anything is known.
pub fn target<F: quiche::BufFactory>(conn: &quiche::Connection<F>, now: Instant) -> Option<f64> {
    let told = quiche_cc::estimate(conn, now).target;
    let window_rate = || {
        let path = conn.path_stats().find(|path| path.active)?;
        (!path.rtt.is_zero()).then(|| path.cwnd as f64 * 8.0 / path.rtt.as_secs_f64())
    };
    told.map(|rate| rate.bps()).or_else(window_rate)
}
