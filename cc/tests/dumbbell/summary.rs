//! Figures of many scenarios in a line: the columns of tables, in their order.

use serde::Serialize;

use super::measure::Figures;
use super::scenario::Kind;

/// One column: what of which scenarios, how it is summed up, and how it is written.
#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    head: &'static str,
    digits: usize,
    of: &'static [Kind],
    value: fn(&Figures) -> Option<f64>,
    sum: fn(&[f64]) -> f64,
}

/// A cell of a table, with what is needed to write it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    pub name: &'static str,
    pub head: &'static str,
    pub digits: usize,
    pub value: f64,
}

impl Cell {
    pub fn text(&self) -> String {
        format!("{:.*}", self.digits, self.value)
    }
}

/// The cells of a row. A column of which no scenario says anything is left out.
pub fn summary(figures: &[Figures]) -> Vec<Cell> {
    let cell = |column: &Column| {
        let of = figures.iter().filter(|one| column.of.contains(&one.kind));
        let values: Vec<f64> = of.filter_map(column.value).collect();
        (!values.is_empty()).then(|| Cell {
            name: column.name,
            head: column.head,
            digits: column.digits,
            value: (column.sum)(&values),
        })
    };
    COLUMNS.iter().filter_map(cell).collect()
}

const ALL: &[Kind] = &[Kind::Alone, Kind::Disturbed, Kind::Equal, Kind::Mixed];
const ALONE: &[Kind] = &[Kind::Alone];
const DISTURBED: &[Kind] = &[Kind::Disturbed];
const EQUAL: &[Kind] = &[Kind::Equal];
const MIXED: &[Kind] = &[Kind::Mixed];

const COLUMNS: [Column; 10] = [
    Column {
        name: "used",
        head: "used, mean, %",
        digits: 2,
        of: ALONE,
        value: used,
        sum: mean,
    },
    Column {
        name: "used_least",
        head: "used, least, %",
        digits: 1,
        of: ALONE,
        value: used,
        sum: least,
    },
    Column {
        name: "p95",
        head: "p95 delay, geometric mean, ms",
        digits: 2,
        of: ALONE,
        value: |of| Some(of.p95_ms),
        sum: geometric_mean,
    },
    Column {
        name: "loss",
        head: "loss, most, %",
        digits: 2,
        of: ALL,
        value: |of| Some(of.loss * 100.0),
        sum: most,
    },
    Column {
        name: "start_loss",
        head: "loss before, mean, %",
        digits: 2,
        of: ALL,
        value: |of| Some(of.start_loss * 100.0),
        sum: mean,
    },
    Column {
        name: "disturbed",
        head: "used of unsteady paths, mean, %",
        digits: 1,
        of: DISTURBED,
        value: used,
        sum: mean,
    },
    Column {
        name: "jain",
        head: "Jain's index, least",
        digits: 3,
        of: EQUAL,
        value: |of| of.jain,
        sum: least,
    },
    Column {
        name: "bias",
        head: "largest share by smallest",
        digits: 2,
        of: MIXED,
        value: |of| of.bias,
        sum: most,
    },
    Column {
        name: "arrival",
        head: "p95 delay while others come, packets per flow",
        digits: 1,
        of: EQUAL,
        value: |of| Some(of.arrival_ms? / (of.flows as f64 * of.packet_ms)),
        sum: mean,
    },
    Column {
        name: "start_up",
        head: "round trips of start-up, mean",
        digits: 1,
        of: ALONE,
        value: |of| of.start_up.map(f64::from),
        sum: mean,
    },
];

fn used(figures: &Figures) -> Option<f64> {
    Some(figures.utilisation * 100.0)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// What is below 0.05 counts as that.
fn geometric_mean(values: &[f64]) -> f64 {
    let logs: Vec<f64> = values.iter().map(|value| value.max(0.05).ln()).collect();
    mean(&logs).exp()
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MIN, f64::max)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::MAX, f64::min)
}
