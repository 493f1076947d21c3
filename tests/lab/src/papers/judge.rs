//! Whether claims hold: statuses come from numbers alone.

use super::paper::{Check, Claim, Origin, Parameters, Relation, Source};
use super::results::{Point, Results};

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All checks hold.
    Reproduced,
    /// At least one does not.
    Deviates,
}

impl Status {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Deviates => "deviates",
        }
    }
}

/// A claim with its numbers.
#[derive(Debug)]
pub struct Verdict<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// Its checks, in order.
    pub checks: Vec<CheckVerdict<'a>>,
}

/// A check with its numbers.
#[derive(Debug)]
pub struct CheckVerdict<'a> {
    /// The check.
    pub check: &'a Check,
    /// What was found at each variant and window.
    pub points: Vec<PointVerdict>,
}

/// What was found at one variant and window.
#[derive(Debug)]
pub struct PointVerdict {
    /// The variant's parameters.
    pub parameters: Parameters,
    /// The window, if there are several.
    pub window: Option<String>,
    /// Every seed.
    pub seeds: Vec<Measurement>,
    /// Whether enough of them keep to the bound.
    pub holds: bool,
}

/// What one run gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// In base units; `None` if there was nothing to measure.
    pub amount: Option<f64>,
    /// What it was compared with, if that was measured, too, with its factor and what is added.
    pub other: Option<f64>,
    /// Whether it keeps to the bound.
    pub holds: bool,
}

impl CheckVerdict<'_> {
    /// Whether it holds at every point.
    pub fn holds(&self) -> bool {
        self.points.iter().all(|point| point.holds)
    }

    /// Whether that is what the paper's file says.
    pub fn as_expected(&self) -> bool {
        self.holds() == self.check.deviates.is_none()
    }
}

impl Verdict<'_> {
    /// What became of it.
    pub fn status(&self) -> Status {
        match self.checks.iter().all(CheckVerdict::holds) {
            true => Status::Reproduced,
            false => Status::Deviates,
        }
    }

    /// What its file says.
    pub fn expected(&self) -> Status {
        match self
            .checks
            .iter()
            .all(|verdict| verdict.check.deviates.is_none())
        {
            true => Status::Reproduced,
            false => Status::Deviates,
        }
    }

    /// Whether every check does what its file says.
    pub fn as_expected(&self) -> bool {
        self.checks.iter().all(CheckVerdict::as_expected)
    }
}

/// Judges a claim.
pub fn judge<'a>(claim: &'a Claim, results: &Results<'_>) -> Verdict<'a> {
    let checks = claim.checks.iter().map(|check| judge_check(check, results));
    Verdict {
        claim,
        checks: checks.collect(),
    }
}

fn judge_check<'a>(check: &'a Check, results: &Results<'_>) -> CheckVerdict<'a> {
    let (variants, seeds, windows) = results.extent(&check.measure);
    let mut points = Vec::new();
    for parameters in variants {
        for window in 0..windows {
            let measure = |seed| {
                let at = Point {
                    parameters: &parameters,
                    seed,
                    window,
                };
                measurement(check, results, at)
            };
            let found: Vec<Measurement> = (0..seeds).map(measure).collect();
            let holding = found.iter().filter(|found| found.holds).count();
            points.push(PointVerdict {
                window: window_name(&check.measure, results, window),
                holds: holding as f64 >= check.share * seeds as f64 - 1e-9,
                parameters: parameters.clone(),
                seeds: found,
            });
        }
    }
    CheckVerdict { check, points }
}

fn measurement(check: &Check, results: &Results<'_>, at: Point<'_>) -> Measurement {
    let amount = results.number(&check.measure, at);
    let other = match &check.relation {
        Relation::Bound(_) => None,
        Relation::LessThan(other, allowance) | Relation::GreaterThan(other, allowance) => {
            results.number(other, at).map(|number| allowance.of(number))
        }
        Relation::Near(other, _) => results.number(other, at),
    };
    let holds = match (&check.relation, amount, other) {
        (Relation::Bound(bound), Some(amount), _) => bound.holds(amount),
        (Relation::LessThan(..), Some(amount), Some(other)) => amount < other,
        (Relation::GreaterThan(..), Some(amount), Some(other)) => amount > other,
        (Relation::Near(_, within), Some(amount), Some(other)) => {
            (amount - other).abs() <= within * other.abs()
        }
        _ => false,
    };
    Measurement {
        amount,
        other,
        holds,
    }
}

fn window_name(source: &Source, results: &Results<'_>, window: usize) -> Option<String> {
    let Origin::Metric(metric) = &source.origin else {
        return None;
    };
    let parts = &results.paper.runs[source.run?].metrics[*metric].parts;
    let part = parts.get(window).filter(|_| parts.len() > 1)?;
    let to = part.to.map(|to| format!("{}", to.as_secs_f64()));
    Some(format!(
        "{} to {} s",
        part.from.as_secs_f64(),
        to.unwrap_or_else(|| "end".into())
    ))
}

/// Amounts of several runs for people: the median, and from the smallest to the largest.
pub fn show(amounts: &[Option<f64>], source: &Source) -> String {
    let mut known: Vec<f64> = amounts.iter().flatten().copied().collect();
    known.sort_by(f64::total_cmp);
    let Some(middle) = median(&known) else {
        return source.absent.into();
    };
    let [low, middle, high] =
        [known[0], middle, known[known.len() - 1]].map(|amount| source.unit.show(amount));
    let missing = amounts.len() - known.len();
    let range = if low == high {
        middle
    } else {
        format!("{middle} ({low} to {high})")
    };
    match missing {
        0 => range,
        missing => format!(
            "{range}; {} in {missing} of {}",
            source.absent,
            amounts.len()
        ),
    }
}

/// The median of sorted numbers; the lower one of two in the middle.
pub fn median(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
