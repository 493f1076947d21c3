//! Whether one-way delays rise: the Pathload test.
//!
//! M. Jain and C. Dovrolis, "End-to-end available bandwidth", IEEE/ACM ToN 11:537 (2003), section
//! V: the samples are cut into about sqrt(n) groups, and the group medians m_1..m_k give
//!
//! - PCT, the share of pairs m_i < m_(i+1);
//! - PDT = (m_k - m_1) / sum |m_(i+1) - m_i|.

use std::ops::Range;

use crate::units::Owd;

/// With fewer samples a group has fewer than five, and the test says nothing.
pub const MIN_SAMPLES: usize = 25;

/// PCT above which delays rise, and below which they do not. Pathload's thresholds.
const PCT: (f64, f64) = (0.66, 0.54);
/// The same for PDT.
const PDT: (f64, f64) = (0.55, 0.45);

/// What the test found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trend {
    /// Delays rise.
    Increasing,
    /// They do not.
    NonIncreasing,
    /// Too few samples, or the two metrics contradict each other.
    Unknown,
}

impl Trend {
    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Trend::Increasing => "increasing",
            Trend::NonIncreasing => "non_increasing",
            Trend::Unknown => "unknown",
        }
    }
}

/// Tests the one-way delays of an epoch: of `samples`, in the order of arrival, those with numbers
/// in a range. A rise of no more than `floor` is noise.
pub fn trend(samples: usize, delays: impl Fn(Range<usize>) -> Vec<Owd>, floor: Owd) -> Trend {
    if samples < MIN_SAMPLES {
        return Trend::Unknown;
    }
    let size = samples.isqrt();
    let groups = samples / size;
    let group_median = |group: usize| {
        // A remainder joins the last group.
        let last = group + 1 == groups;
        let end = if last { samples } else { (group + 1) * size };
        median(delays(group * size..end))
    };
    // Mostly there is no rise, and then the other groups do not matter.
    if group_median(groups - 1) - group_median(0) <= floor {
        return Trend::NonIncreasing;
    }
    let medians: Vec<Owd> = (0..groups).map(group_median).collect();
    match votes(&medians) {
        (true, false) => Trend::Increasing,
        (false, true) => Trend::NonIncreasing,
        _ => Trend::Unknown,
    }
}

/// Whether one of the metrics says that delays rise, and whether one says that they do not.
fn votes(medians: &[Owd]) -> (bool, bool) {
    let pairs = medians.len() - 1;
    let rises = medians.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let pct = rises as f64 / pairs as f64;

    let way: i64 = medians
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_nanos().abs())
        .sum();
    let rise = (medians[pairs] - medians[0]).as_nanos();
    let pdt = if way == 0 {
        0.0
    } else {
        rise as f64 / way as f64
    };

    (pct > PCT.0 || pdt > PDT.0, pct < PCT.1 || pdt < PDT.1)
}

/// The mean of the two middle values if their number is even.
fn median(mut values: Vec<Owd>) -> Owd {
    values.sort_unstable();
    let high = values[values.len() / 2].as_nanos();
    let low = values[(values.len() - 1) / 2].as_nanos();
    Owd::from_nanos(low + (high - low) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend_of(delays: &[Owd]) -> Trend {
        let floor = Owd::from_nanos(3_000_000);
        trend(delays.len(), |range| delays[range].to_vec(), floor)
    }

    /// `n` delays of `step` ns more each, with a saw-tooth of +-`jitter` ns on top.
    fn ramp(n: i64, step: i64, jitter: i64) -> Vec<Owd> {
        (0..n)
            .map(|i| Owd::from_nanos(i * step + (i * 7 % 5 - 2) * jitter))
            .collect()
    }

    #[test]
    fn a_growing_queue_is_increasing() {
        assert_eq!(trend_of(&ramp(100, 200_000, 100_000)), Trend::Increasing);
        assert_eq!(trend_of(&ramp(25, 1_000_000, 0)), Trend::Increasing);
    }

    #[test]
    fn a_draining_or_constant_queue_is_not() {
        assert_eq!(
            trend_of(&ramp(100, -200_000, 100_000)),
            Trend::NonIncreasing
        );
        assert_eq!(trend_of(&ramp(100, 0, 0)), Trend::NonIncreasing);
    }

    #[test]
    fn a_rise_below_the_floor_is_noise() {
        assert_eq!(trend_of(&ramp(100, 20_000, 0)), Trend::NonIncreasing);
    }

    #[test]
    fn few_samples_say_nothing() {
        assert_eq!(trend_of(&ramp(24, 1_000_000, 0)), Trend::Unknown);
        assert_eq!(trend_of(&[]), Trend::Unknown);
    }

    #[test]
    fn a_constant_offset_changes_nothing() {
        for step in [-300_000, 0, 40_000, 300_000] {
            let here = ramp(60, step, 900_000);
            let there: Vec<Owd> = here
                .iter()
                .map(|owd| Owd::from_nanos(owd.as_nanos() - 7_200_000_000_000))
                .collect();
            assert_eq!(trend_of(&here), trend_of(&there), "step {step}");
        }
    }

    #[test]
    fn the_median_of_an_even_group_is_the_middle() {
        let values = [5, 1, 3, 9].map(Owd::from_nanos);
        assert_eq!(median(values.to_vec()), Owd::from_nanos(4));
    }
}
