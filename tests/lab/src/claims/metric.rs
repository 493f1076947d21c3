//! A number of a run: a quantity of flows or of a link, over windows of time.

use std::time::Duration;

use quiche_cc_bottleneck::Time;
use serde::{Deserialize, Serialize};

use super::file;
use super::quantity::{Quantity, Reduction, Shape, Subject, REDUCTIONS};
use crate::scenario::{FlowDecl, Scenario};
use crate::stats::fairness::Equality;
use crate::stats::Window;

/// What to measure in a run. One number per window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// What.
    pub quantity: Quantity,
    /// What of its samples.
    pub reduction: Option<Reduction>,
    /// Of whom.
    pub of: Of,
    /// Over which parts of the run; none for all of it after its warm-up.
    pub parts: Vec<Part>,
    /// Bins of rates over time, and of shares for times to settle.
    pub every: Duration,
    /// When shares count as equal, or a rate as settled.
    #[serde(with = "to_the_last_digit")]
    pub tolerance: f64,
    /// For how long it has to stay so.
    pub hold: Duration,
}

/// From here to there, or to the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Nanos", into = "Nanos")]
pub struct Part {
    /// Its first instant.
    pub from: Time,
    /// The first instant after it.
    pub to: Option<Time>,
}

/// The ends of a part in nanoseconds.
type Nanos = (u64, Option<u64>);

impl From<Nanos> for Part {
    fn from((from, to): Nanos) -> Self {
        Self {
            from: Time::from_nanos(from),
            to: to.map(Time::from_nanos),
        }
    }
}

impl From<Part> for Nanos {
    fn from(part: Part) -> Self {
        (part.from.as_nanos(), part.to.map(Time::as_nanos))
    }
}

/// A number as text: the JSON reader may change its last digit.
mod to_the_last_digit {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Whose quantity it is, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Of {
    /// Of all flows whose controller is under test.
    FlowsUnderTest,
    /// Of these; a name may end in `*`.
    Flows(Vec<String>),
    /// Of a link.
    Link(String),
}

const EVERY: Duration = Duration::from_secs(1);
const TOLERANCE: f64 = 0.2;

impl Metric {
    /// As a file says it.
    ///
    /// # Errors
    /// What is wrong, and what is allowed.
    pub fn of(given: &file::Measure) -> Result<Self, String> {
        let Some(name) = &given.metric else {
            return Err("`metric` is missing, such as \"queueing_delay.max\"".into());
        };
        let (quantity, reduction) = parse_name(name)?;
        let every = given.every.map_or(EVERY, |every| every.0 .0);
        if every.is_zero() {
            return Err("`every` has to be more than 0".into());
        }
        Ok(Self {
            quantity,
            reduction,
            of: subject(given, quantity, name)?,
            parts: parts(given)?,
            every,
            tolerance: given.tolerance.map_or(TOLERANCE, |share| share.0.value()),
            hold: given.hold.map_or(every, |hold| hold.0 .0),
        })
    }

    /// The windows in a run of `scenario`.
    ///
    /// # Errors
    /// The run is over before a window is.
    pub fn windows(&self, scenario: &Scenario) -> Result<Vec<Window>, String> {
        let end = Time::from(scenario.duration);
        let whole = [Part {
            from: Time::from(scenario.warmup),
            to: None,
        }];
        let parts = if self.parts.is_empty() {
            &whole[..]
        } else {
            &self.parts
        };
        let window = |part: &Part| {
            let to = part.to.unwrap_or(end);
            let window = Window::new(part.from, to).filter(|_| to <= end);
            window.ok_or_else(|| {
                let span = |at: Time| at.since(Time::ZERO);
                format!(
                    "from {:?} to {:?} is no part of a run of {:?}",
                    span(part.from),
                    span(to),
                    scenario.duration
                )
            })
        };
        parts.iter().map(window).collect()
    }

    /// Whether it can be measured in runs of `scenario`.
    ///
    /// # Errors
    /// What is missing there, and what there is.
    pub fn check(&self, scenario: &Scenario) -> Result<(), String> {
        self.windows(scenario)?;
        match &self.of {
            Of::Link(name) => link(scenario, name).map(drop),
            _ => self.flows(scenario).map(drop),
        }
    }

    /// When shares count as equal.
    pub fn equality(&self) -> Equality {
        Equality {
            tolerance: self.tolerance,
            bin: self.every,
            hold: self.hold,
        }
    }

    /// The places of the flows that it is about.
    ///
    /// # Errors
    /// There is none; there are others.
    pub fn flows(&self, scenario: &Scenario) -> Result<Vec<usize>, String> {
        let named = |names: &[String], flow: &FlowDecl| {
            names.iter().any(|name| match name.strip_suffix('*') {
                Some(begin) => flow.name.starts_with(begin),
                None => flow.name == *name,
            })
        };
        let meant = |flow: &FlowDecl| match &self.of {
            Of::Flows(names) => named(names, flow),
            _ => flow.is_under_test(),
        };
        let flows = scenario.flows.iter().enumerate();
        let places: Vec<usize> = flows
            .filter(|(_, flow)| meant(flow))
            .map(|(place, _)| place)
            .collect();
        let wanted = match &self.of {
            Of::Flows(names) => names.join(", "),
            _ => "under test".into(),
        };
        match places.is_empty() {
            false => Ok(places),
            true => Err(format!(
                "there is no flow {wanted}; there are {}",
                flow_names(scenario)
            )),
        }
    }
}

fn flow_names(scenario: &Scenario) -> String {
    let names: Vec<_> = scenario
        .flows
        .iter()
        .map(|flow| flow.name.as_str())
        .collect();
    names.join(", ")
}

/// The place of the link of this name.
///
/// # Errors
/// There is none; there are others.
pub fn link(scenario: &Scenario, name: &str) -> Result<usize, String> {
    let public = || scenario.links.iter().filter(|link| !link.private);
    let place = scenario
        .links
        .iter()
        .position(|link| !link.private && link.name == name);
    place.ok_or_else(|| {
        let known: Vec<_> = public().map(|link| link.name.as_str()).collect();
        format!("there is no link {name}; there are {}", known.join(", "))
    })
}

/// `queueing_delay.max`: a quantity, and what of its samples.
fn parse_name(name: &str) -> Result<(Quantity, Option<Reduction>), String> {
    let (quantity, reduction) = match name.split_once('.') {
        Some((quantity, reduction)) => (Quantity::parse(quantity)?, Some(reduction)),
        None => (Quantity::parse(name)?, None),
    };
    let reduction = match (reduction, quantity.shape()) {
        (None, Shape::Samples) => {
            return Err(format!(
                "`{name}` has many samples: add .mean or another of {REDUCTIONS}"
            ))
        }
        (Some(_), Shape::Number) => {
            return Err(format!(
                "`{name}` is one number: leave out what stands behind the point"
            ))
        }
        (None, _) => None,
        (Some(reduction), _) => Some(Reduction::parse(reduction).ok_or_else(|| {
            format!("`{reduction}` in `{name}` is no reduction; allowed are {REDUCTIONS}")
        })?),
    };
    let of_queue = matches!(
        reduction,
        Some(Reduction::Mean | Reduction::Sd | Reduction::Max)
    );
    if quantity == Quantity::Queue && !of_queue {
        return Err("of queues the mean, sd and max are known".into());
    }
    Ok((quantity, reduction))
}

fn subject(given: &file::Measure, quantity: Quantity, name: &str) -> Result<Of, String> {
    let of = match (&given.flow, &given.flows, &given.link) {
        (None, None, None) if quantity.subject() == Subject::Link => {
            return Err(format!("`{name}` belongs to a link: say which with `link`"))
        }
        (None, None, None) => Of::FlowsUnderTest,
        (Some(flow), None, None) => Of::Flows(vec![flow.clone()]),
        (None, Some(flows), None) => Of::Flows(flows.clone()),
        (None, None, Some(link)) => Of::Link(link.clone()),
        _ => return Err("`flow`, `flows` and `link` exclude each other".into()),
    };
    match (quantity.subject(), &of) {
        (Subject::Flows, Of::Link(_)) => Err(format!("`{name}` belongs to flows, not to a link")),
        (Subject::Link, Of::Flows(_)) => Err(format!("`{name}` belongs to a link, not to flows")),
        _ => Ok(of),
    }
}

fn parts(given: &file::Measure) -> Result<Vec<Part>, String> {
    let at = |span: &file::Text<file::Span>| Time::from(span.0 .0);
    let (from, to) = (given.from.as_ref().map(at), given.to.as_ref().map(at));
    match (&given.windows[..], from, to) {
        ([], None, None) => Ok(Vec::new()),
        ([], from, to) => Ok(vec![Part {
            from: from.unwrap_or(Time::ZERO),
            to,
        }]),
        (windows, None, None) => Ok(windows.iter().map(|window| window.0).collect()),
        _ => Err("give `windows`, or `from` and `to`".into()),
    }
}

impl std::str::FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no window; a window is as \"50s..100s\"");
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let at = |text: &str| quiche_cc_bottleneck::parse_duration(text.trim()).map(Time::from);
        let (from, to) = (at(from).map_err(|_| wrong())?, at(to).map_err(|_| wrong())?);
        match from < to {
            true => Ok(Self { from, to: Some(to) }),
            false => Err(wrong()),
        }
    }
}
