//! How the flows that compete share.

use std::time::Duration;

use quiche_cc_bottleneck::Time;
use serde::Serialize;

use crate::record::Record;
use crate::scenario::{Scenario, Traffic, Transport};
use crate::stats::fairness::{self, convergence_time, jain, shares, Equality, Party};
use crate::stats::{Distribution, Samples, Window};

/// When summaries call shares equal.
pub const EQUALITY: Equality = Equality {
    tolerance: 0.25,
    bin: Duration::from_secs(2),
    hold: Duration::from_secs(10),
};
/// Width of the windows of [`PhaseSummary::jain_10s`].
const WINDOW: Duration = Duration::from_secs(10);

/// A time in which no competing flow comes or goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseSummary {
    /// Its begin in seconds.
    pub from_s: f64,
    /// Its end in seconds.
    pub to_s: f64,
    /// Competing flows in it.
    pub flows: usize,
    /// Jain's fairness index over all of it.
    pub jain: Option<f64>,
    /// The same over its second half.
    pub jain_second_half: Option<f64>,
    /// The same over windows of 10 s, one after another from its begin.
    pub jain_10s: Option<Distribution>,
    /// The smallest share in its second half, as a multiple of the fair one.
    pub least_share: Option<f64>,
    /// The largest.
    pub most_share: Option<f64>,
    /// Seconds from its begin until all shares are equal ([`EQUALITY`]).
    pub convergence_s: Option<f64>,
}

/// The flows that compete: QUIC flows that would always send more, or whose source is limited by its buffer only. Flows
/// that stop for want of data have no share to be fair about.
pub fn competing<'a>(scenario: &Scenario, record: &'a Record) -> Vec<Party<'a>> {
    let flows = scenario.flows.iter().zip(&record.flows);
    flows
        .filter(|(decl, _)| {
            matches!(decl.transport, Transport::Quic(_))
                && matches!(decl.traffic, Traffic::Unlimited | Traffic::Bursts { .. })
        })
        .filter_map(|(decl, record)| {
            let active = Window::of_flow(decl)?;
            Some(Party { record, active })
        })
        .collect()
}

/// The phases of the whole run, warm-up included, in which at least one flow competes.
pub fn phases(scenario: &Scenario, record: &Record) -> Vec<PhaseSummary> {
    let parties = competing(scenario, record);
    let active: Vec<_> = parties.iter().map(|party| party.active).collect();
    let whole = Window::new(Time::ZERO, Time::from(scenario.duration));
    let whole = whole.expect("runs take time");
    fairness::phases(&active, whole)
        .into_iter()
        .map(|phase| summary(&parties, phase.window, phase.present.len()))
        .collect()
}

fn summary(parties: &[Party<'_>], phase: Window, flows: usize) -> PhaseSummary {
    let index = |window| jain(&shares(parties, window)?);
    let late = phase.last(phase.span() / 2);
    let late_shares = shares(parties, late).and_then(Samples::of);
    let convergence = convergence_time(parties, phase, &EQUALITY);
    PhaseSummary {
        from_s: phase.from().as_secs_f64(),
        to_s: phase.to().as_secs_f64(),
        flows,
        jain: index(phase),
        jain_second_half: index(late),
        jain_10s: Samples::of(phase.bins(WINDOW).filter_map(index)).map(|all| all.distribution()),
        least_share: late_shares.as_ref().map(|shares| shares.percentile(0.0)),
        most_share: late_shares.as_ref().map(|shares| shares.percentile(100.0)),
        convergence_s: convergence.map(|time| time.as_secs_f64()),
    }
}
