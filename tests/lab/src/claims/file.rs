//! The format of claim sets. What their fields mean stands in docs/claims.md.

use std::collections::BTreeMap;
use std::fmt;

use quiche_cc_bottleneck::Probability;
use serde::de::{
    self, value::MapAccessDeserializer, Deserialize, Deserializer, MapAccess, Visitor,
};
use toml::Spanned;

use super::metric::Part;
pub(crate) use crate::scenario::{Span, Text};

/// A claim set with its runs.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub claim_set: ClaimSet,
    #[serde(default)]
    pub run: BTreeMap<String, Spanned<Run>>,
    #[serde(default)]
    pub claim: Vec<Spanned<Claim>>,
}

/// `[claim_set]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimSet {
    /// What its claims' ids begin with.
    pub letter: Spanned<char>,
    pub title: String,
    /// Nobody for a list of our own.
    pub authors: Option<String>,
    /// Whether its runs are over recordings that do not come with it: `{recordings}` in `set` is their directory.
    #[serde(default)]
    pub recordings: bool,
    /// The page with our reading of it.
    pub page: String,
    /// How it is reproduced, in Markdown.
    #[serde(default)]
    pub about: String,
}

/// `[run.NAME]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub scenario: Spanned<String>,
    pub cc: Spanned<String>,
    /// Seeds 1 to this.
    #[serde(default = "one")]
    pub seeds: Spanned<u64>,
    /// Overrides of the scenario.
    #[serde(default)]
    pub set: BTreeMap<String, Setting>,
    /// Parameters that take several values, as `{NAME}` in `cc` and `set`.
    #[serde(default)]
    pub vary: BTreeMap<String, Spanned<Vec<Setting>>>,
    /// How many paths are drawn.
    pub paths: Option<Spanned<u64>>,
    /// What is drawn for each of them: parameters, as those of `vary`.
    #[serde(default)]
    pub draw: BTreeMap<String, Spanned<Choice>>,
}

/// What a parameter is drawn from.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub enum Choice {
    /// `LOW..HIGH`
    Range(String),
    /// One of these.
    List(Vec<Setting>),
}

fn one() -> Spanned<u64> {
    Spanned::new(0..0, 1)
}

/// A value as text, whatever it is written as.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting(pub String);

impl<'de> Deserialize<'de> for Setting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Argument::deserialize(deserializer)? {
            Argument::Value(text) => Ok(Self(text)),
            Argument::Measure(_) => Err(de::Error::custom(
                "a value such as \"100ms\" or 3 is allowed here",
            )),
        }
    }
}

/// `[[claim]]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub id: Spanned<String>,
    pub title: String,
    /// Where it stands.
    pub source: String,
    /// What is claimed, in our words.
    pub says: String,
    /// What there is to say about our result, in Markdown.
    #[serde(default)]
    pub note: String,
    #[serde(default)]
    pub check: Vec<Spanned<Check>>,
    #[serde(default)]
    pub figure: Vec<Spanned<Figure>>,
}

/// `[[claim.check]]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub what: String,
    pub measure: Spanned<Measure>,
    pub bound: Option<Spanned<String>>,
    pub less_than: Option<Spanned<Measure>>,
    pub greater_than: Option<Spanned<Measure>>,
    /// The other side of `less_than` and `greater_than` is multiplied with it.
    pub factor: Option<Spanned<f64>>,
    /// And this is added to it.
    pub plus: Option<Spanned<String>>,
    pub equals: Option<Spanned<Measure>>,
    /// By how much `equals` may differ.
    pub within: Option<Spanned<Text<Probability>>>,
    /// The share of the seeds for which it has to hold; all if not given.
    pub seeds: Option<Text<Probability>>,
    /// The share of its points at which it has to hold; all if not given.
    pub points: Option<Text<Probability>>,
    /// The paper's own number, or what a list of our own expects, to stand beside what is measured.
    #[serde(alias = "expects")]
    pub paper: Option<String>,
    /// Why it does not hold, if that is known.
    pub deviates: Option<Spanned<String>>,
    /// How far it may be off then.
    pub limit: Option<Spanned<Limit>>,
}

/// How far a check may be off that is known not to hold: its own keys with weaker values.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub bound: Option<Spanned<String>>,
    pub factor: Option<Spanned<f64>>,
    pub plus: Option<Spanned<String>>,
    pub within: Option<Spanned<String>>,
    /// At how many of the check's points it may fail, `2 of 24`; at all if not given.
    pub points: Option<Spanned<String>>,
    /// The share of the seeds that have to keep to it; as the check says if not given.
    pub seeds: Option<Spanned<Text<Probability>>>,
}

/// What is measured.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    pub run: Option<String>,
    /// Of the run's variations, only those.
    #[serde(rename = "where", default)]
    pub only: BTreeMap<String, Setting>,
    pub metric: Option<String>,
    pub flow: Option<String>,
    pub flows: Option<Vec<String>>,
    pub link: Option<String>,
    pub from: Option<Text<Span>>,
    pub to: Option<Text<Span>>,
    #[serde(default)]
    pub windows: Vec<Text<Part>>,
    pub every: Option<Text<Span>>,
    pub tolerance: Option<Text<Probability>>,
    pub hold: Option<Text<Span>>,
    /// A formula instead of a metric.
    pub model: Option<String>,
    /// The formula's arguments.
    #[serde(rename = "with", default)]
    pub arguments: BTreeMap<String, Argument>,
}

/// A value, or something measured.
#[derive(Debug, Clone)]
pub enum Argument {
    Value(String),
    Measure(Box<Measure>),
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FromAny;
        impl<'de> Visitor<'de> for FromAny {
            type Value = Argument;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value such as \"100ms\", or a table that says what to measure")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Argument, E> {
                Ok(Argument::Value(text.to_owned()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Argument, E> {
                Ok(Argument::Value(number.to_string()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Argument, E> {
                Ok(Argument::Value(number.to_string()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Argument, A::Error> {
                let measure = Measure::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Argument::Measure(Box::new(measure)))
            }
        }
        deserializer.deserialize_any(FromAny)
    }
}

/// `[[claim.figure]]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its file name, without ending.
    pub id: Spanned<String>,
    pub title: String,
    #[serde(default)]
    pub x: Axis,
    #[serde(default)]
    pub y: Axis,
    #[serde(default)]
    pub levels: Vec<Level>,
    #[serde(default)]
    pub series: Vec<Spanned<Series>>,
}

/// An axis. Its unit is that of what is drawn.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    pub label: Option<String>,
    pub from: Option<Spanned<String>>,
    pub to: Option<Spanned<String>>,
    #[serde(default)]
    pub log: bool,
}

/// A horizontal line.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    pub label: String,
    pub at: Spanned<String>,
}

/// `[[claim.figure.series]]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    pub label: String,
    pub draw: Draw,
    pub measure: Spanned<Measure>,
    /// Of `over_time`: the width of bins.
    pub every: Option<Spanned<Text<Span>>>,
    /// Of `points`, `line` and `dashed`: where on the horizontal axis; `{NAME}` is a parameter of the run.
    pub x: Option<Argument>,
    /// Of `curve`: the formula's argument that the horizontal axis shows.
    pub along: Option<String>,
    /// Of `bars`: the name under the bar.
    pub name: Option<String>,
}

/// How a series comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Draw {
    /// The measure in bins of time, first seed.
    OverTime,
    /// The distribution of the measure's samples, first seed.
    Distribution,
    /// A point per variation of the run and seed.
    Points,
    /// The medians of the seeds, joined.
    Line,
    /// The same, dashed.
    Dashed,
    /// A formula along one of its arguments, from one end of the axis to the other; dashed.
    Curve,
    /// The median of the seeds, as a bar over `name`.
    Bars,
}
