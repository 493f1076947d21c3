//! Heat maps of a suite: its first axis against its second, a panel per controller and values of the others.

use super::suite::SuiteAxis;
use super::target::{DELAY_SHARE, LOSS_AT_START, UTILISATION_MARGIN};
use super::{find, Entry, Reached, Suite};
use crate::plot::{Axis, Cell, HeatMap, Ramp, Scale};

/// What one map shows.
struct Quantity {
    id: &'static str,
    title: String,
    scale: Axis,
    ramp: Ramp,
    /// Of an entry and the reference's at the same point.
    value: fn(&Entry, &Entry) -> f64,
    text: fn(f64) -> String,
    mark: String,
    reached: fn(Reached) -> bool,
    /// Whether the reference has a panel, too.
    with_reference: bool,
}

/// The maps with the names of their files; none if the suite has less than two axes.
pub fn maps(suite: &Suite, entries: &[Entry]) -> Vec<(&'static str, HeatMap)> {
    match suite.axis.as_slice() {
        [_, _, ..] => quantities(&suite.reference)
            .into_iter()
            .map(|quantity| (quantity.id, map(suite, entries, quantity)))
            .collect(),
        _ => Vec::new(),
    }
}

fn quantities(reference: &str) -> [Quantity; 4] {
    let axis = |label: &str, unit: &str, (from, to): (f64, f64), scale| Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        from: Some(from),
        to: Some(to),
        scale,
    };
    [
        Quantity {
            id: "map-utilisation",
            title: "Utilisation of the bottleneck, %".to_owned(),
            scale: axis("utilisation", "%", (80.0, 100.0), Scale::Linear),
            ramp: Ramp::Falling,
            value: |own, _| own.outcome.utilisation * 100.0,
            text: |value| format!("{value:.1}"),
            mark: format!(
                "{reference}'s less {} points, or more",
                UTILISATION_MARGIN * 100.0
            ),
            reached: |reached| reached.utilisation,
            with_reference: true,
        },
        Quantity {
            id: "map-delay",
            title: format!("Queueing delay, 95th percentile, relative to {reference}'s"),
            scale: axis(
                &format!("times {reference}'s"),
                "",
                (0.01, 100.0),
                Scale::Log,
            ),
            ramp: Ramp::Diverging,
            value: ratio,
            text: short,
            mark: format!("{DELAY_SHARE} of {reference}'s, or less"),
            reached: |reached| reached.delay,
            with_reference: false,
        },
        Quantity {
            id: "map-loss",
            title: "Packets lost after the start, %".to_owned(),
            scale: axis("loss", "%", (0.0, 2.0), Scale::Linear),
            ramp: Ramp::Rising,
            value: |own, _| own.outcome.loss * 100.0,
            text: short,
            mark: "none".to_owned(),
            reached: |reached| reached.loss,
            with_reference: true,
        },
        Quantity {
            id: "map-loss-at-start",
            title: "Packets lost at the start, %".to_owned(),
            scale: axis("loss", "%", (0.0, 20.0), Scale::Linear),
            ramp: Ramp::Rising,
            value: |own, _| own.outcome.loss_at_start * 100.0,
            text: short,
            mark: format!("less than {} %", LOSS_AT_START * 100.0),
            reached: |reached| reached.loss_at_start,
            with_reference: true,
        },
    ]
}

/// Two packets of a queue that is empty else are alike: nothing by nothing is 1.
fn ratio(own: &Entry, reference: &Entry) -> f64 {
    let (own, reference) = (
        own.outcome.queueing_p95_ms,
        reference.outcome.queueing_p95_ms,
    );
    match own == reference {
        true => 1.0,
        false => own / reference,
    }
}

/// Three characters or so, whatever the size: `0`, `0.004`, `0.04`, `3.2`, `320`.
fn short(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        v if v.is_infinite() => "∞".to_owned(),
        v if v < 0.001 => "<.001".to_owned(),
        v if v < 0.01 => format!("{v:.3}"),
        v if v < 0.995 => format!("{v:.2}"),
        v if v < 100.0 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

fn map(suite: &Suite, entries: &[Entry], quantity: Quantity) -> HeatMap {
    let [y, x, others @ ..] = suite.axis.as_slice() else {
        unreachable!("maps() has seen two axes");
    };
    let shown = |cc: &&String| quantity.with_reference || **cc != suite.reference;
    let across: Vec<String> = suite.controllers.iter().filter(shown).cloned().collect();
    let down = combinations(others);
    let cell = |(place, lower): Pair, (column, row): Pair| {
        let cc = &across[place];
        let values: &[&str] = &[&y.values[row], &x.values[column]];
        let point = [values, &down[lower].1].concat();
        let own = find(entries, cc, &point)?;
        let value = (quantity.value)(own, find(entries, &suite.reference, &point)?);
        Some(Cell {
            panel: (place, lower),
            column,
            row,
            value,
            text: (quantity.text)(value),
            marked: own.reached.is_some_and(quantity.reached),
        })
    };
    let panels = pairs(across.len(), down.len());
    let places = || pairs(x.values.len(), y.values.len());
    let all = panels.flat_map(|panel| places().map(move |place| (panel, place)));
    let cells = all
        .filter_map(|(panel, place)| cell(panel, place))
        .collect();
    HeatMap {
        title: quantity.title,
        x: x.label.clone(),
        y: y.label.clone(),
        columns: x.values.clone(),
        rows: y.values.clone(),
        across,
        down: down.into_iter().map(|(name, _)| name).collect(),
        scale: quantity.scale,
        ramp: quantity.ramp,
        mark: quantity.mark,
        cells,
    }
}

type Pair = (usize, usize);

/// All pairs of a number below the one and a number below the other.
fn pairs(one: usize, other: usize) -> impl Iterator<Item = Pair> {
    (0..one).flat_map(move |a| (0..other).map(move |b| (a, b)))
}

/// The values of these axes in every combination, each with a name: one without any if there are no axes.
fn combinations(axes: &[SuiteAxis]) -> Vec<(String, Vec<&str>)> {
    axes.iter().fold(vec![Default::default()], |all, axis| {
        let extended = all.iter().flat_map(|(name, values): &(String, Vec<&str>)| {
            axis.values.iter().map(move |value| {
                let name = format!("{name} {} {value}", axis.label);
                let values = [values.as_slice(), &[value]].concat();
                (name.trim().to_owned(), values)
            })
        });
        extended.collect()
    })
}
