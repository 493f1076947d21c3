//! Summaries as tables for people.

use comfy_table::{presets, CellAlignment, Table};

use super::{FlowSummary, Summary};
use crate::stats::Distribution;

/// More flows than these are not shown one by one.
const MOST_FLOWS: usize = 24;

/// Runs with their names: a line each, and, unless it is too long, a line per flow.
pub fn tables(runs: &[(&str, &Summary)]) -> String {
    let overall = overall(runs).to_string();
    let flows: usize = runs.iter().map(|(_, summary)| summary.flows.len()).sum();
    if flows > MOST_FLOWS {
        return format!("{overall}\n");
    }
    format!("{}\n\n{overall}\n", self::flows(runs))
}

fn overall(runs: &[(&str, &Summary)]) -> Table {
    let mut table = table(&[
        "run",
        "goodput\nMbit/s",
        "lost\npackets",
        "bottleneck",
        "utilisation\n%",
        "queue mean\npackets",
        "max",
        "Jain's\nindex",
        "equal after\ns",
    ]);
    for (name, summary) in runs {
        let overall = &summary.overall;
        let links = summary.links.iter();
        let bottleneck = links
            .into_iter()
            .find(|link| Some(&link.name) == overall.bottleneck.as_ref());
        let queue = bottleneck.map(|link| link.stats.queue_packets);
        table.add_row([
            (*name).to_owned(),
            number(Some(overall.goodput_bps / 1e6), 3),
            overall.lost_packets.to_string(),
            overall.bottleneck.clone().unwrap_or_else(none),
            number(overall.utilisation.map(|share| share * 100.0), 1),
            number(queue.map(|queue| queue.mean), 1),
            queue.map_or_else(none, |queue| queue.max.to_string()),
            number(overall.jain, 3),
            number(overall.convergence_s, 0),
        ]);
    }
    table
}

fn flows(runs: &[(&str, &Summary)]) -> Table {
    let mut table = table(&[
        "run",
        "flow",
        "goodput\nMbit/s",
        "loss\n%",
        "CE\n%",
        "one-way\nmean ms",
        "queueing\nmean ms",
        "p50",
        "p95",
        "p99",
        "max",
    ]);
    for (name, summary) in runs {
        for flow in &summary.flows {
            table.add_row(flow_cells(name, flow));
        }
    }
    table
}

fn flow_cells(run: &str, flow: &FlowSummary) -> [String; 11] {
    let stats = flow.stats.as_ref();
    let percent = |share: Option<f64>, digits| number(share.map(|share| share * 100.0), digits);
    let queueing = stats.and_then(|stats| stats.queueing_ms);
    let queueing = |pick: fn(Distribution) -> f64| number(queueing.map(pick), 1);
    let one_way = stats.and_then(|stats| stats.one_way_ms);
    [
        run.to_owned(),
        flow.name.clone(),
        number(stats.map(|stats| stats.goodput_bps / 1e6), 3),
        percent(stats.and_then(|stats| stats.loss_share), 2),
        percent(stats.and_then(|stats| stats.ce_share), 1),
        number(one_way.map(|delays| delays.mean), 1),
        queueing(|delays| delays.mean),
        queueing(|delays| delays.p50),
        queueing(|delays| delays.p95),
        queueing(|delays| delays.p99),
        queueing(|delays| delays.max),
    ]
}

/// The first column to the left, all others, which are mostly numbers, to the right.
fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(none, |value| format!("{value:.digits$}"))
}

fn none() -> String {
    "-".to_owned()
}
