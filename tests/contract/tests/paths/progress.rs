//! Paths from 1 Mbit/s to 1 Gbit/s and 5 to 300 ms.

use std::time::Duration;

use quiche_cc::units::{Bytes, Rate};
use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::expectation::{ensure, everybody, mean_queue, Law};
use quiche_cc_contract::path::{Path, Receiver, Sender, Topology, SIZE};

use crate::{at_least, MILLI, SECOND};

const RATES: [u64; 4] = [1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
const RTTS: [Duration; 3] = [
    Duration::from_millis(5),
    Duration::from_millis(50),
    Duration::from_millis(300),
];
/// The window that everybody starts with.
const INITIAL: Bytes = Bytes(10 * SIZE.0);

fn paths() -> impl Iterator<Item = Topology> {
    let buffer = Buffer::Bdp(2.0);
    RATES
        .into_iter()
        .flat_map(move |rate| RTTS.map(|rtt| Topology::new(rate, rtt, buffer)))
}

/// Ten seconds, or less where that were too many packets for a test.
fn span_of(topology: &Topology) -> Duration {
    (200_000 * topology.serialisation(SIZE)).min(10 * SECOND)
}

/// A controller that never did anything would keep the initial window: this much at least.
#[test]
fn everybody_gets_on_on_every_path() {
    everybody(Law::Progress, |subject| {
        for topology in paths() {
            let mut path = Path::with_flow(topology.clone(), subject);
            let span = (30 * topology.rtt).max(span_of(&topology));
            path.run_for(span / 2);
            let got = path.run_for(span / 2).rate(0);
            let link = Rate::from_bps(topology.rate.bits_per_sec() as f64);
            let start = INITIAL.per(topology.rtt + topology.serialisation(SIZE));
            at_least(
                0.5,
                got,
                link.min(start),
                &format!("{link}, {:?}", topology.rtt),
            )?;
        }
        Ok(())
    });
}

/// Where the buffer is deep enough that the promise says something.
#[test]
fn the_queue_is_as_short_as_promised() {
    everybody(Law::Queue, |subject| {
        let Some(promised) = mean_queue(subject.name) else {
            return Ok(());
        };
        for (rate, rtt) in [(1_000_000, 100), (10_000_000, 40), (50_000_000, 20)] {
            let buffer = Buffer::Time(400 * MILLI);
            let mut path = Path::with_flow(Topology::new(rate, rtt * MILLI, buffer), subject);
            path.run_for(20 * SECOND);
            let queue = path.run_for(20 * SECOND).mean_queue();
            ensure(queue <= promised, || {
                format!("{rate} bit/s, {rtt} ms: mean queue {queue:?} is above {promised:?}")
            })?;
        }
        Ok(())
    });
}

/// A quarter of an equal share is not fair, but neither is it starvation.
#[test]
fn two_flows_share_whoever_came_first() {
    everybody(Law::Sharing, |subject| {
        for (rate, rtt) in [(1_000_000, 100), (10_000_000, 40)] {
            let topology = Topology::new(rate, rtt * MILLI, Buffer::Time(400 * MILLI));
            let mut path = Path::with_flow(topology, subject);
            path.run_for(SECOND);
            path.add(Sender::new(subject), Receiver::default());
            path.run_for(60 * SECOND);
            let stage = path.run_for(60 * SECOND);
            let equal = Rate::from_bps(rate as f64 / 2.0);
            for flow in 0..2 {
                at_least(0.25, stage.rate(flow), equal, &format!("flow {flow}"))?;
            }
        }
        Ok(())
    });
}
