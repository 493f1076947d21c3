//! How far a check may be off that is known not to hold: the same check with weaker numbers, and at so many points.

use toml::Spanned;

use super::bound::Bound;
use super::file;
use super::resolve::{At, Checked};
use super::sources::amount;
use super::terms::{Allowance, Terms};
use super::value::{Unit, Value};

/// How far a check may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// What a measurement has to keep to where the check fails, both ends included.
    pub terms: Terms,
    /// For which share of the seeds.
    pub share: f64,
    /// At how many points the check may fail.
    pub points: usize,
}

/// The check that a limit belongs to.
#[derive(Debug, Clone, Copy)]
pub struct Limited {
    /// Its own numbers.
    pub terms: Terms,
    /// For which share of the seeds it has to hold.
    pub share: f64,
    /// How many points it has.
    pub points: usize,
    /// What it measures.
    pub unit: Unit,
}

/// What a limit of a check may state.
const BOUND: &str = "`bound`, `points` and `seeds`";
const COMPARISON: &str = "`factor`, `plus`, `points` and `seeds`";
const NEAR: &str = "`within`, `points` and `seeds`";

impl Limit {
    /// The limit that a file gives to a check.
    ///
    /// # Errors
    /// What is wrong, and what is allowed.
    pub fn resolve(given: &Spanned<file::Limit>, check: Limited) -> Checked<Self> {
        let limit = given.get_ref();
        let terms = terms(given, check)?;
        let points = match &limit.points {
            Some(text) => points(text.get_ref(), check.points).at(text)?,
            None => check.points,
        };
        let share = match &limit.seeds {
            Some(share) => share.get_ref().0.value(),
            None => check.share,
        };
        if share > check.share {
            let message = "`limit.seeds` is more than what the check asks for; allowed is less";
            return Err(message).at(given);
        }
        let found = Self {
            terms,
            share,
            points,
        };
        if terms == check.terms && share == check.share {
            let message = format!(
                "`limit` does not say how far the check may be off; allowed are {}",
                allowed(check.terms)
            );
            return Err(message).at(given);
        }
        found.is_weaker(check).at(given)?;
        Ok(found)
    }

    /// Whether `amount` keeps to it, with this `other` side.
    pub fn holds(self, amount: f64, other: Option<f64>) -> bool {
        let ends = self.terms.ends(other);
        ends.is_some_and(|(low, high)| (low..=high).contains(&amount))
    }

    fn is_weaker(self, check: Limited) -> Result<(), String> {
        let other = Some(1.0);
        let (Some(own), Some(limit)) = (check.terms.ends(other), self.terms.ends(other)) else {
            return Ok(());
        };
        // Texts have fewer digits than what `+-` and factors come to.
        let slack = |end: f64| {
            if end.is_finite() {
                1e-6 * end.abs()
            } else {
                0.0
            }
        };
        match limit.0 <= own.0 + slack(own.0) && limit.1 >= own.1 - slack(own.1) {
            true => Ok(()),
            false => Err(
                "`limit` is stricter than the check itself; allowed is what the check keeps to, and more"
                    .into(),
            ),
        }
    }
}

/// What the limit of a check with such terms may state.
fn allowed(terms: Terms) -> &'static str {
    match terms {
        Terms::Bound(_) => BOUND,
        Terms::LessThan(_) | Terms::GreaterThan(_) => COMPARISON,
        Terms::Near(_) => NEAR,
    }
}

fn terms(given: &Spanned<file::Limit>, check: Limited) -> Checked<Terms> {
    let limit = given.get_ref();
    let comparison = limit.factor.is_some() || limit.plus.is_some();
    let fits = match check.terms {
        Terms::Bound(_) => !comparison && limit.within.is_none(),
        Terms::LessThan(_) | Terms::GreaterThan(_) => {
            limit.bound.is_none() && limit.within.is_none()
        }
        Terms::Near(_) => !comparison && limit.bound.is_none(),
    };
    if !fits {
        let message = format!(
            "`limit` does not fit the check; allowed here are {}",
            allowed(check.terms)
        );
        return Err(message).at(given);
    }
    match check.terms {
        Terms::Bound(own) => match &limit.bound {
            Some(text) => Bound::parse(text.get_ref(), check.unit)
                .map_err(|error| format!("`limit.bound`: {error}"))
                .at(text)
                .map(Terms::Bound),
            None => Ok(Terms::Bound(own)),
        },
        Terms::LessThan(own) => allowance(limit, own, check.unit).map(Terms::LessThan),
        Terms::GreaterThan(own) => allowance(limit, own, check.unit).map(Terms::GreaterThan),
        Terms::Near(own) => match &limit.within {
            Some(text) => within(text.get_ref()).at(text).map(Terms::Near),
            None => Ok(Terms::Near(own)),
        },
    }
}

fn allowance(limit: &file::Limit, own: Allowance, unit: Unit) -> Checked<Allowance> {
    let factor = limit.factor.as_ref().map(|factor| *factor.get_ref());
    let plus = limit.plus.as_ref().map(|text| {
        let found = amount(text.get_ref(), Some(unit));
        found
            .map_err(|error| format!("`limit.plus`: {error}"))
            .at(text)
    });
    Ok(Allowance {
        factor: factor.unwrap_or(own.factor),
        plus: plus.transpose()?.map_or(own.plus, |(amount, _)| amount),
    })
}

/// A share that may be above 100 %.
fn within(text: &str) -> Result<f64, String> {
    match Value::parse(text) {
        Some(Value {
            amount,
            unit: Unit::Share,
        }) if amount >= 0.0 => Ok(amount),
        _ => Err(format!(
            "`limit.within`: `{text}` is no share; allowed is such as \"25%\" or \"140%\""
        )),
    }
}

/// `2 of 24`, if the check has so many points.
fn points(text: &str, all: usize) -> Result<usize, String> {
    let numbers: Option<(usize, usize)> = text
        .split_once(" of ")
        .and_then(|(some, all)| Some((some.trim().parse().ok()?, all.trim().parse().ok()?)));
    match numbers {
        Some((some, total)) if total == all && (1..=all).contains(&some) => Ok(some),
        _ => Err(format!(
            "`limit.points`: `{text}` is not allowed; the check has {all} points, so allowed are \"1 of {all}\" to \"{all} of {all}\""
        )),
    }
}
