//! What everybody does on whole paths. Bounds stem from the path (bandwidth-delay product, RTT, buffer) or
//! from the same controller without the disturbance.

mod application;
mod clocks;
mod disturbance;
mod ecn;
mod outage;
mod progress;
mod scaling;

use std::time::Duration;

use quiche_cc::units::Rate;
use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::path::{Path, Topology};
use quiche_cc_contract::Subject;

const SECOND: Duration = Duration::from_secs(1);
const MILLI: Duration = Duration::from_millis(1);

/// A path on which everybody gets going: 20 packets of bandwidth-delay product, twice of them in the buffer.
fn usual() -> Topology {
    Topology::new(5_000_000, 40 * MILLI, Buffer::Bdp(2.0))
}

/// What a flow of `subject` gets of this path, alone, after `warm_up`.
fn undisturbed(topology: &Topology, subject: &Subject, warm_up: Duration, span: Duration) -> Rate {
    let mut path = Path::with_flow(topology.clone(), subject);
    path.run_for(warm_up);
    path.run_for(span).rate(0)
}

/// `got` is at least so much of `reference`, or the message.
fn at_least(share: f64, got: Rate, reference: Rate, what: &str) -> Result<(), String> {
    quiche_cc_contract::expectation::ensure(got >= reference * share, || {
        format!("{what}: {got} is less than {share} of {reference}")
    })
}
