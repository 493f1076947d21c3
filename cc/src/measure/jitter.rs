//! Jitter of the delay: by how much it moves without a queue that grows or drains.
//!
//! A queue changes by no more than the sending rate lets it, so within three spans of some 10 ms it
//! grows or drains along a line. A shared medium, batches and sparse ACKs make the delay jump up
//! and down. So what counts is how far a delay is from the middle of its two neighbours: a queue
//! alone has no such *bend*, whatever its slope. (RFC 3550, section 6.4.1, averages differences of
//! neighbours, and would take every queue that comes and goes for jitter.)
//!
//! ```text
//!   b_i = m_(i-1) - (m_i + m_(i-2)) / 2           the bend of three delays
//!   v   = 2 min(mean of b > 0, mean of -b > 0)    one-sided bends are those of a queue that begins
//!   low : a low quantile of the delays, held between 0 and 3 v
//!   level = 2.5 v + low
//! ```
//!
//! The delays are relative to a minimum over ten seconds, which jitter rarely reaches: `low` is
//! what lies between.

use std::time::Duration;

use crate::units::Owd;

/// Bends that the means go back to.
const MOST_BENDS: u32 = 64;
/// With fewer bends the jitter counts in proportion.
const TELLING_BENDS: f64 = 4.0;
/// ns. A bend beyond this counts as this: receive timestamps are claims, and a path that is stalled
/// is no jitter.
const MOST_BEND: f64 = 50e6;
/// The level is so many times v above `low`.
const LEVEL: f64 = 2.5;
/// `low` is at most so many times v, so that a queue which never drains is no jitter.
const MOST_LOW: f64 = 3.0;
/// `low` moves by this share of the way to a delay, and no further than these multiples of v.
const LOW_STEP: f64 = 0.1;
const LOW_RISES: f64 = 0.1;
const LOW_FALLS: f64 = 0.9;

/// The jitter of one source of delays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Jitter {
    /// The last two delays of a row.
    last: Option<f64>,
    before_last: Option<f64>,
    bends: u32,
    /// Mean bends to either side, ns.
    up: f64,
    down: f64,
    low: f64,
}

impl Jitter {
    /// Takes in the delay of the next span.
    pub fn add(&mut self, delay: Owd) {
        let delay = delay.as_nanos() as f64;
        let last = self.last.replace(delay);
        let before_last = std::mem::replace(&mut self.before_last, last);
        if let (Some(last), Some(before)) = (last, before_last) {
            self.bend(last - (delay + before) / 2.0);
            self.follow(delay);
        }
    }

    /// The next delay does not follow the last one.
    pub fn interrupt(&mut self) {
        (self.last, self.before_last) = (None, None);
    }

    fn bend(&mut self, by: f64) {
        let by = by.clamp(-MOST_BEND, MOST_BEND);
        self.bends = (self.bends + 1).min(MOST_BENDS);
        let weight = 1.0 / f64::from(self.bends);
        self.up += (by.max(0.0) - self.up) * weight;
        self.down += ((-by).max(0.0) - self.down) * weight;
    }

    fn follow(&mut self, delay: f64) {
        let v = self.variation();
        let step = (delay - self.low).clamp(-LOW_FALLS * v, LOW_RISES * v);
        self.low = (self.low + LOW_STEP * step).clamp(0.0, MOST_LOW * v);
    }

    /// v, in ns.
    fn variation(&self) -> f64 {
        let told = (f64::from(self.bends) / TELLING_BENDS).min(1.0);
        2.0 * told * self.up.min(self.down)
    }

    /// What a delay has above its minimum although there is no queue.
    pub fn level(&self) -> Duration {
        Duration::from_nanos((LEVEL * self.variation() + self.low) as u64)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Vectors {
        jitter: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        steps: Vec<Step>,
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Step {
        Delay { least_ms: f64, expect_ms: f64 },
        Interrupt { interrupt: bool },
    }

    #[test]
    fn it_agrees_with_the_shared_vectors() {
        let text = include_str!("../../../tests/vectors/hybrid.json");
        for case in serde_json::from_str::<Vectors>(text).unwrap().jitter {
            let mut jitter = Jitter::default();
            for (place, step) in case.steps.iter().enumerate() {
                match *step {
                    Step::Interrupt { interrupt } => {
                        assert!(interrupt);
                        jitter.interrupt();
                    }
                    Step::Delay {
                        least_ms,
                        expect_ms,
                    } => {
                        jitter.add(Owd::from_nanos((least_ms * 1e6).round() as i64));
                        let got = jitter.level().as_secs_f64() * 1e3;
                        assert!(
                            (got - expect_ms).abs() < 2e-6,
                            "{place}: {got}, {expect_ms}"
                        );
                    }
                }
            }
        }
    }

    fn level_after(delays_ms: impl IntoIterator<Item = f64>) -> f64 {
        let mut jitter = Jitter::default();
        for delay in delays_ms {
            jitter.add(Owd::from_nanos((delay * 1e6) as i64));
        }
        jitter.level().as_secs_f64() * 1e3
    }

    #[test]
    fn a_queue_that_grows_or_drains_steadily_is_no_jitter() {
        assert_eq!(level_after((0..200).map(|i| f64::from(i) / 2.0)), 0.0);
        assert_eq!(level_after((0..200).rev().map(|i| f64::from(i) / 2.0)), 0.0);
        // Nor is one that doubles, as in start-up.
        assert_eq!(level_after((0..12).map(|i| f64::from(1 << i) / 100.0)), 0.0);
    }

    #[test]
    fn what_jumps_up_and_down_is_jitter_and_the_level_covers_it() {
        let jumps =
            |low: f64, high: f64| (0..400).map(move |i| if i % 2 == 0 { low } else { high });
        let around = level_after(jumps(0.0, 4.0));
        assert!((4.0..12.0).contains(&around), "{around}");
        // A minimum that is out of reach counts up to three times the jitter.
        let above = level_after(jumps(8.0, 9.0));
        assert!((4.0..6.0).contains(&above), "{above}");
    }

    #[test]
    fn one_jump_counts_little_and_what_does_not_follow_counts_not_at_all() {
        let once = level_after((0..100).map(|i| if i == 50 { 40.0 } else { 1.0 }));
        assert!(once < 4.0, "{once}");
        let mut jitter = Jitter::default();
        for i in 0..100 {
            jitter.add(Owd::from_nanos(i % 2 * 1_000_000));
            jitter.interrupt();
        }
        assert_eq!(jitter.level(), Duration::ZERO);
    }

    #[test]
    fn jitter_is_forgotten_when_the_path_is_steady_again() {
        let noisy = (0..200).map(|i| f64::from(i % 2) * 4.0);
        let steady = std::iter::repeat_n(0.0, 1_000);
        let after = level_after(noisy.chain(steady));
        assert!(after < 0.1, "{after}");
    }
}
