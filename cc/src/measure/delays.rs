//! Sums of one-way delays that stay meaningful when the minima change, and their means.

use std::time::Duration;

use super::owd::{Minima, Sample, Source, CLASSES};
use crate::units::Owd;

/// A sum of consecutive one-way delays. It stays meaningful when the minima change.
///
/// The clocks' offset is arbitrary, so the sum may wrap around. The mean above the minima does not
/// mind: their multiples wrap around as well, and delays differ by no more than RTTs do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    delays: Owd,
    counts: [u32; CLASSES],
}

impl Sum {
    #[inline]
    pub fn add(&mut self, sample: &Sample) {
        self.delays = self.delays + sample.owd;
        self.counts[sample.class] += 1;
    }

    pub fn merge(self, other: Sum) -> Sum {
        Sum {
            delays: self.delays + other.delays,
            counts: std::array::from_fn(|class| self.counts[class] + other.counts[class]),
        }
    }

    pub fn count(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// Without those of `earlier`.
    pub fn since(self, earlier: Sum) -> Sum {
        Sum {
            delays: self.delays - earlier.delays,
            counts: std::array::from_fn(|class| self.counts[class] - earlier.counts[class]),
        }
    }

    /// The mean of the delays, each relative to the minimum of its class; none if one is missing,
    /// or there are no delays.
    pub fn mean(&self, minima: &Minima) -> Option<Owd> {
        let of_each = minima
            .iter()
            .zip(self.counts)
            .filter(|(_, count)| *count > 0);
        let above = of_each
            .into_iter()
            .try_fold(self.delays, |sum, (minimum, count)| {
                minimum.map(|minimum| sum - minimum * count)
            })?;
        let mean = above.as_nanos().checked_div(i64::from(self.count()))?;
        Some(Owd::from_nanos(mean))
    }
}

/// All one-way delays of one source.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Delays {
    sum: Sum,
    /// Without the delays of the latest feedback, where feedbacks are told apart.
    before: Sum,
}

impl Delays {
    #[inline]
    pub fn add(&mut self, sample: &Sample) {
        self.sum.add(sample);
    }

    pub fn count(&self) -> u32 {
        self.sum.count()
    }

    /// Without those of the latest feedback.
    pub fn count_before(&self) -> u32 {
        self.before.count()
    }

    /// What comes is of another feedback.
    #[inline]
    pub fn begin_feedback(&mut self) {
        self.before = self.sum;
    }

    /// Takes out the delays of the latest feedback.
    pub fn take_newest(&mut self) -> Self {
        let newest = self.sum.since(self.before);
        self.sum = self.before;
        Self {
            sum: newest,
            before: Sum::default(),
        }
    }

    /// The mean of the delays, each relative to the minimum of its class.
    pub fn mean(&self, minima: &Minima) -> Option<Owd> {
        self.sum.mean(minima)
    }
}

/// Mean relative one-way delays of an epoch, by each source; none without samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Means {
    /// By ACK arrivals.
    pub by_ack: Option<Owd>,
    /// By receive timestamps.
    pub by_timestamp: Option<Owd>,
}

impl Means {
    /// That of a source.
    pub fn of(self, source: Source) -> Option<Owd> {
        match source {
            Source::Ack => self.by_ack,
            Source::ReceiveTimestamps => self.by_timestamp,
        }
    }

    /// Queueing of the return path, where `source` can tell: what ACK arrivals show beyond the
    /// receive timestamps, or, while one of them has no samples, what they showed `before`.
    pub fn return_delay(self, source: Source, before: Duration) -> Duration {
        match (source, self.by_ack, self.by_timestamp) {
            (Source::Ack, ..) => Duration::ZERO,
            // Below zero are only delays from before the minima started anew or rose.
            (_, Some(by_ack), Some(by_timestamp)) => {
                (by_ack - by_timestamp.max(Owd::ZERO)).to_duration()
            }
            _ => before,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::units::Time;

    pub(in crate::measure) fn sample(owd: i64, class: usize, source: Source) -> Sample {
        Sample {
            sent: Time::default(),
            owd: Owd::from_nanos(owd),
            above: Owd::ZERO,
            class,
            source,
            restarts: false,
        }
    }

    #[test]
    fn the_mean_takes_every_size_against_its_own_minimum() {
        let mut delays = Delays::default();
        assert_eq!(delays.mean(&[None; CLASSES]), None);
        delays.add(&sample(100, 0, Source::Ack));
        delays.add(&sample(230, 3, Source::Ack));
        let minima = [Some(90), Some(90), Some(200), Some(200)].map(|m| m.map(Owd::from_nanos));
        let expected = Some(Owd::from_nanos((10 + 30) / 2));
        assert_eq!(delays.mean(&minima), expected);
    }

    #[test]
    fn without_the_minimum_of_a_class_there_is_no_mean() {
        let mut delays = Delays::default();
        delays.add(&sample(1_000_000, 3, Source::Ack));
        delays.add(&sample(1_000_030, 0, Source::Ack));
        let mut minima = [Some(Owd::from_nanos(1_000_000)); CLASSES];
        assert_eq!(delays.mean(&minima), Some(Owd::from_nanos(15)));
        minima[0] = None;
        assert_eq!(
            delays.mean(&minima),
            None,
            "an absolute delay is no queueing"
        );
        minima = [minima[3], None, None, minima[3]];
        assert!(delays.mean(&minima).is_some(), "nobody needs the others");
    }

    #[test]
    fn the_delays_of_the_latest_feedback_are_taken_out() {
        let minima = [Some(Owd::from_nanos(1_000)); CLASSES];
        let mut delays = Delays::default();
        for (owd, begins) in [(1_010, true), (1_020, false), (1_070, true), (1_090, false)] {
            if begins {
                delays.begin_feedback();
            }
            delays.add(&sample(owd, 3, Source::Ack));
        }
        let newest = delays.take_newest();
        for (delays, mean) in [(delays, 15), (newest, 80)] {
            assert_eq!(
                (delays.count(), delays.mean(&minima)),
                (2, Some(Owd::from_nanos(mean)))
            );
        }
    }

    #[test]
    fn the_offset_of_the_clocks_cancels_out_however_large_it_is() {
        let offset = 1 << 60;
        let mut delays = Delays::default();
        (0..1_000).for_each(|i| delays.add(&sample(offset + i, 3, Source::Ack)));
        let minima = [Some(Owd::from_nanos(offset)); CLASSES];
        assert_eq!(delays.mean(&minima), Some(Owd::from_nanos(499)));
    }

    #[test]
    fn the_return_path_is_what_acks_show_beyond_receive_times() {
        let millis = |ms: i64| Some(Owd::from_nanos(ms * 1_000_000));
        let (before, timestamps) = (Duration::from_millis(9), Source::ReceiveTimestamps);
        for (source, by_ack, by_timestamp, expected) in [
            (timestamps, millis(30), millis(10), 20),
            (timestamps, millis(30), millis(-10), 30),
            (timestamps, millis(10), millis(30), 0),
            (timestamps, None, millis(30), 9),
            (timestamps, millis(30), None, 9),
            (Source::Ack, millis(30), millis(10), 0),
        ] {
            let means = Means {
                by_ack,
                by_timestamp,
            };
            let got = means.return_delay(source, before);
            assert_eq!(got, Duration::from_millis(expected), "{means:?}");
        }
    }
}
