//! What every addition of hybrid's default profile earns: each is switched off or moved, all else the same.
//!
//! ```text
//! cargo run --release -p quiche-cc --no-default-features --example ablation [-- SPEC ...]
//! ```
//!
//! Controllers on a drop-tail bottleneck in virtual time, without quiche; half a minute for all. The table is the one of
//! docs/papers/hybrid.md.

#[path = "../tests/dumbbell/mod.rs"]
mod dumbbell;

use std::time::Duration;

use dumbbell::flow::Flow;
use dumbbell::Dumbbell;

const VARIANTS: [&str; 16] = [
    "hybrid",
    "hybrid:drain=off,bmin=0.03",
    "hybrid:grow=off",
    "hybrid:d1=12ms",
    "hybrid:queue=1",
    "hybrid:queue=4",
    "hybrid:delay=mean",
    "hybrid:insist=off",
    "hybrid:startup=off",
    "hybrid:react=epoch",
    "hybrid:trend=on",
    "hybrid:full=off",
    "hybrid:packet=0.5",
    "hybrid:bmin=0.005",
    "hybrid:bmin=0.02",
    "hybrid:paper",
];
/// Mbit/s.
const RATES: [f64; 2] = [10.0, 100.0];
const RTTS_MS: [u64; 3] = [10, 40, 200];
const BUFFERS_BDP: [f64; 2] = [0.5, 1.0];

fn seconds(s: u64) -> Duration {
    Duration::from_secs(s)
}

fn flow(spec: &str, rtt_ms: u64) -> Flow {
    Flow::new(spec, 1250, Duration::from_millis(rtt_ms))
}

/// Use of the path in %, 95th percentile of the queueing delay in ms and loss in %, of one flow after 20 s, for 30 s.
fn alone(spec: &str, mbps: f64, rtt_ms: u64, bdp: f64) -> (f64, f64, f64) {
    let mut path = Dumbbell::drop_tail(mbps, rtt_ms as f64 * bdp, vec![flow(spec, rtt_ms)]);
    path.watch_until(seconds(20));
    path.watch_until(seconds(50));
    let flow = &mut path.flows[0];
    let used = flow.arrived(seconds(30)) / mbps;
    (used * 100.0, flow.quantile(0.95), flow.loss() * 100.0)
}

/// Round trips until 90 % of 100 Mbit/s arrive, at 40 ms.
fn start_up(spec: &str) -> Option<u64> {
    let rtt = Duration::from_millis(40);
    let mut path = Dumbbell::drop_tail(100.0, 40.0, vec![flow(spec, 40)]);
    (1..1_000).find(|n| {
        path.watch_until(rtt * *n as u32);
        path.flows[0].arrived(rtt) > 90.0
    })
}

/// Jain's index of flows that came one after the other, in the worst of four times 5 s from 20 s after the last on.
fn equality(spec: &str, mbps: f64, rtt_ms: u64, flows: u64, gap: u64) -> f64 {
    let all = (0..flows).map(|n| flow(spec, rtt_ms).between(n * gap, 1 << 40));
    let mut path = Dumbbell::drop_tail(mbps, 100.0, all.collect());
    let from = (flows - 1) * gap + 20;
    path.watch_until(seconds(from));
    (1..=4).fold(1.0, |worst: f64, n| {
        path.watch_until(seconds(from + 5 * n));
        worst.min(path.shares(seconds(5)).jain())
    })
}

/// The largest share by the smallest of flows with 10, 40 and 200 ms, from 60 to 90 s.
fn bias(spec: &str, mbps: f64) -> f64 {
    let mut path = Dumbbell::drop_tail(mbps, 100.0, RTTS_MS.map(|rtt| flow(spec, rtt)).into());
    path.watch_until(seconds(60));
    path.watch_until(seconds(90));
    path.shares(seconds(30)).bias()
}

fn row(spec: &str) -> String {
    let mut paths = Vec::new();
    for mbps in RATES {
        for rtt in RTTS_MS {
            paths.extend(BUFFERS_BDP.map(|bdp| alone(spec, mbps, rtt, bdp)));
        }
    }
    let count = paths.len() as f64;
    let mean = paths.iter().map(|path| path.0).sum::<f64>() / count;
    let least = paths.iter().map(|path| path.0).fold(100.0, f64::min);
    let logs = paths.iter().map(|path| path.1.max(0.05).ln());
    let delay = (logs.sum::<f64>() / count).exp();
    let loss = paths.iter().map(|path| path.2).fold(0.0, f64::max);
    let jain = equality(spec, 100.0, 40, 4, 10)
        .min(equality(spec, 20.0, 100, 3, 20))
        .min(equality(spec, 100.0, 20, 10, 3));
    let bias = bias(spec, 100.0).max(bias(spec, 20.0));
    let start = start_up(spec).map_or("-".to_owned(), |n| n.to_string());
    format!("| `{spec}` | {mean:.1} / {least:.1} | {delay:.2} | {loss:.2} | {jain:.3} | {bias:.1} | {start} |")
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let specs = if given.is_empty() {
        VARIANTS.map(str::to_owned).to_vec()
    } else {
        given
    };
    println!("| variant | used, mean / least, % | p95 delay, geometric mean, ms | loss, most, % | Jain's index, least | largest share by smallest | round trips of start-up |");
    println!("|---|---|---|---|---|---|---|");
    for spec in specs {
        println!("{}", row(&spec));
    }
}
