//! Nothing gets through for a while.

use std::time::Duration;

use quiche_cc::units::Bytes;
use quiche_cc_contract::expectation::{ensure, everybody, Law};
use quiche_cc_contract::path::{Direction, Outage, Path, Topology, SIZE};
use quiche_cc_contract::Subject;

use crate::{at_least, usual, SECOND};

/// When it begins.
const FROM: Duration = Duration::from_secs(20);
/// RTTs in which half of the rate has to be back. From two packets a window doubles to half of the 20 of the
/// bandwidth-delay product in three; additive increase takes ten.
const BACK_AFTER_RTTS: u32 = 25;
/// RTTs over which it is measured then.
const MEASURED_RTTS: u32 = 100;

fn with_outage(direction: Direction, length: Duration) -> Topology {
    let outage = Outage {
        direction,
        from: FROM,
        until: FROM + length,
    };
    Topology {
        outages: vec![outage],
        ..usual()
    }
}

fn survives(subject: &Subject, direction: Direction, length: Duration) -> Result<(), String> {
    let topology = with_outage(direction, length);
    let mut path = Path::with_flow(topology.clone(), subject);
    path.run_for(FROM - 5 * SECOND);
    let before = path.run_for(5 * SECOND);
    let during = path.run_for(length);
    // What fits into path and buffer, again for what is acknowledged late, and probes, whose timeout doubles.
    let fits = topology.bdp() + Bytes(topology.rate.bytes_in(topology.longest_queue()));
    let probes = 2 * (length.as_millis() as u64).ilog2();
    let most = 2 * fits.0.div_ceil(SIZE.0) + u64::from(probes);
    let sent = during.flows[0].sent_packets;
    ensure(sent <= most, || {
        format!("{sent} packets into an outage of {length:?}; {most} at most")
    })?;
    // The probe that ends it comes as late as the outage was long, for timeouts double.
    path.run_for(length + BACK_AFTER_RTTS * topology.rtt);
    let after = path.run_for(MEASURED_RTTS * topology.rtt);
    at_least(
        0.5,
        after.rate(0),
        before.rate(0),
        &format!("after {length:?}"),
    )
}

#[test]
fn an_outage_gets_little_and_leaves_nothing_behind() {
    everybody(Law::Outage, |subject| {
        survives(subject, Direction::Forward, SECOND)?;
        survives(subject, Direction::Forward, 10 * SECOND)
    });
}

#[test]
fn acks_that_are_missing_for_a_while_leave_nothing_behind() {
    everybody(Law::ReturnOutage, |subject| {
        survives(subject, Direction::Return, SECOND / 5)?;
        survives(subject, Direction::Return, 2 * SECOND)
    });
}
