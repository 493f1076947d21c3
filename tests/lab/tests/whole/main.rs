//! The lab as a whole, with real connections.

mod acks;
mod claims;
mod compare;
mod determinism;
mod documentation;
mod encoder;
mod estimate;
mod known;
mod media;
mod neighbours;
mod program;
mod scenario_errors;
mod shards;
mod sweeps;
mod truth;

use std::path::Path;

use quiche_cc_bottleneck::Time;
use quiche_cc_lab::neighbour;
use quiche_cc_lab::record::Record;
use quiche_cc_lab::scenario::{self, Overrides, Scenario};
use quiche_cc_lab::simulation::{self, RunConfig};
use quiche_cc_lab::stats::Window;
use quiche_cc_lab::sweep::Plan;

/// The scenario of this text.
fn scenario(text: &str) -> Scenario {
    scenario::parse(text, "test", Path::new(""), &Overrides::default()).unwrap()
}

/// A run of the scenario with this controller under test.
fn plan(text: &str, cc: &str, seed: u64) -> Plan {
    Plan {
        name: format!("{cc},seed={seed}"),
        scenario: scenario(text),
        text: text.to_owned(),
        cc: cc.to_owned(),
        seed,
        parameters: Vec::new(),
    }
}

/// What comes out of it.
fn run(plan: &Plan) -> Record {
    neighbour::register().unwrap();
    let mut config = RunConfig {
        cc: &plan.cc,
        seed: plan.seed,
        qlog: None,
        recording: None,
        progress: &mut |_| {},
    };
    simulation::run(&plan.scenario, &mut config).unwrap()
}

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn window(from_ms: u64, to_ms: u64) -> Window {
    Window::new(ms(from_ms), ms(to_ms)).unwrap()
}

/// What comes out of the scenario of this text.
fn record(text: &str, cc: &str) -> Record {
    run(&plan(text, cc, 1))
}
