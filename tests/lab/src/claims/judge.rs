//! Whether claims hold: statuses come from numbers alone.

use std::fmt;

use super::claim_set::{Check, Claim, Origin, Parameters, Source};
use super::finding::Finding;
use super::limit::Limit;
use super::results::{Point, Results};
use super::terms::Terms;

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

/// How many of all hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// So many hold.
    pub hold: usize,
    /// Of so many.
    pub of: usize,
}

impl Tally {
    /// From whether each holds.
    pub fn of(each: impl Iterator<Item = bool>) -> Self {
        each.fold(Self::default(), |sum, holds| Self {
            hold: sum.hold + usize::from(holds),
            of: sum.of + 1,
        })
    }
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            hold: self.hold + other.hold,
            of: self.of + other.of,
        }
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), std::ops::Add::add)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.hold, self.of)
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
    /// Whether they keep to it with margin.
    pub clearly: bool,
    /// Whether they keep to the limit of a check that is known not to hold.
    pub within_limit: bool,
}

/// What one run gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// In base units; `None` if there was nothing to measure.
    pub amount: Option<f64>,
    /// What it was compared with, if that was measured, too.
    pub other: Option<f64>,
    /// Whether it keeps to the bound.
    pub holds: bool,
}

impl CheckVerdict<'_> {
    /// Whether it holds at enough of its points.
    pub fn holds(&self) -> bool {
        enough(&self.points, self.check.points, |point| point.holds)
    }

    /// At how many of its points it holds.
    pub fn tally(&self) -> Tally {
        Tally::of(self.points.iter().map(|point| point.holds))
    }

    /// At how many of its points it may fail.
    pub fn spare(&self) -> usize {
        let all = self.points.len() as f64;
        (all - (self.check.points * all - 1e-9).ceil()) as usize
    }

    /// The points by how far they are off, the nearest first, without those at which the check may fail.
    pub fn counted(&self) -> Vec<&PointVerdict> {
        let terms = self.check.relation.terms;
        let mut points: Vec<&PointVerdict> = self.points.iter().collect();
        points.sort_by(|one, other| {
            let order = other.holds.cmp(&one.holds);
            order.then(one.excess(terms).total_cmp(&other.excess(terms)))
        });
        points.truncate(self.points.len() - self.spare());
        points
    }

    /// The points at which it does not.
    pub fn failing(&self) -> impl Iterator<Item = &PointVerdict> {
        self.points.iter().filter(|point| !point.holds)
    }

    /// What became of it, beside what its file says.
    pub fn finding(&self) -> Finding {
        let within = |limit: Limit| {
            let beyond = self.failing().filter(|point| !point.within_limit);
            self.failing().count() <= limit.points && beyond.count() <= self.spare()
        };
        match (self.holds(), &self.check.deviates, self.check.limit) {
            (true, None, _) => Finding::Holds,
            (false, None, _) => Finding::Fails,
            (true, Some(_), _) if enough(&self.points, self.check.points, |at| at.clearly) => {
                Finding::HoldsNow
            }
            (true, Some(_), _) => Finding::HoldsBarely,
            (false, Some(_), None) => Finding::NoLimit,
            (false, Some(_), Some(limit)) if within(limit) => Finding::WithinLimit,
            (false, Some(_), Some(_)) => Finding::BeyondLimit,
        }
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
        self.checks
            .iter()
            .all(|verdict| verdict.finding().as_expected())
    }

    /// How many of its checks hold.
    pub fn checks(&self) -> Tally {
        Tally::of(self.checks.iter().map(CheckVerdict::holds))
    }

    /// At how many points its checks hold.
    pub fn points(&self) -> Tally {
        self.checks.iter().map(CheckVerdict::tally).sum()
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
            points.push(PointVerdict {
                window: window_name(&check.measure, results, window),
                holds: enough(&found, check.share, |seed| seed.holds),
                clearly: enough(&found, check.share, |seed| is_clear(check, seed)),
                within_limit: keep_to_limit(check, &found),
                parameters: parameters.clone(),
                seeds: found,
            });
        }
    }
    CheckVerdict { check, points }
}

impl PointVerdict {
    /// How far the worst seed is beyond the end that it should keep to, as a share of that; below zero within it.
    pub fn excess(&self, terms: Terms) -> f64 {
        let of = |seed: &Measurement| match (seed.amount, terms.ends(seed.other)) {
            (Some(amount), Some((low, high))) => {
                let share = |beyond: f64, end: f64| match end.is_finite() {
                    true => beyond / end.abs().max(f64::MIN_POSITIVE),
                    false => f64::NEG_INFINITY,
                };
                share(low - amount, low).max(share(amount - high, high))
            }
            _ => f64::INFINITY,
        };
        self.seeds.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Whether this share of all does.
fn enough<T>(all: &[T], share: f64, does: impl Fn(&T) -> bool) -> bool {
    let count = all.iter().filter(|one| does(one)).count();
    count as f64 >= share * all.len() as f64 - 1e-9
}

/// A check holds with margin if it would with bounds that are stricter by this share of them.
const MARGIN: f64 = 0.01;

fn is_clear(check: &Check, seed: &Measurement) -> bool {
    let ends = check.relation.terms.ends(seed.other);
    let (Some(amount), Some((low, high))) = (seed.amount, ends) else {
        return false;
    };
    let enough = |distance: f64, end: f64| !end.is_finite() || distance >= MARGIN * end.abs();
    let inside = enough(amount - low, low) && enough(high - amount, high);
    seed.holds && (inside || low == high)
}

fn keep_to_limit(check: &Check, seeds: &[Measurement]) -> bool {
    let Some(limit) = check.limit else {
        return false;
    };
    let keeps = |seed: &Measurement| {
        let holds = |amount| limit.holds(amount, seed.other);
        seed.amount.is_some_and(holds)
    };
    enough(seeds, limit.share, keeps)
}

fn measurement(check: &Check, results: &Results<'_>, at: Point<'_>) -> Measurement {
    let amount = results.number(&check.measure, at);
    let relation = &check.relation;
    let other = relation.other.as_ref();
    let other = other.and_then(|other| results.number(other, at));
    let holds = amount.is_some_and(|amount| relation.terms.hold(amount, other));
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
    let parts = &results.set.runs[source.run?].metrics[*metric].parts;
    let part = parts.get(window).filter(|_| parts.len() > 1)?;
    let to = part.to.map(|to| format!("{}", to.as_secs_f64()));
    Some(format!(
        "{} to {} s",
        part.from.as_secs_f64(),
        to.unwrap_or_else(|| "end".into())
    ))
}

/// The median of sorted numbers; the lower one of two in the middle.
pub fn median(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
