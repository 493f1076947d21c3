//! Distributions of times.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Nanoseconds; what is longer counts as this (1000 s).
const LONGEST: u64 = 1_000_000_000_000;

/// Collects times with three significant digits, from a nanosecond on.
#[derive(Debug, Clone)]
pub struct Spread {
    histogram: Histogram<u64>,
}

/// Mean and percentiles in milliseconds; all zero if nothing was collected.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Percentiles {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest.
    pub max: f64,
}

impl Default for Spread {
    fn default() -> Self {
        // Cannot fail for a lowest value of one or more and one to five digits.
        let histogram =
            Histogram::new_with_bounds(1, LONGEST, 3).unwrap_or_else(|_| unreachable!());
        Self { histogram }
    }
}

impl Spread {
    /// Adds one time.
    pub fn add(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.histogram.saturating_record(nanos);
    }

    /// How many were added.
    pub fn count(&self) -> u64 {
        self.histogram.len()
    }

    /// Mean and percentiles so far.
    pub fn percentiles(&self) -> Percentiles {
        if self.histogram.is_empty() {
            return Percentiles::default();
        }
        let at = |quantile| round(self.histogram.value_at_quantile(quantile) as f64 / 1e6);
        Percentiles {
            mean: round(self.histogram.mean() / 1e6),
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: round(self.histogram.max() as f64 / 1e6),
        }
    }
}

impl Percentiles {
    /// Those of a few values in milliseconds, which may be negative.
    pub fn of(mut millis: Vec<f64>) -> Self {
        millis.sort_by(f64::total_cmp);
        let Some(last) = millis.len().checked_sub(1) else {
            return Self::default();
        };
        // Nearest rank.
        let at =
            |quantile: f64| millis[((quantile * millis.len() as f64).ceil() as usize).max(1) - 1];
        Self {
            mean: millis.iter().sum::<f64>() / millis.len() as f64,
            p50: at(0.5),
            p95: at(0.95),
            p99: at(0.99),
            max: millis[last],
        }
    }
}

/// Milliseconds to the nanosecond: more would be noise in the log.
pub(crate) fn round(millis: f64) -> f64 {
    (millis * 1e6).round() / 1e6
}

/// A span in milliseconds.
pub(crate) fn millis(span: Duration) -> f64 {
    round(span.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_what_was_added() {
        let mut spread = Spread::default();
        assert_eq!(spread.percentiles(), Percentiles::default());
        for millis in 1..=100 {
            spread.add(Duration::from_millis(millis));
        }
        let Percentiles {
            mean,
            p50,
            p95,
            p99,
            max,
        } = spread.percentiles();
        for (measured, expected) in [
            (mean, 50.5),
            (p50, 50.0),
            (p95, 95.0),
            (p99, 99.0),
            (max, 100.0),
        ] {
            assert!(
                (measured / expected - 1.0).abs() < 2e-3,
                "{measured} for {expected}"
            );
        }
    }

    #[test]
    fn percentiles_of_a_list_are_its_ranks() {
        let Percentiles {
            mean,
            p50,
            p95,
            p99,
            max,
        } = Percentiles::of((-49..=50).rev().map(f64::from).collect());
        assert_eq!((mean, p50, p95, p99, max), (0.5, 0.0, 45.0, 49.0, 50.0));
        assert_eq!(Percentiles::of(vec![3.0]).p99, 3.0);
        assert_eq!(Percentiles::of(Vec::new()), Percentiles::default());
    }
}
