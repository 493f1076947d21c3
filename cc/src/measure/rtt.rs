//! The round-trip time as RFC 9002, section 5, estimates it.

use std::time::Duration;

use crate::feedback::{Feedback, Space};
use crate::units::{nanos, Time};

/// RFC 9002, section 6.1.2: the timer granularity that every implementation may assume.
const GRANULARITY: Duration = Duration::from_millis(1);
/// RFC 9002, section 7.6.1.
const PERSISTENT_CONGESTION_THRESHOLD: u32 = 3;

/// Smoothed RTT, its variation and its minimum, from ACK arrivals less the reported ACK delay.
#[derive(Debug, Clone)]
pub struct Rtt {
    /// In nanoseconds: every ACK divides them, and a duration takes several divisions for one.
    smoothed: u64,
    variation: u64,
    /// The smallest sample, ACK delay included, and when the first one came.
    known: Option<(u64, Time)>,
    /// The newest sample, ACK delay included.
    latest: u64,
    max_ack_delay: Duration,
}

impl Rtt {
    /// Before the first sample `initial` is assumed (section 6.2.2).
    pub fn new(initial: Duration) -> Self {
        Self {
            smoothed: nanos(initial),
            variation: nanos(initial) / 2,
            known: None,
            latest: 0,
            max_ack_delay: Duration::ZERO,
        }
    }

    /// Takes the sample that `feedback` gives, if any, and returns it without the ACK delay.
    ///
    /// Section 5.3: the reported delay counts up to `max_ack_delay`, not at all in Initial packets,
    /// and never so much that the sample would fall below the minimum.
    #[inline]
    pub fn record(&mut self, feedback: &Feedback<'_>) -> Option<Duration> {
        self.max_ack_delay = feedback.max_ack_delay;
        let newest = feedback.acked.last().filter(|_| feedback.rtt_sampled)?;
        let latest = feedback.now.counted_from(newest.sent).as_nanos();
        self.latest = latest;
        let Some((minimum, first)) = self.known else {
            self.known = Some((latest, feedback.now));
            self.smoothed = latest;
            self.variation = latest / 2;
            return Some(Duration::from_nanos(latest));
        };
        let minimum = minimum.min(latest);
        self.known = Some((minimum, first));
        let ack_delay = match feedback.space {
            Space::Initial => 0,
            _ => nanos(feedback.ack_delay.min(feedback.max_ack_delay)),
        };
        let sample = latest
            .checked_sub(ack_delay)
            .filter(|adjusted| *adjusted >= minimum)
            .unwrap_or(latest);
        self.variation = (3 * self.variation + self.smoothed.abs_diff(sample)) / 4;
        self.smoothed = (7 * self.smoothed + sample) / 8;
        Some(Duration::from_nanos(sample))
    }

    /// The smoothed RTT, at least a microsecond.
    pub fn smoothed(&self) -> Duration {
        Duration::from_nanos(self.smoothed.max(1_000))
    }

    /// The path may be another one: the newest sample is the smallest (section 5.2).
    pub fn restart_minimum(&mut self) {
        let latest = self.latest;
        self.known = self.known.map(|(_, first)| (latest, first));
    }

    /// The smallest sample of the path's life, or since it began anew, ACK delay included.
    pub fn minimum(&self) -> Option<Duration> {
        self.known.map(|(minimum, _)| Duration::from_nanos(minimum))
    }

    /// By how much the smoothed one is above that.
    pub fn above_minimum(&self) -> Option<Duration> {
        let minimum = self.minimum()?;
        Some(self.smoothed().saturating_sub(minimum))
    }

    /// Whether there has been a sample.
    pub fn is_known(&self) -> bool {
        self.known.is_some()
    }

    /// When the first sample came.
    pub fn first_sample(&self) -> Option<Time> {
        self.known.map(|(_, first)| first)
    }

    /// How long everything must be lost to be persistent congestion (section 7.6.1).
    pub fn persistent_congestion(&self) -> Duration {
        let variation = Duration::from_nanos(4 * self.variation);
        let probe_timeout =
            Duration::from_nanos(self.smoothed) + GRANULARITY.max(variation) + self.max_ack_delay;
        PERSISTENT_CONGESTION_THRESHOLD * probe_timeout
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feedback::Acked;
    use crate::units::Bytes;

    const MILLI: Duration = Duration::from_millis(1);

    fn sample(rtt: &mut Rtt, now_ms: u32, rtt_ms: u32, ack_delay_ms: u32) -> Option<Duration> {
        let acked = [Acked {
            sent: Time::default() + (now_ms - rtt_ms) * MILLI,
            size: Bytes(1250),
            received: None,
        }];
        rtt.record(&Feedback {
            ack_delay: ack_delay_ms * MILLI,
            ..Feedback::of(Time::default() + now_ms * MILLI, &acked, &[])
        })
    }

    #[test]
    fn the_first_sample_replaces_the_guess_and_later_ones_are_smoothed() {
        let mut rtt = Rtt::new(333 * MILLI);
        assert!(!rtt.is_known());
        assert_eq!(rtt.smoothed(), 333 * MILLI);
        sample(&mut rtt, 1_000, 100, 0);
        assert_eq!(rtt.smoothed(), 100 * MILLI);
        assert_eq!(rtt.persistent_congestion(), 3 * (100 + 200 + 25) * MILLI);
        sample(&mut rtt, 1_100, 180, 0);
        assert_eq!(rtt.smoothed(), 110 * MILLI);
        // (3 * 50 + |100 - 180|) / 4 = 57.5
        assert_eq!(rtt.persistent_congestion(), 3 * (110 + 230 + 25) * MILLI);
        assert_eq!(rtt.first_sample(), Some(Time::default() + 1_000 * MILLI));
    }

    #[test]
    fn the_ack_delay_counts_up_to_its_limit_and_never_below_the_minimum() {
        let mut rtt = Rtt::new(333 * MILLI);
        assert_eq!(sample(&mut rtt, 1_000, 100, 20), Some(100 * MILLI));
        assert_eq!(sample(&mut rtt, 1_100, 120, 10), Some(110 * MILLI));
        assert_eq!(sample(&mut rtt, 1_200, 150, 400), Some(125 * MILLI));
        assert_eq!(sample(&mut rtt, 1_300, 105, 20), Some(105 * MILLI));
    }
}
