//! How a link is shared.

use std::time::Duration;

use quiche_cc_bottleneck::Time;

use super::rate::{bytes, Counted};
use super::Window;
use crate::record::FlowRecord;

/// Jain's fairness index of these amounts: 1 if all are equal, 1/n if one has all. `None` if nobody has anything.
///
/// Jain, Chiu, Hawe: A quantitative measure of fairness and discrimination for resource allocation in shared computer systems
/// (1984).
pub fn jain(amounts: &[f64]) -> Option<f64> {
    let sum: f64 = amounts.iter().sum();
    let squares: f64 = amounts.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (amounts.len() as f64 * squares))
}

/// A flow that shares, with the time in which it is active.
#[derive(Debug, Clone, Copy)]
pub struct Party<'a> {
    /// What it did.
    pub record: &'a FlowRecord,
    /// When it was active ([`Window::of_flow`]).
    pub active: Window,
}

/// The shares of the parties that are active in all of `window`, in the order given, as multiples of the fair one: their UDP
/// payload delivered over the mean of theirs. `None` if there are no such parties or nothing was delivered.
pub fn shares(parties: &[Party<'_>], window: Window) -> Option<Vec<f64>> {
    let present = parties.iter().filter(|party| party.active.covers(window));
    let amounts: Vec<f64> = present
        .map(|party| bytes(party.record, Counted::Throughput, window) as f64)
        .collect();
    let fair = amounts.iter().sum::<f64>() / amounts.len() as f64;
    (fair > 0.0).then(|| amounts.iter().map(|amount| amount / fair).collect())
}

/// A time in which no party comes or goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// When.
    pub window: Window,
    /// Who is active, by the places in the list of parties; at least one.
    pub present: Vec<usize>,
}

/// The phases of `active` times within `window`, in order. Times without any party are left out.
pub fn phases(active: &[Window], window: Window) -> Vec<Phase> {
    let mut edges: Vec<Time> = active
        .iter()
        .flat_map(|active| [active.from(), active.to()])
        .chain([window.from(), window.to()])
        .filter(|at| window.contains(*at) || *at == window.to())
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let windows = edges.windows(2).filter_map(|w| Window::new(w[0], w[1]));
    let phase = |window: Window| {
        let present = (0..active.len()).filter(|place| active[*place].covers(window));
        Phase {
            window,
            present: present.collect(),
        }
    };
    let phases = windows.map(phase);
    phases.filter(|phase| !phase.present.is_empty()).collect()
}

/// When shares count as equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Equality {
    /// By how much every share may differ from the fair one, as a share of that (0.25 for 25 %).
    pub tolerance: f64,
    /// Shares are averages over bins of this width.
    pub bin: Duration,
    /// For how long they have to stay equal; rounded up to whole bins.
    pub hold: Duration,
}

/// How long it takes, from the beginning of `phase` on, until the shares of the parties that are active in all of it are equal and
/// stay so for the time that is asked for. That time has to lie in the phase, too. `None` if it never happens.
pub fn convergence_time(
    parties: &[Party<'_>],
    phase: Window,
    equality: &Equality,
) -> Option<Duration> {
    let present: Vec<_> = parties
        .iter()
        .filter(|party| party.active.covers(phase))
        .copied()
        .collect();
    let hold = equality.hold.as_nanos().div_ceil(equality.bin.as_nanos());
    let (mut since, mut held) = (phase.from(), 0);
    for bin in phase.bins(equality.bin) {
        let equal = |share: &f64| (share - 1.0).abs() <= equality.tolerance;
        if shares(&present, bin).is_some_and(|shares| shares.iter().all(equal)) {
            held += 1;
            if held >= hold.max(1) {
                return Some(since.since(phase.from()));
            }
        } else {
            (since, held) = (bin.to(), 0);
        }
    }
    None
}
