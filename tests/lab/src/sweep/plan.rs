//! Which runs are to be made: controllers x seeds x values of parameters.

use std::collections::BTreeSet;
use std::path::Path;

use crate::scenario::{self, Overrides, Quic, Scenario, ScenarioError, Transport};

/// A key of a scenario with a value, or several to be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// As in [`Overrides`].
    pub key: String,
    /// The values.
    pub values: Vec<String>,
}

/// What is crossed with what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sweep {
    /// The controllers under test.
    pub controllers: Vec<String>,
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Values that hold in every run.
    pub set: Vec<(String, String)>,
    /// Values that are tried one after another.
    pub grid: Vec<Axis>,
    /// Flows that get a controller of their own: the flow's name and its controller.
    pub fixed: Vec<(String, String)>,
}

/// One run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name, which tells it from the others of a sweep and can be a file's.
    pub name: String,
    /// What is run.
    pub scenario: Scenario,
    /// The text that the scenario was read from, with the values that were set; without [`Sweep::fixed`].
    pub text: String,
    /// The controller under test.
    pub cc: String,
    /// What decides all that is random.
    pub seed: u64,
    /// Values that were set, from [`Sweep::set`] and [`Sweep::grid`].
    pub parameters: Vec<(String, String)>,
}

/// A sweep that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    /// The scenario, or a value that was set.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A controller.
    #[error(transparent)]
    Controller(#[from] quiche_cc::SpecError),
    /// A flow that shall have a controller of its own.
    #[error("there is no QUIC flow `{flow}` to have its own controller; there are {known}")]
    Flow {
        /// What was asked for.
        flow: String,
        /// The flows that can have one.
        known: String,
    },
    /// The same run twice.
    #[error("the run {0} is asked for twice")]
    Twice(String),
}

impl Sweep {
    /// All runs on the scenario of this file: controllers outermost, then the grid in the order given, then seeds.
    ///
    /// # Errors
    /// Something is not allowed in one of them.
    pub fn plan(&self, file: &Path) -> Result<Vec<Plan>, SweepError> {
        for cc in &self.controllers {
            quiche_cc::parse(cc)?;
        }
        let mut points = Vec::new();
        for point in self.points() {
            let overrides = Overrides([self.set.as_slice(), &point].concat());
            let (scenario, text) = self.scenario(file, &overrides)?;
            points.push((point, overrides, scenario, text));
        }
        let mut names = BTreeSet::new();
        let mut runs = Vec::new();
        for cc in &self.controllers {
            for (point, overrides, scenario, text) in &points {
                for &seed in &self.seeds {
                    let name = name(cc, point, seed);
                    if !names.insert(name.clone()) {
                        return Err(SweepError::Twice(name));
                    }
                    runs.push(Plan {
                        name,
                        scenario: scenario.clone(),
                        text: text.clone(),
                        cc: cc.clone(),
                        seed,
                        parameters: overrides.0.clone(),
                    });
                }
            }
        }
        Ok(runs)
    }

    /// Every combination of the grid's values, the last axis varying fastest.
    fn points(&self) -> Vec<Vec<(String, String)>> {
        let mut points = vec![Vec::new()];
        for axis in &self.grid {
            let extended = points.iter().flat_map(|point: &Vec<(String, String)>| {
                axis.values.iter().map(move |value| {
                    let mut point = point.clone();
                    point.push((axis.key.clone(), value.clone()));
                    point
                })
            });
            points = extended.collect();
        }
        points
    }

    fn scenario(
        &self,
        file: &Path,
        overrides: &Overrides,
    ) -> Result<(Scenario, String), SweepError> {
        let (mut scenario, text) = scenario::load_with_text(file, overrides)?;
        for (flow, cc) in &self.fixed {
            quiche_cc::parse(cc)?;
            fix(&mut scenario, flow, cc)?;
        }
        Ok((scenario, text))
    }
}

/// Gives the flow with this name, or all that were counted up from it, this controller.
fn fix(scenario: &mut Scenario, wanted: &str, cc: &str) -> Result<(), SweepError> {
    let exact = scenario.flows.iter().any(|flow| flow.name == wanted);
    let counted = |name: &str| {
        let number = name
            .strip_prefix(wanted)
            .and_then(|rest| rest.strip_prefix('-'));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let mut found = false;
    for flow in &mut scenario.flows {
        if let Transport::Quic(quic) = &mut flow.transport {
            if flow.name == wanted || (!exact && counted(&flow.name)) {
                quic.cc = Some(cc.to_owned());
                found = true;
            }
        }
    }
    if found {
        return Ok(());
    }
    let quic = scenario
        .flows
        .iter()
        .filter(|flow| is_quic(&flow.transport));
    let known: Vec<_> = quic.map(|flow| flow.name.as_str()).collect();
    Err(SweepError::Flow {
        flow: wanted.to_owned(),
        known: known.join(", "),
    })
}

fn is_quic(transport: &Transport) -> bool {
    matches!(transport, Transport::Quic(Quic { .. }))
}

/// `hybrid_target_delay=12ms,link.bottleneck.rate=10Mbps,seed=1`
fn name(cc: &str, point: &[(String, String)], seed: u64) -> String {
    let values = point.iter().map(|(key, value)| format!(",{key}={value}"));
    let text = format!("{cc}{},seed={seed}", values.collect::<String>());
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.,=@%+".contains(c);
    let name = text.chars().map(|c| if allowed(c) { c } else { '_' });
    name.collect()
}
