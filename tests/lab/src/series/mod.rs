//! `flows.csv` and `links.csv`: a run over time, one line per flow or link and interval. Every column stands in docs/lab.md.

mod figures;

use std::fmt::Write;

use quiche_cc_bottleneck::Time;

pub use self::figures::figures;
use crate::record::{FlowRecord, LinkRecord, Record};
use crate::scenario::Scenario;
use crate::stats::rate::{bps, Counted};
use crate::stats::{millis, one_way, queueing, LinkStats, Samples, Window};
use crate::summary::json::rounded;

const FLOW_COLUMNS: &str =
    "from_s,flow,goodput_bps,throughput_bps,sending_bps,lost_packets,one_way_mean_ms,\
    queueing_mean_ms,queueing_max_ms,ce_packets,window_bytes,rtt_ms,\
    target_bps,told_queueing_ms";
const LINK_COLUMNS: &str =
    "from_s,link,utilisation,throughput_bps,queue_mean_packets,queue_max_packets,\
    lost_packets,marked_packets";

/// A line per flow and interval in which it is active all the time. What is not known is empty.
pub fn flows(scenario: &Scenario, record: &Record) -> String {
    let mut text = format!("{FLOW_COLUMNS}\n");
    for (decl, flow) in scenario.flows.iter().zip(&record.flows) {
        let active = Window::of_flow(decl);
        for bin in intervals(scenario).filter(|bin| active.is_some_and(|a| a.covers(*bin))) {
            write_flow(&mut text, &decl.name, flow, bin);
        }
    }
    text
}

/// A line per link and interval.
pub fn links(scenario: &Scenario, record: &Record) -> String {
    let mut text = format!("{LINK_COLUMNS}\n");
    for (decl, link) in scenario.links.iter().zip(&record.links) {
        if !decl.private {
            for bin in intervals(scenario) {
                write_link(&mut text, &decl.name, link, bin);
            }
        }
    }
    text
}

fn intervals(scenario: &Scenario) -> impl Iterator<Item = Window> {
    let run = Window::new(Time::ZERO, Time::from(scenario.duration));
    run.expect("runs take time").bins(scenario.interval)
}

fn write_flow(text: &mut String, name: &str, flow: &FlowRecord, bin: Window) {
    let deliveries = bin.cut(&flow.deliveries, |delivery| delivery.at);
    let queueing = queueing(deliveries);
    let sender = bin.cut(&flow.samples, |sample| sample.at).first();
    let told = sender.map(|sample| sample.estimate);
    let rate = |counted| rounded(bps(flow, counted, bin));
    let cells = [
        rounded(bin.from().as_secs_f64()),
        name.to_owned(),
        rate(Counted::Goodput),
        rate(Counted::Throughput),
        rate(Counted::Sending),
        bin.cut(&flow.losses, |loss| loss.at).len().to_string(),
        cell(one_way(deliveries).map(|delays| delays.mean())),
        cell(queueing.as_ref().map(Samples::mean)),
        cell(queueing.map(|delays| delays.percentile(100.0))),
        deliveries.iter().filter(|d| d.ce).count().to_string(),
        sender.map_or(String::new(), |sample| sample.window.to_string()),
        cell(sender.map(|sample| millis(sample.rtt))),
        cell(told.and_then(|told| told.target).map(|rate| rate.bps())),
        cell(told.and_then(|told| told.queueing_delay).map(millis)),
    ];
    line(text, &cells);
}

fn write_link(text: &mut String, name: &str, link: &LinkRecord, bin: Window) {
    let stats = LinkStats::of(link, bin);
    let cells = [
        rounded(bin.from().as_secs_f64()),
        name.to_owned(),
        cell(stats.utilisation),
        cell(stats.throughput_bps),
        rounded(stats.queue_packets.mean),
        stats.queue_packets.max.to_string(),
        stats.lost_packets.all().to_string(),
        stats.marked_packets.to_string(),
    ];
    line(text, &cells);
}

fn cell(number: Option<f64>) -> String {
    number.map_or(String::new(), rounded)
}

/// Names are words, so nothing needs quotes.
fn line(text: &mut String, cells: &[String]) {
    writeln!(text, "{}", cells.join(",")).expect("memory takes everything");
}
