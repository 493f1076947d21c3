//! Samples and what is said about them.

use std::time::Duration;

use serde::Serialize;

/// Numbers of one unit, at least one, in ascending order.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples(Vec<f64>);

/// What is said about samples, in their unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Distribution {
    /// How many there are.
    pub count: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of these samples (the sum of squares divided by their number).
    pub sd: f64,
    /// The smallest.
    pub min: f64,
    /// Median by nearest rank, see [`Samples::percentile`].
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The largest.
    pub max: f64,
}

impl Samples {
    /// Of these numbers; `None` if there are none.
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = samples.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        (!sorted.is_empty()).then_some(Self(sorted))
    }

    /// Of these spans, in milliseconds.
    pub fn of_millis(spans: impl IntoIterator<Item = Duration>) -> Option<Self> {
        Self::of(spans.into_iter().map(millis))
    }

    /// The `percent`th percentile by nearest rank: the smallest sample that at least `percent` % of all
    /// samples do not exceed. So it is always one of the samples; 0 gives the smallest.
    pub fn percentile(&self, percent: f64) -> f64 {
        let rank = (self.0.len() as f64 * percent / 100.0).ceil() as usize;
        self.0[rank.clamp(1, self.0.len()) - 1]
    }

    /// Arithmetic mean.
    pub fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// Standard deviation of these samples.
    pub fn sd(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|x| (x - mean) * (x - mean)).sum();
        (squares / self.0.len() as f64).sqrt()
    }

    /// All of that.
    pub fn distribution(&self) -> Distribution {
        Distribution {
            count: self.0.len() as u64,
            mean: self.mean(),
            sd: self.sd(),
            min: self.percentile(0.0),
            p50: self.percentile(50.0),
            p95: self.percentile(95.0),
            p99: self.percentile(99.0),
            max: self.percentile(100.0),
        }
    }

    /// The samples in ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.0
    }
}

/// In milliseconds.
pub fn millis(span: Duration) -> f64 {
    span.as_nanos() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Case {
        about: String,
        values: Vec<f64>,
        percentiles: Vec<(f64, f64)>,
    }

    #[derive(serde::Deserialize)]
    struct Vectors {
        cases: Vec<Case>,
    }

    #[test]
    fn percentiles_are_those_of_the_shared_vectors() {
        let text = include_str!("../../../vectors/percentiles.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        for case in vectors.cases {
            let samples = Samples::of(case.values).unwrap();
            for (percent, sample) in case.percentiles {
                let found = samples.percentile(percent);
                assert_eq!(found, sample, "{}: {percent}", case.about);
            }
        }
    }

    #[test]
    fn mean_and_standard_deviation_are_those_of_the_samples() {
        let samples = Samples::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        let distribution = samples.distribution();
        assert_eq!((distribution.mean, distribution.sd), (5.0, 2.0));
        assert_eq!((distribution.min, distribution.max), (2.0, 9.0));
        assert_eq!(distribution.count, 8);
    }

    #[test]
    fn without_samples_there_is_nothing_to_say() {
        assert_eq!(Samples::of([]), None);
        let one = Samples::of_millis([Duration::from_micros(1500)]).unwrap();
        assert_eq!(
            (one.mean(), one.sd(), one.percentile(99.0)),
            (1.5, 0.0, 1.5)
        );
    }
}
