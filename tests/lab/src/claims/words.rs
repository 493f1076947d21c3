//! Verdicts in words and numbers for people.

use super::claim_set::{Check, Source};
use super::judge::{median, PointVerdict};
use super::terms::Terms;
use super::value::Unit;

/// Amounts of several runs: the median, and from the smallest to the largest.
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

/// What was measured at a point.
pub fn measured(check: &Check, point: &PointVerdict) -> String {
    let amounts: Vec<_> = point.seeds.iter().map(|seed| seed.amount).collect();
    show(&amounts, &check.measure)
}

/// The other side of a comparison at a point with every seed, as it is set beside the measurement.
pub fn beside(terms: Terms, point: &PointVerdict) -> Vec<Option<f64>> {
    let of = |other: f64| terms.beside(other);
    point.seeds.iter().map(|seed| seed.other.map(of)).collect()
}

/// The bound of a check at a point.
pub fn bound(check: &Check, point: &PointVerdict) -> String {
    match check.relation.terms {
        Terms::LessThan(_) => format!("< {}", others(check, check.relation.terms, point)),
        Terms::GreaterThan(_) => format!("> {}", others(check, check.relation.terms, point)),
        terms => fixed(check, terms, point),
    }
}

/// How far a check may be off at a point, if that is stated.
pub fn limit(check: &Check, point: &PointVerdict) -> Option<String> {
    let terms = check.limit?.terms;
    Some(match terms {
        Terms::LessThan(_) => format!("≤ {}", others(check, terms, point)),
        Terms::GreaterThan(_) => format!("≥ {}", others(check, terms, point)),
        terms => fixed(check, terms, point),
    })
}

fn others(check: &Check, terms: Terms, point: &PointVerdict) -> String {
    let other = check.relation.other.as_ref();
    other.map_or(String::new(), |other| show(&beside(terms, point), other))
}

fn fixed(check: &Check, terms: Terms, point: &PointVerdict) -> String {
    match terms {
        Terms::Bound(bound) => bound.show(check.measure.unit),
        Terms::Near(within) => format!(
            "{} ± {}",
            others(check, terms, point),
            Unit::Share.show(within)
        ),
        Terms::LessThan(_) | Terms::GreaterThan(_) => String::new(),
    }
}

/// Which point of a check it is: values of parameters and window; nothing if there is one only.
pub fn place(point: &PointVerdict) -> String {
    let values = point
        .parameters
        .iter()
        .map(|(key, value)| format!("{key} {value}"));
    let all: Vec<String> = values.chain(point.window.clone()).collect();
    all.join(", ")
}
