//! Suites: a scenario, controllers and axes along which the scenario varies, as data.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::sweep::{Axis, Plan, Sweep, SweepError};
use crate::toml_errors::{self, in_words, other_kind, Kind};

/// A suite's file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// One line about it.
    pub title: String,
    /// The scenario's file, relative to the suite's.
    pub scenario: PathBuf,
    /// Who is compared.
    pub controllers: Vec<String>,
    /// Seeds 1 to this number.
    #[serde(default = "one")]
    pub seeds: u64,
    /// The controller that the others are held against.
    pub reference: String,
    /// What varies, outermost first.
    #[serde(default)]
    pub axis: Vec<SuiteAxis>,
}

/// One thing that varies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteAxis {
    /// What it is called in the report.
    pub label: String,
    /// The key of the scenario.
    pub key: String,
    /// Its values.
    pub values: Vec<String>,
}

/// Why a suite cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file.
    #[error("{path}: {message}")]
    File {
        /// The suite's file, with the line where there is one.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// What it asks for.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

fn one() -> u64 {
    1
}

const MOST_SEEDS: u64 = 1000;

impl Suite {
    /// Reads it. `controllers`, unless empty, replaces its own.
    ///
    /// # Errors
    /// The file cannot be read, or is no suite.
    pub fn load(path: &Path, controllers: &[String]) -> Result<Self, SuiteError> {
        let refuse = |place: String, message: String| SuiteError::File {
            path: place,
            message,
        };
        let name = path.display().to_string();
        let text = toml_errors::read(path).map_err(|message| refuse(name.clone(), message))?;
        let mut suite: Self = toml::from_str(&text).map_err(|e| {
            if let Some(other) = other_kind(&text, Kind::Suite) {
                return refuse(name.clone(), other.to_owned());
            }
            let line = e
                .span()
                .map(|span| text[..span.start].matches('\n').count() + 1);
            let place = line.map_or(name.clone(), |line| format!("{name}:{line}"));
            refuse(place, in_words(&e, &text))
        })?;
        if !controllers.is_empty() {
            suite.controllers = controllers.to_vec();
        }
        if let Some(wrong) = suite.wrong() {
            return Err(refuse(name, wrong));
        }
        if let Some(directory) = path.parent() {
            suite.scenario = directory.join(&suite.scenario);
        }
        Ok(suite)
    }

    fn wrong(&self) -> Option<String> {
        if !(1..=MOST_SEEDS).contains(&self.seeds) {
            return Some(format!("`seeds` is the number of seeds, 1 to {MOST_SEEDS}"));
        }
        if self.axis.iter().any(|axis| axis.values.is_empty()) {
            return Some("an axis has at least one value".to_owned());
        }
        if !self.controllers.contains(&self.reference) {
            let controllers = self.controllers.join(", ");
            return Some(format!(
                "the reference `{}` is not among the controllers; there are {controllers}",
                self.reference
            ));
        }
        None
    }

    /// All its runs: controllers outermost, then the axes, then seeds.
    ///
    /// # Errors
    /// Something is not allowed in one of them.
    pub fn plan(&self) -> Result<Vec<Plan>, SuiteError> {
        let axis = |axis: &SuiteAxis| Axis {
            key: axis.key.clone(),
            values: axis.values.clone(),
        };
        let sweep = Sweep {
            controllers: self.controllers.clone(),
            seeds: (1..=self.seeds).collect(),
            grid: self.axis.iter().map(axis).collect(),
            ..Sweep::default()
        };
        Ok(sweep.plan(&self.scenario)?)
    }

    /// The points of its axes, in the order of [`plan`](Suite::plan).
    pub fn points(&self) -> Vec<Vec<&str>> {
        self.axis.iter().fold(vec![Vec::new()], |points, axis| {
            let extended = points.iter().flat_map(|point: &Vec<&str>| {
                axis.values
                    .iter()
                    .map(move |value| [point.as_slice(), &[value.as_str()]].concat())
            });
            extended.collect()
        })
    }
}
