//! Applications that do not always have something to send.

use std::time::Duration;

use quiche_cc::controller::{Controller, Decision};
use quiche_cc::units::Bytes;
use quiche_cc_contract::expectation::{ensure, everybody, Law};
use quiche_cc_contract::path::{Demand, Path, Receiver, Sender, Topology, SIZE};

use crate::{at_least, undisturbed, usual, MILLI, SECOND};

/// When the pauses begin.
const FROM: Duration = Duration::from_secs(20);

/// RFC 9002, section 7.7, paces at a small multiple of the window per RTT and has 1.25 as an example; slow start needs 2.
const MOST_GAIN: f64 = 2.0;

/// What a window may build up as it leaves: the allowed burst, and what comes faster than it drains.
fn burst_queue(topology: &Topology, decision: &Decision) -> Duration {
    let burst = decision.burst.after_idle + decision.burst.together;
    let drain = topology.rate.time_for(decision.window.0);
    let leave = Duration::from_secs_f64(decision.window.0 as f64 * 8.0 / decision.pacing.bps());
    topology.serialisation(SIZE) * burst as u32 + drain.saturating_sub(leave)
}

#[test]
fn after_idle_nobody_bursts_and_the_rate_comes_back() {
    let topology = usual();
    everybody(Law::Idle, |subject| {
        for pause in [SECOND, 70 * SECOND] {
            let demand = Demand::Except(vec![(FROM, FROM + pause)]);
            let mut path = Path::new(topology.clone());
            path.add(Sender::with_demand(subject, demand), Receiver::default());
            path.run_for(FROM - 10 * SECOND);
            let before = path.run_for(10 * SECOND);
            path.run_for(pause);
            // Idle earns nothing (RFC 9002, section 7.8). What was sent before it may have earned a packet.
            let decision = path.sender(0).controller().decision();
            let earned = before.flows[0].largest_window + SIZE;
            ensure(decision.window <= earned, || {
                format!(
                    "window {:?} after {pause:?}, {:?} before",
                    decision.window, before.flows[0].largest_window
                )
            })?;
            let gain = decision.pacing.bps() / decision.window.per(topology.rtt).bps();
            ensure(gain <= MOST_GAIN, || {
                format!("after {pause:?} a window leaves at {gain} times its rate")
            })?;
            let resumed = path.run_for(2 * topology.rtt);
            let most = before.longest_queue + burst_queue(&topology, &decision);
            ensure(resumed.longest_queue <= most, || {
                format!(
                    "{:?} of queue after {pause:?}; {most:?} at most",
                    resumed.longest_queue
                )
            })?;
            path.run_for(20 * topology.rtt);
            let after = path.run_for(10 * SECOND);
            at_least(
                0.5,
                after.rate(0),
                before.rate(0),
                &format!("after {pause:?}"),
            )?;
        }
        Ok(())
    });
}

/// Frames that take a quarter of the path for a minute. What is never used is not earned.
#[test]
fn a_window_that_is_not_used_does_not_grow_and_is_usable_afterwards() {
    let topology = usual();
    let every = 40 * MILLI;
    let frame = Bytes(topology.rate.bytes_in(every) / 4);
    everybody(Law::AppLimited, |subject| {
        let mut path = Path::new(topology.clone());
        let demand = Demand::Frames { size: frame, every };
        path.add(Sender::with_demand(subject, demand), Receiver::default());
        let stage = path.run_for(60 * SECOND);
        let sent = Bytes(frame.0).per(every);
        at_least(0.9, stage.rate(0), sent, "frames")?;
        let mut endless = Path::with_flow(topology.clone(), subject);
        let most = endless.run_for(60 * SECOND).flows[0].largest_window;
        let window = stage.flows[0].largest_window;
        ensure(window <= most, || {
            format!("window {window:?}; {most:?} when all of it is used")
        })?;
        path.sender(0).set_demand(Demand::Endless);
        path.run_for(20 * topology.rtt);
        let after = path.run_for(10 * SECOND).rate(0);
        let fresh = undisturbed(&topology, subject, 20 * topology.rtt, 10 * SECOND);
        at_least(0.75, after, fresh, "then endless, against a new flow")
    });
}
