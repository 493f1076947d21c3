//! The estimate of a connection, and of a trace.

use std::time::{Duration, Instant};

use super::Plugin;
use crate::controller::{Event, Value};
use crate::estimate::Estimate;
use crate::units::{Rate, Time};

/// What a source may count on, on the connection's active path: see `docs/estimate.md`. `now` is by
/// the clock that the connection is driven by. It reads what the controller has anyway, so it may
/// be asked for before every frame; between two ACKs only the age of the evidence changes.
pub fn estimate<F: quiche::BufFactory>(
    connection: &quiche::Connection<F>,
    now: Instant,
) -> Estimate {
    match Plugin::of(connection) {
        Some(plugin) => plugin.controller.estimate(plugin.time_at(now)),
        None => of_quiche(connection).unwrap_or_default(),
    }
}

/// What statistics tell where the controller is one of quiche's own: what arrives is known, and
/// what the path carries only to bbr2.
fn of_quiche<F: quiche::BufFactory>(connection: &quiche::Connection<F>) -> Option<Estimate> {
    let path = connection.path_stats().find(|path| path.active)?;
    let rate = |bytes: u64| (bytes > 0).then(|| Rate::from_bps(bytes as f64 * 8.0));
    let target = path.max_bandwidth.and_then(rate);
    let arrives = rate(path.delivery_rate);
    let least = arrives.map(|arrives| target.map_or(arrives, |target| arrives.min(target)));
    let delay = path.min_rtt.map(|least| path.rtt.saturating_sub(least));
    Some(Estimate {
        target,
        least,
        queueing_delay: delay,
        ..Estimate::default()
    })
}

impl Plugin {
    /// An instant by the controller's clock, if that has begun.
    fn time_at(&self, instant: Instant) -> Time {
        self.clock
            .as_ref()
            .map_or(Time::default(), |clock| clock.at(instant))
    }

    /// For the trace, if it is news.
    pub(super) fn estimate_event(&mut self) -> Option<Event> {
        let estimate = self.controller.estimate(self.latest);
        if !estimate.is_news_after(&self.told) {
            return None;
        }
        self.told = estimate;
        Some(event(&estimate))
    }
}

/// `cc:estimate_updated`
fn event(estimate: &Estimate) -> Event {
    let number = |number: Option<f64>| number.map_or(Value::Null, Value::Number);
    let rate = |rate: Option<Rate>| number(rate.map(Rate::bps));
    let millis = |time: Option<Duration>| number(time.map(|time| time.as_secs_f64() * 1e3));
    let state = estimate.state.map(|state| state.as_str().to_owned());
    Event {
        name: "estimate_updated",
        fields: vec![
            ("target", rate(estimate.target)),
            ("least", rate(estimate.least)),
            ("most", rate(estimate.most)),
            ("queueing_delay", millis(estimate.queueing_delay)),
            ("state", state.map_or(Value::Null, Value::Text)),
            ("evidence_age", millis(estimate.evidence_age)),
        ],
    }
}
