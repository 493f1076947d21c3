//! Claim sets and what their claims need, checked and ready to run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limit::Limit;
use super::metric::Metric;
use super::model::Model;
use super::terms::Terms;
use super::value::Unit;
use crate::plot::{Mark, Scale};
use crate::scenario::Scenario;

/// What a file claims: of a paper, or of our own.
#[derive(Debug)]
pub struct ClaimSet {
    /// Its file.
    pub file: PathBuf,
    /// What its claims' ids begin with.
    pub letter: char,
    /// Its title.
    pub title: String,
    /// Who wrote it; nobody if it is a list of our own.
    pub authors: Option<String>,
    /// The page with our reading of it.
    pub page: String,
    /// How it is reproduced, in Markdown.
    pub about: String,
    /// The runs that its claims are about.
    pub runs: Vec<Run>,
    /// Its claims.
    pub claims: Vec<Claim>,
}

/// A file whose runs are over recordings that were not given.
#[derive(Debug)]
pub struct Skipped {
    /// Its letter.
    pub letter: char,
    /// Its title.
    pub title: String,
}

/// What a file came to.
#[derive(Debug)]
pub enum Loaded {
    /// All is there.
    ClaimSet(ClaimSet),
    /// Its recordings are not.
    Skipped(Skipped),
}

/// Parameters with their values.
pub type Parameters = BTreeMap<String, String>;

/// A scenario with a controller, with several seeds and values of parameters.
#[derive(Debug)]
pub struct Run {
    /// Its name within the claim set.
    pub name: String,
    /// The scenario's file as the claim set's file names it.
    pub file: String,
    /// Every combination of its parameters' values.
    pub variants: Vec<Variant>,
    /// How many seeds, from 1 on.
    pub seeds: usize,
    /// What is measured in all of these.
    pub metrics: Vec<Metric>,
    /// What is drawn of the first seed.
    pub curves: Vec<Curve>,
}

/// A run with values for its parameters.
#[derive(Debug)]
pub struct Variant {
    /// These values.
    pub parameters: Parameters,
    /// The controller under test.
    pub cc: String,
    /// What is run.
    pub scenario: Scenario,
    /// See [`Plan::text`](crate::sweep::Plan::text).
    pub text: String,
}

/// A series of points from one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Of what.
    pub metric: Metric,
    /// In bins of this width; the distribution of its samples if `None`.
    pub every: Option<Duration>,
}

/// A claim.
#[derive(Debug)]
pub struct Claim {
    /// Its id.
    pub id: String,
    /// One line.
    pub title: String,
    /// Where it stands, such as a figure of a paper.
    pub source: String,
    /// What is claimed, in our words.
    pub says: String,
    /// What there is to say about our result.
    pub note: String,
    /// What has to hold.
    pub checks: Vec<Check>,
    /// What is drawn.
    pub figures: Vec<Figure>,
}

/// Something that has to hold.
#[derive(Debug)]
pub struct Check {
    /// In words.
    pub what: String,
    /// What is measured.
    pub measure: Source,
    /// What it has to keep to.
    pub relation: Relation,
    /// For which share of the seeds it has to hold.
    pub share: f64,
    /// At which share of its points.
    pub points: f64,
    /// The paper's own number, or what a list of our own expects.
    pub paper: Option<String>,
    /// Why it is known not to hold.
    pub deviates: Option<String>,
    /// How far it may be off then.
    pub limit: Option<Limit>,
}

/// What a measurement has to keep to.
#[derive(Debug)]
pub struct Relation {
    /// In numbers.
    pub terms: Terms,
    /// What it is compared with, unless it is held against fixed numbers.
    pub other: Option<Source>,
}

/// Where a number comes from.
#[derive(Debug)]
pub struct Source {
    /// The number.
    pub origin: Origin,
    /// The run by whose variants it goes, if any.
    pub run: Option<usize>,
    /// Of the run's variants, only those with these values.
    pub only: Parameters,
    /// What it counts.
    pub unit: Unit,
    /// What it means if there is no number.
    pub absent: &'static str,
}

/// A metric or a formula.
#[derive(Debug)]
pub enum Origin {
    /// The place in [`Run::metrics`].
    Metric(usize),
    /// A formula with its arguments.
    Model(&'static Model, Vec<Term>),
}

/// An argument.
#[derive(Debug)]
pub enum Term {
    /// A number in base units.
    Constant(f64),
    /// The value of a parameter of the run, in this unit.
    Parameter(String, Unit),
    /// A measurement.
    Measured(Box<Source>),
    /// Where on the horizontal axis.
    Free,
}

/// A figure.
#[derive(Debug)]
pub struct Figure {
    /// Its file name, without ending.
    pub id: String,
    /// One line.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Horizontal lines: name and place in base units.
    pub levels: Vec<(String, f64)>,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// An axis, in base units.
#[derive(Debug)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// What it counts.
    pub unit: Unit,
    /// Where it begins.
    pub from: Option<f64>,
    /// Where it ends.
    pub to: Option<f64>,
    /// See [`Scale`].
    pub scale: Scale,
}

/// What is drawn in a figure.
#[derive(Debug)]
pub struct Series {
    /// Its name.
    pub label: String,
    /// How.
    pub mark: Mark,
    /// From what.
    pub data: Data,
}

/// What a series shows.
#[derive(Debug)]
pub enum Data {
    /// A curve of the first seed of a run's variant: places in [`ClaimSet::runs`], [`Run::variants`] and [`Run::curves`].
    Curve {
        /// The run.
        run: usize,
        /// Its variant.
        variant: usize,
        /// Its curve.
        curve: usize,
    },
    /// A point per variant and seed.
    Points(Term, Source),
    /// A point per variant: the medians of the seeds.
    Medians(Term, Source),
    /// A formula along the horizontal axis, whose ends are known.
    Formula(Source),
    /// The median over a name.
    Bar(String, Source),
}

impl Run {
    /// The variants that have all these values.
    pub fn matching<'a>(&'a self, only: &'a Parameters) -> impl Iterator<Item = usize> + 'a {
        let agrees = move |variant: &Variant| {
            only.iter()
                .all(|(key, value)| variant.parameters.get(key) == Some(value))
        };
        let variants = self.variants.iter().enumerate();
        variants
            .filter(move |(_, variant)| agrees(variant))
            .map(|(place, _)| place)
    }

    /// The places of a source in this run: its variants, and how many windows each has.
    pub fn points(&self, source: &Source) -> (Vec<usize>, usize) {
        let windows = match &source.origin {
            Origin::Metric(metric) => self.metrics[*metric].parts.len().max(1),
            Origin::Model(..) => 1,
        };
        (self.matching(&source.only).collect(), windows)
    }

    /// The variant that agrees with `only`, and with `parameters` where both have the same.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn counterpart(&self, only: &Parameters, parameters: &Parameters) -> Result<usize, String> {
        let agrees = |place: &usize| {
            let own = &self.variants[*place].parameters;
            own.iter().all(|(key, value)| {
                only.contains_key(key) || parameters.get(key).is_none_or(|other| other == value)
            })
        };
        let found: Vec<usize> = self.matching(only).filter(agrees).collect();
        match found[..] {
            [place] => Ok(place),
            [] => Err(format!(
                "no variant of the run `{}` fits {parameters:?} and {only:?}",
                self.name
            )),
            _ => Err(format!(
                "{} variants of the run `{}` fit {parameters:?}; `where` has to say which",
                found.len(),
                self.name
            )),
        }
    }
}
