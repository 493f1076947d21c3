//! How fast the lab is: `cargo run --release -p quiche-cc-lab --example throughput`
//!
//! Reports, for runs of different kinds, packets per second of processor time. A packet counts once for each link that it
//! crosses (a flow's own wire is one); datagrams are the servers' and count once.

use std::path::Path;
use std::time::Duration;

use nix::time::{clock_gettime, ClockId};
use quiche_cc_lab::scenario::{self, Overrides};
use quiche_cc_lab::simulation::{self, RunConfig};

const DUMBBELL: &str = r#"
title = "a dumbbell"
duration = "60s"
[[link]]
name = "bottleneck"
rate = "50Mbps"
delay = "20ms"
[[flow]]
name = "main"
path = ["bottleneck"]
traffic = { kind = "unlimited" }
"#;

fn main() {
    quiche_cc_lab::neighbour::register().unwrap();
    println!(
        "{:>22} {:>7} {:>13} {:>13} {:>9}",
        "controller and flows", "virtual", "packets/s", "datagrams/s", "speed-up"
    );
    for (cc, flows) in [
        ("reno", 1),
        ("cubic", 1),
        ("bbr2", 1),
        ("hybrid", 1),
        ("hybrid", 10),
        ("smallq", 10),
    ] {
        measure(cc, flows);
    }
}

fn measure(cc: &str, flows: usize) {
    let count = ("flow.main.count".to_owned(), flows.to_string());
    let scenario = scenario::parse(DUMBBELL, "dumbbell", Path::new(""), &Overrides(vec![count]))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut config = RunConfig {
        cc,
        seed: 1,
        qlog: None,
        recording: None,
        progress: &mut |_| {},
    };
    let begin = processor_time();
    let record = simulation::run(&scenario, &mut config).unwrap_or_else(|error| panic!("{error}"));
    let took = (processor_time() - begin).as_secs_f64();
    let data: usize = record.flows.iter().map(|flow| flow.sent.len()).sum();
    let seconds = scenario.duration.as_secs_f64();
    println!(
        "{:>22} {seconds:>5.0} s {:>13.0} {:>13.0} {:>8.0}x",
        format!("{cc} x {flows}"),
        record.simulated_packets as f64 / took,
        data as f64 / took,
        seconds / took
    );
}

/// So that others on this machine do not count.
fn processor_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .expect("Linux has this clock")
        .into()
}
