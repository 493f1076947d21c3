//! What happened in one epoch: mean delay, its course, losses, bytes.

use std::time::Duration;

use super::owd::{Minima, Sample, Source, CLASSES};
use crate::units::{Bytes, Owd, Time};

/// Values that the course of the delay keeps at most.
const MAX_VALUES: usize = 128;

/// A sum of consecutive one-way delays, which stays meaningful when the minima change.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    nanos: i128,
    counts: [u32; CLASSES],
}

impl Sum {
    fn add(&mut self, sample: &Sample) {
        self.nanos += i128::from(sample.owd.as_nanos());
        self.counts[sample.class] += 1;
    }

    fn merge(self, other: Sum) -> Sum {
        Sum {
            nanos: self.nanos + other.nanos,
            counts: std::array::from_fn(|class| self.counts[class] + other.counts[class]),
        }
    }

    fn count(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The mean of the delays, each relative to the minimum of its class.
    fn mean(&self, minima: &Minima) -> Option<Owd> {
        let base: i128 = (0..CLASSES)
            .map(|class| {
                let minimum = minima[class].map_or(0, Owd::as_nanos);
                i128::from(minimum) * i128::from(self.counts[class])
            })
            .sum();
        let nanos = (self.nanos - base).checked_div(i128::from(self.count()))?;
        i64::try_from(nanos).ok().map(Owd::from_nanos)
    }
}

/// One epoch, under way. Its memory does not grow with the number of packets.
#[derive(Debug, Clone)]
pub struct Epoch {
    start: Time,
    by_ack: Sum,
    by_timestamp: Sum,
    /// The source of the course.
    source: Source,
    /// Sums of `stride` consecutive samples each; the last may be incomplete.
    course: Vec<Sum>,
    stride: u32,
    /// Losses that count.
    pub lost: u64,
    /// Ack-eliciting bytes sent.
    pub sent: Bytes,
    /// Packets acknowledged.
    pub acked_packets: u64,
    /// Bytes acknowledged.
    pub acked: Bytes,
    /// Whether the application left the window unused.
    pub app_limited: bool,
}

impl Epoch {
    /// An epoch that begins at `start`.
    pub fn new(start: Time) -> Self {
        Self {
            start,
            by_ack: Sum::default(),
            by_timestamp: Sum::default(),
            source: Source::Ack,
            course: Vec::new(),
            stride: 1,
            lost: 0,
            sent: Bytes(0),
            acked_packets: 0,
            acked: Bytes(0),
            app_limited: false,
        }
    }

    /// The next epoch, which begins at `start`; keeps the memory of this one.
    pub fn restart(&mut self, start: Time) {
        let mut course = std::mem::take(&mut self.course);
        course.clear();
        *self = Self {
            course,
            ..Self::new(start)
        };
    }

    /// How long it has lasted.
    pub fn duration(&self, now: Time) -> Duration {
        now.since(self.start)
    }

    /// Samples from `source` in it.
    pub fn samples(&self, source: Source) -> u32 {
        self.sum(source).count()
    }

    fn sum(&self, source: Source) -> &Sum {
        match source {
            Source::Ack => &self.by_ack,
            Source::ReceiveTimestamps => &self.by_timestamp,
        }
    }

    /// Adds a sample. The course is that of receive times from the first one on.
    pub fn add(&mut self, sample: &Sample) {
        if sample.restarts {
            self.by_timestamp = Sum::default();
        }
        match sample.source {
            Source::Ack => self.by_ack.add(sample),
            Source::ReceiveTimestamps => self.by_timestamp.add(sample),
        }
        let first = sample.source == Source::ReceiveTimestamps && self.source == Source::Ack;
        if first || sample.restarts {
            self.source = sample.source;
            self.course.clear();
            self.stride = 1;
        }
        if sample.source == self.source {
            self.extend_course(sample);
        }
    }

    fn extend_course(&mut self, sample: &Sample) {
        if self
            .course
            .last()
            .is_none_or(|sum| sum.count() == self.stride)
        {
            if self.course.len() == MAX_VALUES {
                self.halve();
            }
            self.course.push(Sum::default());
        }
        if let Some(sum) = self.course.last_mut() {
            sum.add(sample);
        }
    }

    fn halve(&mut self) {
        for pair in 0..MAX_VALUES / 2 {
            self.course[pair] = self.course[2 * pair].merge(self.course[2 * pair + 1]);
        }
        self.course.truncate(MAX_VALUES / 2);
        self.stride *= 2;
    }

    /// Mean relative one-way delay by `source`, `None` without samples.
    pub fn mean(&self, source: Source, minima: &Minima) -> Option<Owd> {
        self.sum(source).mean(minima)
    }

    /// The course of the relative one-way delay: up to 128 values, each the mean of equally many samples.
    pub fn course(&self, minima: &Minima) -> Vec<Owd> {
        let complete = self.course.iter().filter(|sum| sum.count() == self.stride);
        complete.filter_map(|sum| sum.mean(minima)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: Source = Source::Ack;

    fn sample(owd: i64, class: usize) -> Sample {
        Sample {
            sent: Time::default(),
            owd: Owd::from_nanos(owd),
            class,
            source: ACK,
            restarts: false,
        }
    }

    #[test]
    fn the_mean_takes_every_size_against_its_own_minimum() {
        let mut epoch = Epoch::new(Time::default());
        assert_eq!(epoch.mean(ACK, &[None; CLASSES]), None);
        epoch.add(&sample(100, 0));
        epoch.add(&sample(230, 3));
        let minima = [Some(90), Some(90), Some(200), Some(200)].map(|m| m.map(Owd::from_nanos));
        assert_eq!(
            epoch.mean(ACK, &minima),
            Some(Owd::from_nanos((10 + 30) / 2))
        );
    }

    #[test]
    fn a_long_epoch_keeps_its_course_in_bounded_memory() {
        let minima = [Some(Owd::ZERO); CLASSES];
        for (n, stride) in [(128, 1), (129, 2), (256, 2), (257, 4), (10_000, 128)] {
            let mut epoch = Epoch::new(Time::default());
            (0..n).for_each(|i| epoch.add(&sample(i, 3)));
            let course = epoch.course(&minima);
            assert_eq!(course.len() as i64, n / stride, "{n} samples");
            assert_eq!(
                course[1].as_nanos(),
                (stride + 2 * stride - 1) / 2,
                "{n} samples"
            );
        }
    }
}
