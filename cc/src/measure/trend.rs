//! Whether one-way delays rise: the Pathload test.
//!
//! M. Jain and C. Dovrolis, "End-to-end available bandwidth", IEEE/ACM ToN 11:537 (2003), section V: the
//! samples are cut into about sqrt(n) groups, and the group medians m_1..m_k give
//!
//! - PCT, the share of pairs m_i < m_(i+1);
//! - PDT = (m_k - m_1) / sum |m_(i+1) - m_i|.

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

/// Tests the one-way delays of an epoch, in the order of arrival. A rise of no more than
/// `floor` is noise.
pub fn trend(delays: &mut [Owd], floor: Owd) -> Trend {
    if delays.len() < MIN_SAMPLES {
        return Trend::Unknown;
    }
    let medians = group_medians(delays);
    let rise = medians[medians.len() - 1] - medians[0];
    if rise <= floor {
        return Trend::NonIncreasing;
    }
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

/// Medians of consecutive groups of `floor(sqrt(n))`; a remainder joins the last group.
fn group_medians(delays: &mut [Owd]) -> Vec<Owd> {
    let size = delays.len().isqrt();
    let groups = delays.len() / size;
    (0..groups)
        .map(|group| {
            let end = if group + 1 == groups {
                delays.len()
            } else {
                (group + 1) * size
            };
            median(&mut delays[group * size..end])
        })
        .collect()
}

/// The mean of the two middle values if their number is even.
fn median(values: &mut [Owd]) -> Owd {
    values.sort_unstable();
    let high = values[values.len() / 2].as_nanos();
    let low = values[(values.len() - 1) / 2].as_nanos();
    Owd::from_nanos(low + (high - low) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floor() -> Owd {
        Owd::from_nanos(3_000_000)
    }

    /// `n` delays of `step` ns more each, with a saw-tooth of +-`jitter` ns on top.
    fn ramp(n: i64, step: i64, jitter: i64) -> Vec<Owd> {
        (0..n)
            .map(|i| Owd::from_nanos(i * step + (i * 7 % 5 - 2) * jitter))
            .collect()
    }

    #[test]
    fn a_growing_queue_is_increasing() {
        assert_eq!(
            trend(&mut ramp(100, 200_000, 100_000), floor()),
            Trend::Increasing
        );
        assert_eq!(
            trend(&mut ramp(25, 1_000_000, 0), floor()),
            Trend::Increasing
        );
    }

    #[test]
    fn a_draining_or_constant_queue_is_not() {
        assert_eq!(
            trend(&mut ramp(100, -200_000, 100_000), floor()),
            Trend::NonIncreasing
        );
        assert_eq!(trend(&mut ramp(100, 0, 0), floor()), Trend::NonIncreasing);
    }

    #[test]
    fn a_rise_below_the_floor_is_noise() {
        assert_eq!(
            trend(&mut ramp(100, 20_000, 0), floor()),
            Trend::NonIncreasing
        );
    }

    #[test]
    fn few_samples_say_nothing() {
        assert_eq!(trend(&mut ramp(24, 1_000_000, 0), floor()), Trend::Unknown);
        assert_eq!(trend(&mut [], floor()), Trend::Unknown);
    }

    #[test]
    fn a_constant_offset_changes_nothing() {
        for step in [-300_000, 0, 40_000, 300_000] {
            let mut here = ramp(60, step, 900_000);
            let mut there: Vec<Owd> = here
                .iter()
                .map(|owd| Owd::from_nanos(owd.as_nanos() - 7_200_000_000_000))
                .collect();
            assert_eq!(
                trend(&mut here, floor()),
                trend(&mut there, floor()),
                "step {step}"
            );
        }
    }

    #[test]
    fn the_median_of_an_even_group_is_the_middle() {
        let mut values = [5, 1, 3, 9].map(Owd::from_nanos);
        assert_eq!(median(&mut values), Owd::from_nanos(4));
    }
}
