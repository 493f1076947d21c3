//! How full a queue was, over time.

use std::time::Duration;

use crate::Time;

/// The queue integrated over time, exactly. The packet in service is not part of it.
///
/// For the mean over a part of a run take it at both ends and subtract: `end.since(&begin)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Occupancy {
    until: Time,
    span: Duration,
    packets: Moments,
    bytes: Moments,
}

/// Integrals of a queue and of its square over time, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Moments {
    first: u128,
    second: u128,
}

/// Mean and standard deviation, weighted by time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeanAndSd {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
}

impl Occupancy {
    /// The queue has held `packets` and `bytes` from the last call until `now`.
    pub(crate) fn pass(&mut self, now: Time, packets: u64, bytes: u64) {
        let span = now.since(self.until);
        self.until = self.until.max(now);
        self.span += span;
        if packets > 0 {
            self.packets.pass(span, packets);
            self.bytes.pass(span, bytes);
        }
    }

    /// What came after `earlier`, a state of the same queue.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            until: self.until,
            span: self.span.saturating_sub(earlier.span),
            packets: self.packets.since(earlier.packets),
            bytes: self.bytes.since(earlier.bytes),
        }
    }

    /// The time that is summed up.
    pub fn span(&self) -> Duration {
        self.span
    }

    /// Packets that waited.
    pub fn packets(&self) -> MeanAndSd {
        self.packets.over(self.span)
    }

    /// Bytes that waited.
    pub fn bytes(&self) -> MeanAndSd {
        self.bytes.over(self.span)
    }
}

impl Moments {
    fn pass(&mut self, span: Duration, value: u64) {
        let area = span.as_nanos().saturating_mul(u128::from(value));
        self.first = self.first.saturating_add(area);
        self.second = self
            .second
            .saturating_add(area.saturating_mul(u128::from(value)));
    }

    fn since(self, earlier: Self) -> Self {
        Self {
            first: self.first.saturating_sub(earlier.first),
            second: self.second.saturating_sub(earlier.second),
        }
    }

    fn over(self, span: Duration) -> MeanAndSd {
        if span.is_zero() {
            return MeanAndSd::default();
        }
        let span = span.as_nanos() as f64;
        let mean = self.first as f64 / span;
        let variance = self.second as f64 / span - mean * mean;
        MeanAndSd {
            mean,
            sd: variance.max(0.0).sqrt(),
        }
    }
}
