//! Figures of one connection.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::connection::Connection;

/// Collects the time average of the smoothed RTT.
#[derive(Debug, Default)]
pub struct RttMeter {
    last: Option<(Instant, Duration)>,
    weighted: f64,
    span: f64,
}

impl RttMeter {
    /// Shortest time between two looks at the connection.
    const STEP: Duration = Duration::from_millis(1);

    /// Takes a sample, if the last one is old enough.
    pub fn observe(&mut self, conn: &Connection, now: Instant) {
        let due = self
            .last
            .is_none_or(|(at, _)| now.duration_since(at) >= Self::STEP);
        if !due || !conn.is_established() {
            return;
        }
        let path = conn
            .path_stats()
            .find(|path| path.active && path.min_rtt.is_some());
        if let Some(path) = path {
            self.add(now, path.rtt);
        }
    }

    fn add(&mut self, now: Instant, rtt: Duration) {
        if let Some((at, held)) = self.last {
            let weight = now.duration_since(at).as_secs_f64();
            self.weighted += weight * held.as_secs_f64();
            self.span += weight;
        }
        self.last = Some((now, rtt));
    }

    /// The mean so far; `None` before the first sample.
    pub fn mean(&self) -> Option<Duration> {
        let (_, latest) = self.last?;
        if self.span == 0.0 {
            return Some(latest);
        }
        Some(Duration::from_secs_f64(self.weighted / self.span))
    }
}

/// What is worth telling about a connection that has ended.
#[derive(Clone, Debug, Serialize)]
pub struct ConnectionReport {
    pub peer: String,
    /// Congestion controller of this end, with its options.
    pub cc: String,
    /// What ALPN chose.
    pub protocol: String,
    /// Whether the TLS session was resumed.
    pub resumed: bool,
    pub duration_ms: f64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub packets_sent: usize,
    pub packets_received: usize,
    /// Packets of ours that were declared lost.
    pub packets_lost: usize,
    pub rtt_min_ms: Option<f64>,
    /// Time average of the smoothed RTT.
    pub rtt_mean_ms: Option<f64>,
    pub rtt_max_ms: Option<f64>,
}

impl ConnectionReport {
    /// Reads the figures of `conn`, which took `duration`.
    pub fn new(conn: &Connection, cc: &str, duration: Duration, rtt: &RttMeter) -> Self {
        let stats = conn.stats();
        let path = shown_path(conn);
        let path_ms = |pick: fn(&quiche::PathStats) -> Option<Duration>| {
            path.as_ref().and_then(pick).map(milliseconds)
        };
        Self {
            peer: peer_address(conn),
            cc: cc.to_owned(),
            protocol: String::from_utf8_lossy(conn.application_proto()).into_owned(),
            resumed: conn.is_resumed(),
            duration_ms: milliseconds(duration),
            bytes_sent: stats.sent_bytes,
            bytes_received: stats.recv_bytes,
            packets_sent: stats.sent,
            packets_received: stats.recv,
            packets_lost: stats.lost,
            rtt_min_ms: path_ms(|path| path.min_rtt),
            rtt_mean_ms: rtt.mean().map(milliseconds),
            rtt_max_ms: path_ms(|path| path.max_rtt),
        }
    }

    /// Packets lost per packet sent, in percent.
    pub fn loss_percent(&self) -> f64 {
        100.0 * self.packets_lost as f64 / self.packets_sent.max(1) as f64
    }

    /// `min/mean/max` in milliseconds, a dash for what is unknown.
    pub fn rtt_text(&self) -> String {
        let text = |value: Option<f64>| value.map_or("-".to_owned(), |ms| format!("{ms:.1}"));
        let (min, mean) = (text(self.rtt_min_ms), text(self.rtt_mean_ms));
        format!("{min}/{mean}/{} ms", text(self.rtt_max_ms))
    }
}

/// The address of the other end, as text.
pub fn peer_address(conn: &Connection) -> String {
    shown_path(conn).map_or_else(String::new, |path| path.peer_addr.to_string())
}

/// The path in use; of a connection that has none any more, any.
fn shown_path(conn: &Connection) -> Option<quiche::PathStats> {
    conn.path_stats()
        .find(|path| path.active)
        .or(conn.path_stats().next())
}

/// A duration in milliseconds.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_rtt_weighs_each_value_by_how_long_it_held() {
        let start = Instant::now();
        let ms = Duration::from_millis;
        let mut meter = RttMeter::default();
        assert_eq!(meter.mean(), None);
        meter.add(start, ms(100));
        assert_eq!(meter.mean(), Some(ms(100)));
        meter.add(start + ms(30), ms(20));
        meter.add(start + ms(40), ms(1));
        // 100 ms for 30 ms, 20 ms for 10 ms.
        let mean = milliseconds(meter.mean().unwrap());
        assert!((mean - 80.0).abs() < 1e-6, "{mean}");
    }
}
