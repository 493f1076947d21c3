//! What a controller comes to in a [`Scenario`]: the figures of the ablation table and of the search for constants.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Duration;

use serde::Serialize;

use super::scenario::{Kind, Scenario, SIZE};
use super::{Dumbbell, Shares};

/// Jain's index holds over each such part of the period.
const WINDOW: Duration = Duration::from_secs(10);
/// So long a newcomer may raise the delay (it counts over each such part of the time before the period).
const ARRIVAL: Duration = Duration::from_secs(2);
/// Share of the path at which start-up is over.
const STARTED: f64 = 0.9;

/// What stands in a file beside the figures of one scenario, and those.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    pub name: String,
    pub seed: u64,
    pub kind: Kind,
    pub flows: usize,
    /// The longest round-trip time of the idle path.
    pub rtt_ms: f64,
    /// The time that a packet takes on the bottleneck in the period.
    pub packet_ms: f64,
    /// Share of the period in which the bottleneck sends, 0 to 1.
    pub utilisation: f64,
    /// 95th percentile of the time in the queue, of all packets in the period.
    pub p95_ms: f64,
    /// Share of packets dropped at the full queue in the period, 0 to 1.
    pub loss: f64,
    /// The same before the period.
    pub start_loss: f64,
    /// Of several flows: Jain's index, the least of the period's parts of 10 s.
    pub jain: Option<f64>,
    /// Of several flows: the largest share of the period by the smallest.
    pub bias: Option<f64>,
    /// Of flows that come one after the other: `p95_ms` of 2 s, the most between the first newcomer and the period.
    pub arrival_ms: Option<f64>,
    /// Of a single flow: round trips until 90 % of the path are used for one; those until the period if they never are.
    pub start_up: Option<u32>,
}

/// Runs a valid `spec` of ours in every scenario with every seed, on so many threads; one set of figures each, seed by
/// seed in the order of the scenarios.
pub fn measure_all(scenarios: &[Scenario], spec: &str, seeds: &[u64], jobs: usize) -> Vec<Figures> {
    let runs: Vec<(&Scenario, u64)> = seeds
        .iter()
        .flat_map(|seed| scenarios.iter().map(|scenario| (scenario, *seed)))
        .collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || loop {
        let place = next.fetch_add(1, Ordering::Relaxed);
        let Some((scenario, seed)) = runs.get(place) else {
            return;
        };
        let figures = measure(scenario, spec, *seed);
        done.lock()
            .expect("no thread panics")
            .push((place, figures));
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, figures)| figures).collect()
}

fn measure(scenario: &Scenario, spec: &str, seed: u64) -> Figures {
    let mut path = scenario.build(spec, seed);
    let alone = scenario.rtts.len() == 1;
    let start_up = alone.then(|| start_up(&mut path, scenario));
    let arrivals = !scenario.gap.is_zero();
    let arrival_ms = arrivals.then(|| arrivals_delay(&mut path, scenario));
    path.run_until(scenario.from);
    let before = path.totals();
    let windows = windows(&mut path, scenario);
    let after = path.totals();
    let worst = windows.iter().map(Shares::jain).fold(1.0, f64::min);
    let overall = path.shares(scenario.period);
    let bytes_per_sec = path.capacity(scenario.from, scenario.from + scenario.period);
    Figures {
        name: scenario.name.clone(),
        seed,
        kind: scenario.kind(),
        flows: scenario.rtts.len(),
        rtt_ms: scenario.longest_rtt().as_secs_f64() * 1e3,
        packet_ms: f64::from(SIZE) / bytes_per_sec * 1e3,
        utilisation: (after.busy - before.busy).as_secs_f64() / scenario.period.as_secs_f64(),
        p95_ms: path.quantile(0.95),
        loss: share(
            after.dropped - before.dropped,
            after.arrived - before.arrived,
        ),
        start_loss: share(before.dropped, before.arrived),
        jain: (!alone).then_some(worst),
        bias: (!alone).then(|| overall.bias()),
        arrival_ms,
        start_up,
    }
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Round trips until the path is used, at most until the period.
fn start_up(path: &mut Dumbbell, scenario: &Scenario) -> u32 {
    let rtt = scenario.longest_rtt();
    let start = path.flows[0].start;
    let most = (scenario.from.saturating_sub(start).as_secs_f64() / rtt.as_secs_f64()) as u32;
    let mut used = path.totals().busy;
    for trips in 1..=most {
        path.run_until(start + rtt * trips);
        let now = path.totals().busy;
        if (now - used).as_secs_f64() >= STARTED * rtt.as_secs_f64() {
            return trips;
        }
        used = now;
    }
    most
}

/// See [`Figures::arrival_ms`].
fn arrivals_delay(path: &mut Dumbbell, scenario: &Scenario) -> f64 {
    path.run_until(scenario.gap);
    let mut most: f64 = 0.0;
    let mut until = scenario.gap + ARRIVAL;
    while until <= scenario.from {
        path.watch_until(until);
        most = most.max(path.quantile(0.95));
        until += ARRIVAL;
    }
    most
}

/// Lets the period pass, in parts of about [`WINDOW`], and gives the shares in each.
fn windows(path: &mut Dumbbell, scenario: &Scenario) -> Vec<Shares> {
    let parts = (scenario.period.as_secs_f64() / WINDOW.as_secs_f64())
        .round()
        .max(1.0) as u32;
    let part = scenario.period / parts;
    let delivered =
        |path: &Dumbbell| -> Vec<u64> { path.flows.iter().map(|flow| flow.delivered).collect() };
    path.watch_until(scenario.from);
    let mut before = delivered(path);
    (1..=parts)
        .map(|n| {
            path.run_until(scenario.from + part * n);
            let after = delivered(path);
            let gained = after
                .iter()
                .zip(&before)
                .map(|(now, then)| (now - then) as f64);
            let shares = Shares(gained.collect());
            before = after;
            shares
        })
        .collect()
}
