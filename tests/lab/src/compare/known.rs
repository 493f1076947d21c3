//! Results that were measured before, from a file like those of docs/results, in place of runs.

use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;
use serde::Deserialize;

use super::{Outcome, Suite};

/// An entry of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    point: Vec<String>,
    cc: String,
    utilisation: f64,
    /// Published files leave it out.
    #[serde(default)]
    queueing_mean_ms: Option<f64>,
    queueing_p95_ms: f64,
    loss: f64,
    loss_at_start: f64,
    /// Is judged anew, beside the reference's results of this report.
    #[serde(default, rename = "reached")]
    _reached: IgnoredAny,
    /// Holds of all results of the file, from here on.
    #[serde(default, rename = "earlier")]
    _earlier: IgnoredAny,
}

/// What utilisation may be above 1: it is a quotient of times, and rounded.
const ROUNDING: f64 = 1e-6;

/// The results of a file that are of the suite's paths and controllers.
#[derive(Debug)]
pub struct Known {
    /// The file.
    pub file: PathBuf,
    results: Vec<Line>,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("--known {file}: {message}")]
pub struct KnownError {
    file: String,
    message: String,
}

impl Known {
    /// Reads it. Results of other paths and controllers than the suite's are left out.
    ///
    /// # Errors
    /// The file cannot be read, is no list of results, has one twice or with numbers that cannot be, or has none of the suite's.
    pub fn load(file: &Path, suite: &Suite) -> Result<Self, KnownError> {
        let refuse = |message: String| KnownError {
            file: file.display().to_string(),
            message,
        };
        let text = std::fs::read_to_string(file)
            .map_err(|error| refuse(format!("cannot be read: {error}")))?;
        let lines: Vec<Line> = serde_json::from_str(&text).map_err(|error| {
            refuse(format!(
                "is no list of results, as results.json and docs/results have them: {error}"
            ))
        })?;
        for (number, line) in lines.iter().enumerate() {
            let wrong = line.wrong(suite).or_else(|| line.twice(&lines[..number]));
            if let Some(wrong) = wrong {
                let number = number + 1;
                return Err(refuse(format!(
                    "result {number} ({}): {wrong}",
                    line.name()
                )));
            }
        }
        let results: Vec<Line> = lines.into_iter().filter(|l| l.is_of(suite)).collect();
        if results.is_empty() {
            return Err(refuse(format!(
                "has no result on a path of this suite by one of its controllers, {}",
                suite.controllers.join(", ")
            )));
        }
        let file = file.to_owned();
        Ok(Self { file, results })
    }

    /// The controller's result at this point.
    pub fn find(&self, cc: &str, point: &[impl AsRef<str>]) -> Option<Outcome> {
        let found = self.results.iter().find(|line| line.is_at(cc, point));
        found.map(Line::outcome)
    }
}

impl Line {
    fn name(&self) -> String {
        format!("{} at {}", self.cc, self.point.join(", "))
    }

    fn is_at(&self, cc: &str, point: &[impl AsRef<str>]) -> bool {
        let values = point.iter().map(AsRef::as_ref);
        self.cc == cc && self.point.iter().map(String::as_str).eq(values)
    }

    fn is_of(&self, suite: &Suite) -> bool {
        let mut axes = suite.axis.iter().zip(&self.point);
        suite.controllers.contains(&self.cc)
            && axes.all(|(axis, value)| axis.values.contains(value))
    }

    fn outcome(&self) -> Outcome {
        Outcome {
            utilisation: self.utilisation,
            queueing_mean_ms: self.queueing_mean_ms,
            queueing_p95_ms: self.queueing_p95_ms,
            loss: self.loss,
            loss_at_start: self.loss_at_start,
        }
    }

    /// What cannot be.
    fn wrong(&self, suite: &Suite) -> Option<String> {
        let axes: Vec<&str> = suite.axis.iter().map(|axis| axis.label.as_str()).collect();
        if self.point.len() != axes.len() {
            return Some(format!(
                "`point` has {} values, but the suite has {} axes: {}",
                self.point.len(),
                axes.len(),
                axes.join(", ")
            ));
        }
        let delays = [
            (
                "queueing_mean_ms",
                self.queueing_mean_ms.unwrap_or(0.0),
                f64::MAX,
            ),
            ("queueing_p95_ms", self.queueing_p95_ms, f64::MAX),
        ];
        let shares = [
            ("utilisation", self.utilisation, 1.0 + ROUNDING),
            ("loss", self.loss, 1.0),
            ("loss_at_start", self.loss_at_start, 1.0),
        ];
        let mut numbers = shares.into_iter().chain(delays);
        let (name, value, most) =
            numbers.find(|(_, value, most)| !(0.0..=*most).contains(value))?;
        Some(match most {
            f64::MAX => format!("`{name}` is {value}; a delay is 0 or more"),
            _ => format!("`{name}` is {value}; a share is 0 to 1"),
        })
    }

    /// Whether an earlier one is about the same.
    fn twice(&self, earlier: &[Self]) -> Option<String> {
        let first = earlier
            .iter()
            .position(|e| e.is_at(&self.cc, &self.point))?;
        Some(format!("result {} is about the same", first + 1))
    }
}
