//! `summary.json`: what a run amounts to. Every field stands in docs/lab.md.

mod flow;
pub mod json;
mod sharing;
pub mod table;

use std::collections::BTreeMap;

use quiche_cc_bottleneck::Time;
use serde::Serialize;

pub use self::flow::FlowSummary;
pub use self::sharing::{competing, PhaseSummary, EQUALITY};
use crate::record::Record;
use crate::scenario::{LinkDecl, Scenario};
use crate::stats::rate::{bytes, Counted};
use crate::stats::{fairness, LinkStats, Window};
use crate::sweep::Plan;

/// What a run amounts to. The same seed gives the same, byte for byte, on every machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The scenario's title.
    pub scenario: String,
    /// The controller under test.
    pub cc: String,
    /// What decided all that is random.
    pub seed: u64,
    /// Values of the scenario that were set for this run.
    pub parameters: BTreeMap<String, String>,
    /// Statistics count from here, the end of the warm-up, in seconds.
    pub from_s: f64,
    /// To here, the end of the run, in seconds.
    pub to_s: f64,
    /// Over all flows and links.
    pub overall: Overall,
    /// Times in which no competing flow comes or goes.
    pub phases: Vec<PhaseSummary>,
    /// Links, as in the scenario.
    pub links: Vec<LinkSummary>,
    /// Flows, as in the scenario.
    pub flows: Vec<FlowSummary>,
}

/// Over all flows and links.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overall {
    /// The link with the highest utilisation.
    pub bottleneck: Option<String>,
    /// Its utilisation (0 to 1).
    pub utilisation: Option<f64>,
    /// Bit/s that all applications read.
    pub goodput_bps: f64,
    /// Packets of all flows that were lost on their way to the client.
    pub lost_packets: u64,
    /// Jain's fairness index of the competing flows that are active from `from_s` to `to_s`, if these are at least two.
    pub jain: Option<f64>,
    /// The longest that the shares took to become equal in a phase of at least two flows, in seconds. `None` if there is no such
    /// phase, or one in which they never did.
    pub convergence_s: Option<f64>,
    /// Packets that crossed a link, all links together.
    pub simulated_packets: u64,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkSummary {
    /// Its name.
    pub name: String,
    /// Bit/s that it could have sent; `None` if it takes no time.
    pub capacity_bps: Option<f64>,
    /// Its statistics.
    #[serde(flatten)]
    pub stats: LinkStats,
}

impl Summary {
    /// Of this record of the run.
    pub fn of(plan: &Plan, record: &Record) -> Self {
        let scenario = &plan.scenario;
        let window = measured(scenario);
        let phases = sharing::phases(scenario, record);
        let links = links(scenario, record, plan.seed, window);
        let flows = scenario.flows.iter().zip(&record.flows);
        Self {
            scenario: scenario.title.clone(),
            cc: plan.cc.clone(),
            seed: plan.seed,
            parameters: plan.parameters.iter().cloned().collect(),
            from_s: window.from().as_secs_f64(),
            to_s: window.to().as_secs_f64(),
            overall: overall(scenario, record, window, &links, &phases),
            phases,
            links,
            flows: flows
                .map(|(decl, flow)| FlowSummary::of(decl, flow, &plan.cc, window))
                .collect(),
        }
    }
}

/// The part of the run that statistics are about.
pub fn measured(scenario: &Scenario) -> Window {
    Window::new(scenario.warmup.into(), Time::from(scenario.duration))
        .expect("scenarios end after their warm-up")
}

fn links(scenario: &Scenario, record: &Record, seed: u64, window: Window) -> Vec<LinkSummary> {
    let links = scenario.links.iter().zip(&record.links);
    links
        .filter(|(decl, _)| !decl.private)
        .map(|(decl, link)| LinkSummary {
            name: decl.name.clone(),
            capacity_bps: capacity(decl, seed, window),
            stats: LinkStats::of(link, window),
        })
        .collect()
}

fn capacity(decl: &LinkDecl, seed: u64, window: Window) -> Option<f64> {
    // A recording that a run has read can be read again, or nothing is known.
    let (service, _) = decl.config.service(seed).ok()?;
    let bytes = service.capacity(window.from(), window.to())?;
    Some(bytes as f64 * 8.0 / window.span().as_secs_f64())
}

fn overall(
    scenario: &Scenario,
    record: &Record,
    window: Window,
    links: &[LinkSummary],
    phases: &[PhaseSummary],
) -> Overall {
    let utilisation = |link: &LinkSummary| link.stats.utilisation.unwrap_or(0.0);
    // The first of several that are used alike.
    let busiest = links.iter().rev();
    let busiest = busiest.max_by(|a, b| utilisation(a).total_cmp(&utilisation(b)));
    let read = record.flows.iter();
    let read: u64 = read.map(|flow| bytes(flow, Counted::Goodput, window)).sum();
    let lost = record.flows.iter();
    let lost = lost.map(|flow| window.cut(&flow.losses, |loss| loss.at).len() as u64);
    let shares = fairness::shares(&competing(scenario, record), window);
    let convergence: Option<Vec<f64>> = phases
        .iter()
        .filter(|phase| phase.flows > 1)
        .map(|phase| phase.convergence_s)
        .collect();
    Overall {
        bottleneck: busiest.map(|link| link.name.clone()),
        utilisation: busiest.and_then(|link| link.stats.utilisation),
        goodput_bps: read as f64 * 8.0 / window.span().as_secs_f64(),
        lost_packets: lost.sum(),
        jain: shares
            .filter(|shares| shares.len() > 1)
            .and_then(|shares| fairness::jain(&shares)),
        convergence_s: convergence.and_then(|times| times.into_iter().reduce(f64::max)),
        simulated_packets: record.simulated_packets,
    }
}
