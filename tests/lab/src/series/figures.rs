//! A run over time, drawn.

use quiche_cc_bottleneck::Time;

use super::intervals;
use crate::plot::{Axis, Figure, Horizontal, Mark, Series};
use crate::record::{FlowRecord, LinkRecord, Record};
use crate::scenario::{FlowDecl, Scenario};
use crate::stats::rate::{bps, Counted};
use crate::stats::{millis, queueing, LinkStats, Window};

/// Figures with their file names: what flows read, how long their packets wait, their windows, and queues. Curves are made of
/// the scenario's intervals.
pub fn figures(scenario: &Scenario, record: &Record) -> Vec<(&'static str, Figure)> {
    let figure = |title: &str, label: &str, unit: &str, series: Vec<Series>| Figure {
        title: format!("{}: {title}", scenario.title),
        x: Horizontal::Numbers(axis("time", "s")),
        y: Axis {
            from: Some(0.0),
            ..axis(label, unit)
        },
        series,
        levels: Vec::new(),
    };
    let flows = |value: &dyn Fn(&FlowRecord, Window) -> Option<f64>| {
        let flows = scenario.flows.iter().zip(&record.flows);
        let series = flows.map(|(decl, flow)| of_flow(scenario, decl, |bin| value(flow, bin)));
        series.collect()
    };
    vec![
        (
            "goodput.svg",
            figure("goodput", "goodput", "Mbit/s", flows(&goodput)),
        ),
        (
            "queueing.svg",
            figure("queueing delay", "mean queueing delay", "ms", flows(&delay)),
        ),
        (
            "window.svg",
            figure("congestion window", "window", "kB", flows(&window)),
        ),
        (
            "queue.svg",
            figure(
                "queues",
                "waiting packets (mean)",
                "",
                of_links(scenario, record),
            ),
        ),
    ]
}

fn axis(label: &str, unit: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        ..Axis::default()
    }
}

fn goodput(flow: &FlowRecord, bin: Window) -> Option<f64> {
    Some(bps(flow, Counted::Goodput, bin) / 1e6)
}

fn delay(flow: &FlowRecord, bin: Window) -> Option<f64> {
    let deliveries = bin.cut(&flow.deliveries, |delivery| delivery.at);
    queueing(deliveries).map(|delays| delays.mean())
}

fn window(flow: &FlowRecord, bin: Window) -> Option<f64> {
    let samples = bin.cut(&flow.samples, |sample| sample.at);
    samples.first().map(|sample| sample.window as f64 / 1e3)
}

fn of_flow(scenario: &Scenario, decl: &FlowDecl, value: impl Fn(Window) -> Option<f64>) -> Series {
    let active = Window::of_flow(decl);
    let bins = intervals(scenario).filter(|bin| active.is_some_and(|active| active.covers(*bin)));
    curve(&decl.name, bins, value)
}

fn of_links(scenario: &Scenario, record: &Record) -> Vec<Series> {
    let links = scenario.links.iter().zip(&record.links);
    let mean = |link: &LinkRecord, bin| LinkStats::of(link, bin).queue_packets.mean;
    links
        .filter(|(decl, _)| !decl.private)
        .map(|(decl, link)| curve(&decl.name, intervals(scenario), |bin| Some(mean(link, bin))))
        .collect()
}

/// What there is no value of leaves a gap.
fn curve(
    label: &str,
    bins: impl Iterator<Item = Window>,
    value: impl Fn(Window) -> Option<f64>,
) -> Series {
    let middle = |bin: Window| millis((bin.from() + bin.span() / 2).since(Time::ZERO)) / 1e3;
    Series {
        label: label.to_owned(),
        mark: Mark::Line,
        points: bins
            .map(|bin| (middle(bin), value(bin).unwrap_or(f64::NAN)))
            .collect(),
    }
}
