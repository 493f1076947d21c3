//! How much of a window is used: a window that is not says nothing of the path (RFC 9002, section
//! 7.8).
//!
//! ```text
//!     U = the most that was in flight before a feedback, of this round trip and the one before
//!
//!     slow start             w grows while  w < 2 U
//!     congestion avoidance   w grows while  w < U / 0.8 + m
//! ```
//!
//! What is in flight is known whatever the application does, so nobody has to be told that it has
//! nothing to send: loss recovery hears of that only when it makes a packet without data, and never
//! while nothing is to be sent.

use crate::feedback::Feedback;
use crate::measure::round::Round;
use crate::units::Bytes;

/// In slow start the window may double in a round trip (RFC 9002, section 7.3.1): twice what is in
/// flight is in use.
const DOUBLING: f64 = 2.0;
/// A window or a rate is used if this share of it is: pacing at the rate itself leaves as much as a
/// round trip is shorter than the smoothed one (RFC 9002, section 7.8: a sender that waits for its
/// pacer is not application-limited).
const USED_SHARE: f64 = 0.8;

/// The most that was in flight while the acknowledged packets were.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    round: Round,
    latest: Bytes,
    before: Bytes,
}

impl Used {
    /// To be told of every feedback, before it is asked about it.
    pub fn record(&mut self, feedback: &Feedback<'_>) {
        // In the order of their numbers, so in that of their departure.
        if feedback
            .acked
            .last()
            .is_some_and(|p| self.round.shows(p.sent))
        {
            self.round.begin(feedback.now);
            self.before = std::mem::take(&mut self.latest);
        }
        self.latest = self.latest.max(feedback.in_flight);
    }

    /// U.
    pub fn most(&self) -> Bytes {
        self.latest.max(self.before)
    }

    /// Whether a window of so many bytes is used enough to grow in slow start.
    pub fn may_double(&self, window: f64) -> bool {
        window < DOUBLING * self.most().0 as f64
    }

    /// Whether it is to grow otherwise. Of a window less than a full `packet` may stay free, as no
    /// packet fits in.
    pub fn may_grow(&self, window: f64, packet: f64) -> bool {
        window < self.most_grown(packet)
    }

    /// The window at which that ends.
    pub fn most_grown(&self, packet: f64) -> f64 {
        self.most().0 as f64 / USED_SHARE + packet
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::feedback::Acked;
    use crate::units::Time;

    fn at(millis: u64) -> Time {
        Time::from_origin(Duration::from_millis(millis))
    }

    /// A packet of `sent` comes back at `now`, when so much was in flight.
    fn record(used: &mut Used, sent: u64, now: u64, in_flight: u64) {
        let acked = [Acked {
            sent: at(sent),
            size: Bytes(1000),
            received: None,
        }];
        used.record(&Feedback {
            in_flight: Bytes(in_flight),
            ..Feedback::of(at(now), &acked, &[])
        });
    }

    #[test]
    fn the_most_in_flight_of_this_round_trip_and_the_one_before_counts() {
        let mut used = Used::default();
        record(&mut used, 0, 100, 10_000);
        record(&mut used, 50, 150, 2_000);
        assert_eq!(used.most(), Bytes(10_000));
        // Sent after the round trip began that ended at 100 ms: another one ends, and this one's
        // most is kept for the next.
        record(&mut used, 110, 210, 3_000);
        assert_eq!(used.most(), Bytes(10_000));
        record(&mut used, 200, 300, 2_000);
        assert_eq!(used.most(), Bytes(10_000));
        record(&mut used, 220, 320, 1_000);
        assert_eq!(used.most(), Bytes(3_000));
    }

    #[test]
    fn a_loss_detection_ends_no_round_trip() {
        let mut used = Used::default();
        record(&mut used, 0, 100, 10_000);
        for now in 101..200 {
            record(&mut used, 90, now, 1_000);
        }
        assert_eq!(used.most(), Bytes(10_000));
    }

    #[test]
    fn twice_what_is_in_flight_is_used_in_slow_start_and_what_pacing_leaves_afterwards() {
        let mut used = Used::default();
        record(&mut used, 0, 100, 10_000);
        assert!(used.may_double(19_999.0) && !used.may_double(20_000.0));
        assert!(used.may_grow(13_499.0, 1_000.0) && !used.may_grow(13_500.0, 1_000.0));
    }

    #[test]
    fn a_full_window_of_any_size_is_used() {
        let mut used = Used::default();
        for packets in 2..100_u32 {
            // Whole packets of a window that is a real number.
            let window = f64::from(packets) * 1_000.0 + 999.0;
            record(
                &mut used,
                u64::from(packets) * 1_000,
                u64::from(packets) * 1_000 + 100,
                u64::from(packets) * 1_000,
            );
            assert!(used.may_double(window) && used.may_grow(window, 1_000.0));
        }
    }
}
