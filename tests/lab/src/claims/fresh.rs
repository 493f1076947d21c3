//! The limit that a run of today would give to a check that does not hold.
//!
//! It leaves room for other seeds and small changes: amounts that are too large may be a tenth larger, ones that are too small a
//! twentieth smaller, and one more point may fail, or where some seeds give no number, one more seed.

use std::fmt;

use super::bound::Bound;
use super::judge::{CheckVerdict, Measurement, PointVerdict};
use super::terms::{Allowance, Terms};
use super::value::Unit;

/// By which share an amount may grow that is too large already.
const ROOM_ABOVE: f64 = 0.1;
/// By which share an amount may shrink that is too small already.
const ROOM_BELOW: f64 = 0.05;
/// A limit that leaves so many times the room is loose.
const LOOSE: f64 = 3.0;

/// A limit as a file states it.
#[derive(Debug, Default, PartialEq)]
pub struct Given(Vec<(&'static str, String)>);

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        write!(f, "{{ {} }}", parts.join(", "))
    }
}

/// Something measured that does not keep to the check: the amount, what it is compared with, and between which ends it should be.
#[derive(Clone, Copy)]
struct Miss {
    amount: f64,
    other: Option<f64>,
    high: f64,
}

impl Miss {
    fn of(seed: &Measurement, terms: Terms) -> Option<Self> {
        let (_, high) = terms.ends(seed.other)?;
        (!seed.holds).then_some(Self {
            amount: seed.amount?,
            other: seed.other,
            high,
        })
    }

    fn is_above(self) -> bool {
        self.amount >= self.high
    }

    /// With so many times the room.
    fn worse(self, times: f64) -> f64 {
        match self.is_above() {
            true => self.amount + times * ROOM_ABOVE * self.amount.abs(),
            false => self.amount - times * ROOM_BELOW * self.amount.abs(),
        }
    }
}

/// Whether the limit of a check that does not hold leaves much more room than a fresh one.
pub fn is_loose(verdict: &CheckVerdict<'_>) -> bool {
    let Some(limit) = verdict.check.limit else {
        return false;
    };
    let terms = verdict.check.relation.terms;
    let seeds = off(verdict).flat_map(|point| &point.seeds);
    // Of nothing no share is anything.
    let mut misses = seeds
        .filter_map(|seed| Miss::of(seed, terms))
        .filter(|miss| miss.amount != 0.0)
        .peekable();
    let far = limit.share == verdict.check.share
        && misses.peek().is_some()
        && misses.all(|miss| limit.holds(miss.worse(LOOSE), miss.other));
    far || limit.points < verdict.points.len()
        && limit.points > verdict.failing().count() + LOOSE as usize
}

/// The points at which it should hold, and does not.
fn off<'a>(verdict: &'a CheckVerdict<'_>) -> impl Iterator<Item = &'a PointVerdict> {
    verdict.counted().into_iter().filter(|point| !point.holds)
}

/// The limit of today.
pub fn limit(verdict: &CheckVerdict<'_>) -> Given {
    let check = verdict.check;
    let terms = check.relation.terms;
    let share = share(verdict);
    let asked = share.unwrap_or(check.share);
    let misses: Vec<Miss> = off(verdict)
        .flat_map(|point| needed(point, asked, terms))
        .collect();
    let mut given = Given::default();
    if !misses.is_empty() {
        let number = match terms {
            Terms::Bound(bound) => (
                "bound",
                quoted(&widened(bound, &misses, check.measure.unit)),
            ),
            Terms::LessThan(own) | Terms::GreaterThan(own) => {
                allowance(own, &misses, check.measure.unit)
            }
            Terms::Near(_) => ("within", quoted(&within(&misses))),
        };
        given.0.push(number);
    }
    let all = verdict.points.len();
    let points = verdict.failing().count() + 1;
    if points < all && verdict.spare() == 0 {
        given
            .0
            .push(("points", quoted(&format!("{points} of {all}"))));
    }
    if let Some(share) = share {
        given
            .0
            .push(("seeds", quoted(&Unit::Share.write(share, false))));
    }
    given
}

/// The share of the seeds that can be asked for, if it is less than what the check asks for: some give no number.
fn share(verdict: &CheckVerdict<'_>) -> Option<f64> {
    let of = |point: &PointVerdict| {
        let known = point.seeds.iter().filter(|seed| seed.amount.is_some());
        let known = known.count() as f64;
        let all = point.seeds.len() as f64;
        (known < verdict.check.share * all - 1e-9).then_some(((known - 1.0) / all).max(0.0))
    };
    off(verdict).filter_map(of).min_by(f64::total_cmp)
}

/// What is off among the seeds that make up this share of all, the nearest ones first.
fn needed(point: &PointVerdict, share: f64, terms: Terms) -> Vec<Miss> {
    let count = (share * point.seeds.len() as f64 - 1e-9).ceil().max(0.0) as usize;
    let holding = point.seeds.iter().filter(|seed| seed.holds).count();
    let mut misses: Vec<Miss> = point
        .seeds
        .iter()
        .filter_map(|seed| Miss::of(seed, terms))
        .collect();
    let distance = |miss: &Miss| match terms.ends(miss.other) {
        Some((low, high)) => (low - miss.amount).max(miss.amount - high),
        None => f64::INFINITY,
    };
    misses.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
    misses.truncate(count.saturating_sub(holding));
    misses
}

fn widened(own: Bound, misses: &[Miss], unit: Unit) -> String {
    let (low, high) = own.ends();
    let least = misses
        .iter()
        .map(|miss| miss.worse(1.0))
        .fold(low, f64::min);
    let most = misses
        .iter()
        .map(|miss| miss.worse(1.0))
        .fold(high, f64::max);
    let least = || unit.write(least, false);
    let most = || unit.write(most, true);
    match (low.is_finite(), high.is_finite()) {
        (false, _) => format!("<= {}", most()),
        (_, false) => format!(">= {}", least()),
        _ => format!("{}..{}", least(), most()),
    }
}

/// Another factor or another value that is added, whichever allows less in total.
fn allowance(own: Allowance, misses: &[Miss], unit: Unit) -> (&'static str, String) {
    let above = misses.iter().any(|miss| miss.is_above());
    let pick = |found: Vec<f64>| {
        let found = found.into_iter();
        match above {
            true => found.fold(f64::NEG_INFINITY, f64::max),
            false => found.fold(f64::INFINITY, f64::min),
        }
    };
    let other = |miss: &Miss| miss.other.unwrap_or(0.0);
    let factor = pick(
        misses
            .iter()
            .map(|miss| (miss.worse(1.0) - own.plus) / other(miss))
            .collect(),
    );
    let plus = pick(
        misses
            .iter()
            .map(|miss| miss.worse(1.0) - own.factor * other(miss))
            .collect(),
    );
    let total: f64 = misses.iter().map(other).sum();
    let by_factor = factor * total + own.plus * misses.len() as f64;
    let by_plus = own.factor * total + plus * misses.len() as f64;
    match factor.is_finite() && (!above || by_factor <= by_plus) {
        true => ("factor", Unit::Number.write(factor, above)),
        false => ("plus", quoted(&unit.write(plus, above))),
    }
}

fn within(misses: &[Miss]) -> String {
    let of = |miss: &Miss| {
        let other = miss.other.unwrap_or(f64::NAN);
        (miss.worse(1.0) - other).abs() / other.abs()
    };
    Unit::Share.write(misses.iter().map(of).fold(0.0, f64::max), true)
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
