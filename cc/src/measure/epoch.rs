//! What happened in one epoch: mean delay, its course, losses, bytes.

use std::ops::Range;
use std::time::Duration;

use super::loss::LossCount;
use super::owd::{Minima, Sample, Source, CLASSES};
use crate::units::{Bytes, Owd, Time};

/// Values that the course of the delay keeps at most.
const MAX_VALUES: usize = 128;

/// A sum of consecutive one-way delays, each less a base that its owner knows. It stays meaningful when the minima change.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    delays: Owd,
    counts: [u32; CLASSES],
}

impl Sum {
    fn add(&mut self, delay: Owd, class: usize) {
        self.delays = self.delays + delay;
        self.counts[class] += 1;
    }

    fn merge(self, other: Sum) -> Sum {
        Sum {
            delays: self.delays + other.delays,
            counts: std::array::from_fn(|class| self.counts[class] + other.counts[class]),
        }
    }

    fn count(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The mean of the delays, each relative to the minimum of its class.
    fn mean(&self, minima: &[Owd; CLASSES]) -> Option<Owd> {
        let of_each = minima.iter().zip(self.counts);
        let above = of_each.fold(self.delays, |sum, (minimum, count)| sum - *minimum * count);
        let mean = above.as_nanos().checked_div(i64::from(self.count()))?;
        Some(Owd::from_nanos(mean))
    }
}

/// All one-way delays of one source.
#[derive(Debug, Clone, Copy, Default)]
struct Delays {
    /// The base of sums. The clocks' offset is arbitrary, but delays differ by no more than RTTs do, so sums of
    /// differences are far from overflowing.
    first: Option<Owd>,
    sum: Sum,
}

impl Delays {
    /// Returns the delay less the base.
    fn add(&mut self, sample: &Sample) -> Owd {
        let delay = sample.owd - *self.first.get_or_insert(sample.owd);
        self.sum.add(delay, sample.class);
        delay
    }

    /// Minima less the base.
    fn based(&self, minima: &Minima) -> [Owd; CLASSES] {
        let base = self.first.unwrap_or_default();
        minima.map(|minimum| minimum.unwrap_or_default() - base)
    }
}

/// One epoch, under way. Its memory does not grow with the number of packets.
#[derive(Debug, Clone)]
pub struct Epoch {
    start: Time,
    by_ack: Delays,
    by_timestamp: Delays,
    /// Whether the course is kept, and its source.
    keeps_course: bool,
    source: Source,
    /// Sums of `stride` consecutive samples each, but for `missing` in the last.
    course: Vec<Sum>,
    stride: u32,
    missing: u32,
    /// Losses that count.
    pub lost: u64,
    /// Feedbacks that told of them.
    pub loss_reports: u64,
    /// All losses.
    pub lost_in_all: u64,
    /// Whether the feedback that ended it acknowledged an ack-eliciting packet that was sent before it began.
    pub overlaps: bool,
    /// Ack-eliciting bytes sent.
    pub sent: Bytes,
    /// Packets acknowledged.
    pub acked_packets: u64,
    /// Bytes acknowledged.
    pub acked: Bytes,
    /// When something was last acknowledged, and the longest time between two such feedbacks.
    last_ack: Time,
    gap: Time,
    /// Whether the window was full.
    pub window_full: bool,
    /// Whether the application left the window unused, as far as loss recovery has noticed.
    pub app_limited: bool,
}

impl Epoch {
    /// An epoch that begins at `start`, and keeps the course of the delay if that is asked for.
    pub fn new(start: Time, keeps_course: bool) -> Self {
        Self {
            start,
            keeps_course,
            by_ack: Delays::default(),
            by_timestamp: Delays::default(),
            source: Source::Ack,
            course: Vec::new(),
            stride: 1,
            missing: 0,
            lost: 0,
            loss_reports: 0,
            lost_in_all: 0,
            overlaps: false,
            sent: Bytes(0),
            acked_packets: 0,
            acked: Bytes(0),
            last_ack: start,
            gap: Time::default(),
            window_full: false,
            app_limited: false,
        }
    }

    /// The next epoch, which begins at `start`; keeps the memory of this one.
    pub fn restart(&mut self, start: Time) {
        let mut course = std::mem::take(&mut self.course);
        course.clear();
        *self = Self {
            course,
            ..Self::new(start, self.keeps_course)
        };
    }

    /// When it began.
    pub fn start(&self) -> Time {
        self.start
    }

    /// Its losses that count, of the packets of which it is known.
    pub fn losses(&self) -> LossCount {
        LossCount::new(self.lost, self.acked_packets)
    }

    /// Something was acknowledged.
    #[inline]
    pub fn on_ack(&mut self, now: Time) {
        self.gap = self.gap.max(now.counted_from(self.last_ack));
        self.last_ack = now;
    }

    /// The longest time without anything being acknowledged, the first one since the epoch began.
    pub fn gap(&self) -> Duration {
        Duration::from_nanos(self.gap.as_nanos())
    }

    /// How long it has lasted.
    pub fn duration(&self, now: Time) -> Duration {
        now.since(self.start)
    }

    /// Samples from `source` in it.
    pub fn samples(&self, source: Source) -> u32 {
        self.delays(source).sum.count()
    }

    fn delays(&self, source: Source) -> &Delays {
        match source {
            Source::Ack => &self.by_ack,
            Source::ReceiveTimestamps => &self.by_timestamp,
        }
    }

    /// The clock of receive times was set: earlier samples mean nothing.
    #[cold]
    pub fn restart_clock(&mut self) {
        self.by_timestamp = Delays::default();
        self.begin_course(Source::ReceiveTimestamps);
    }

    /// Adds a sample, and to the course, which is that of receive times from the first one on.
    #[inline]
    pub fn add(&mut self, sample: &Sample) {
        let delay = match sample.source {
            Source::Ack => self.by_ack.add(sample),
            Source::ReceiveTimestamps => self.by_timestamp.add(sample),
        };
        if self.keeps_course {
            self.follow_course(sample.source, delay, sample.class);
        }
    }

    /// Stands alone so that what adds samples without a course stays short enough to be inlined.
    #[inline(never)]
    fn follow_course(&mut self, source: Source, delay: Owd, class: usize) {
        if source != self.source && source != Source::Ack {
            self.begin_course(source);
        }
        if source == self.source {
            self.extend_course(delay, class);
        }
    }

    #[cold]
    fn begin_course(&mut self, source: Source) {
        self.source = source;
        self.course.clear();
        self.stride = 1;
        self.missing = 0;
    }

    fn extend_course(&mut self, delay: Owd, class: usize) {
        if self.missing == 0 && self.course.len() == MAX_VALUES {
            self.halve();
        }
        if self.missing == 0 {
            self.course.push(Sum::default());
            self.missing = self.stride;
        }
        if let Some(sum) = self.course.last_mut() {
            sum.add(delay, class);
            self.missing -= 1;
        }
    }

    #[cold]
    fn halve(&mut self) {
        for pair in 0..MAX_VALUES / 2 {
            self.course[pair] = self.course[2 * pair].merge(self.course[2 * pair + 1]);
        }
        self.course.truncate(MAX_VALUES / 2);
        self.stride *= 2;
    }

    /// Mean relative one-way delay by `source`, `None` without samples.
    pub fn mean(&self, source: Source, minima: &Minima) -> Option<Owd> {
        let delays = self.delays(source);
        delays.sum.mean(&delays.based(minima))
    }

    /// The number of values that the course has: up to 128, each the mean of equally many samples.
    pub fn course_length(&self) -> usize {
        self.course.len() - usize::from(self.missing > 0)
    }

    /// The course of the relative one-way delay, in part.
    ///
    /// # Panics
    ///
    /// If the range goes beyond [`course_length`](Self::course_length).
    pub fn course(&self, range: Range<usize>, minima: &Minima) -> Vec<Owd> {
        let minima = self.delays(self.source).based(minima);
        let mean = |sum: &Sum| sum.mean(&minima).unwrap_or_default();
        self.course[range].iter().map(mean).collect()
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
            above: Owd::ZERO,
            class,
            source: ACK,
            restarts: false,
        }
    }

    #[test]
    fn the_mean_takes_every_size_against_its_own_minimum() {
        let mut epoch = Epoch::new(Time::default(), true);
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
    fn the_offset_of_the_clocks_cancels_out_however_large_it_is() {
        let offset = 1 << 60;
        let mut epoch = Epoch::new(Time::default(), true);
        (0..1_000).for_each(|i| epoch.add(&sample(offset + i, 3)));
        let minima = [Some(Owd::from_nanos(offset)); CLASSES];
        assert_eq!(epoch.mean(ACK, &minima), Some(Owd::from_nanos(499)));
        assert_eq!(
            epoch.course(1..2, &minima)[0],
            Owd::from_nanos((8 + 15) / 2)
        );
    }

    #[test]
    fn a_long_epoch_keeps_its_course_in_bounded_memory() {
        let minima = [Some(Owd::ZERO); CLASSES];
        for (n, stride) in [(128, 1), (129, 2), (256, 2), (257, 4), (10_000, 128)] {
            let mut epoch = Epoch::new(Time::default(), true);
            (0..n).for_each(|i| epoch.add(&sample(i, 3)));
            let course = epoch.course(0..epoch.course_length(), &minima);
            assert_eq!(course.len() as i64, n / stride, "{n} samples");
            assert_eq!(
                course[1].as_nanos(),
                (stride + 2 * stride - 1) / 2,
                "{n} samples"
            );
        }
    }
}
