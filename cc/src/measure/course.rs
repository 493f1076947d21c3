//! The course of the one-way delay in an epoch, from which its trend is told.

use std::ops::Range;

use super::delays::Sum;
use super::owd::{Minima, Sample, Source};
use crate::units::Owd;

/// Values that are kept at most.
const MAX_VALUES: usize = 128;

/// The one-way delays of an epoch in their order: up to 128 values, each the mean of equally many
/// samples, so that its memory does not grow with the number of packets.
#[derive(Debug, Clone)]
pub struct Course {
    /// Samples of another one are left out.
    source: Source,
    /// Of `stride` consecutive samples each, but for `missing` in the last.
    sums: Vec<Sum>,
    stride: u32,
    missing: u32,
}

impl Default for Course {
    fn default() -> Self {
        Self {
            source: Source::Ack,
            sums: Vec::new(),
            stride: 1,
            missing: 0,
        }
    }
}

impl Course {
    /// Another epoch begins. Keeps the memory of this one.
    pub fn restart(&mut self) {
        self.begin(Source::Ack);
    }

    /// Adds a sample. The course is that of receive timestamps from the first one on, and begins
    /// anew where their clock was set.
    pub fn add(&mut self, sample: &Sample) {
        let better = sample.source != self.source && sample.source != Source::Ack;
        if better || sample.restarts {
            self.begin(sample.source);
        }
        if sample.source == self.source {
            self.extend(sample);
        }
    }

    fn begin(&mut self, source: Source) {
        self.sums.clear();
        *self = Self {
            source,
            sums: std::mem::take(&mut self.sums),
            ..Self::default()
        };
    }

    fn extend(&mut self, sample: &Sample) {
        if self.missing == 0 && self.sums.len() == MAX_VALUES {
            self.halve();
        }
        if self.missing == 0 {
            self.sums.push(Sum::default());
            self.missing = self.stride;
        }
        if let Some(sum) = self.sums.last_mut() {
            sum.add(sample);
            self.missing -= 1;
        }
    }

    fn halve(&mut self) {
        for pair in 0..MAX_VALUES / 2 {
            self.sums[pair] = self.sums[2 * pair].merge(self.sums[2 * pair + 1]);
        }
        self.sums.truncate(MAX_VALUES / 2);
        self.stride *= 2;
    }

    /// The number of values: those of whole strides.
    pub fn values(&self) -> usize {
        self.sums.len() - usize::from(self.missing > 0)
    }

    /// Some of the values, relative to the minima.
    ///
    /// # Panics
    ///
    /// If the range goes beyond [`values`](Self::values).
    pub fn above(&self, range: Range<usize>, minima: &Minima) -> Vec<Owd> {
        let mean = |sum: &Sum| sum.mean(minima).unwrap_or_default();
        self.sums[range].iter().map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::delays::tests::sample;
    use super::super::owd::CLASSES;
    use super::*;

    const ACK: Source = Source::Ack;

    fn delays(course: &Course, minimum: i64) -> Vec<i64> {
        let minima = [Some(Owd::from_nanos(minimum)); CLASSES];
        let above = course.above(0..course.values(), &minima);
        above.iter().map(|delay| delay.as_nanos()).collect()
    }

    #[test]
    fn a_long_epoch_keeps_its_course_in_bounded_memory() {
        for (n, stride) in [(128, 1), (129, 2), (256, 2), (257, 4), (10_000, 128)] {
            let mut course = Course::default();
            (0..n).for_each(|i| course.add(&sample(i, 3, ACK)));
            let values = delays(&course, 0);
            assert_eq!(values.len() as i64, n / stride, "{n} samples");
            assert_eq!(values[1], (stride + 2 * stride - 1) / 2, "{n} samples");
        }
    }

    #[test]
    fn the_offset_of_the_clocks_cancels_out_however_large_it_is() {
        let offset = 1 << 60;
        let mut course = Course::default();
        (0..1_000).for_each(|i| course.add(&sample(offset + i, 3, ACK)));
        assert_eq!(delays(&course, offset)[1], (8 + 15) / 2);
    }

    #[test]
    fn receive_times_replace_ack_arrivals_and_a_clock_that_was_set_begins_anew() {
        let received = |owd, restarts| Sample {
            restarts,
            ..sample(owd, 3, Source::ReceiveTimestamps)
        };
        let mut course = Course::default();
        course.add(&sample(1, 3, ACK));
        course.add(&received(7, false));
        course.add(&sample(2, 3, ACK));
        course.add(&received(8, false));
        assert_eq!(delays(&course, 0), [7, 8]);
        course.add(&received(1_000, true));
        assert_eq!(delays(&course, 0), [1_000]);
        course.restart();
        course.add(&sample(3, 3, ACK));
        assert_eq!(delays(&course, 0), [3]);
    }
}
