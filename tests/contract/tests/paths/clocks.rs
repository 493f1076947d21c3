//! Clocks of receivers: offset, steps, drift.

use std::time::Duration;

use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::expectation::{ensure, everybody, Law};
use quiche_cc_contract::path::{honest, Clock, Decided, Demand, Path, Receiver, Sender, Topology};
use quiche_cc_contract::Subject;

use crate::{at_least, usual, MILLI, SECOND};

fn decisions(subject: &Subject, ahead: Duration) -> Vec<Decided> {
    let mut path = Path::new(usual());
    let sender = Sender::new(subject).keep_decisions();
    path.add(sender, Receiver::reporting(honest(Clock::ahead(ahead))));
    path.run_for(20 * SECOND);
    path.sender(0).decisions().to_vec()
}

#[test]
fn the_offset_of_the_receivers_clock_changes_no_decision_at_all() {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);
    everybody(Law::ClockOffset, |subject| {
        let reference = decisions(subject, Duration::ZERO);
        for ahead in [
            Duration::from_nanos(1),
            7 * SECOND,
            30_001 * SECOND,
            50 * YEAR,
        ] {
            let got = decisions(subject, ahead);
            let first = got.iter().zip(&reference).find(|(a, b)| a != b);
            ensure(got == reference, || {
                format!("ahead by {ahead:?}: first difference {first:?}")
            })?;
        }
        ensure(reference.len() > 1_000, || "too few decisions".into())
    });
}

/// A receiver that was suspended: its clock stopped while nothing was sent.
#[test]
fn a_clock_that_is_set_during_idle_does_not_open_the_window() {
    everybody(Law::ClockStepInIdle, |subject| {
        for seconds in [3_600.0, -3_600.0] {
            let clock = Clock {
                steps: vec![(25 * SECOND, seconds)],
                ..Clock::ahead(7_200 * SECOND)
            };
            let pause = Demand::Except(vec![(20 * SECOND, 35 * SECOND)]);
            let mut path = Path::new(usual());
            let sender = Sender::with_demand(subject, pause);
            path.add(sender, Receiver::reporting(honest(clock)));
            let before = path.run_for(20 * SECOND).flows[0].largest_window;
            path.run_for(15 * SECOND);
            let after = path.run_for(10 * SECOND).flows[0].largest_window;
            ensure(after <= before * 2, || {
                format!("set by {seconds} s: window {after:?}, {before:?} before")
            })?;
        }
        Ok(())
    });
}

#[test]
fn a_clock_that_is_set_costs_no_more_than_a_moment() {
    everybody(Law::ClockStep, |subject| {
        for seconds in [1.0, -1.0, 3_600.0, -3_600.0] {
            let clock = Clock {
                steps: vec![(21 * SECOND, seconds), (23 * SECOND, -seconds)],
                ..Clock::ahead(7_200 * SECOND)
            };
            let mut path = Path::new(usual());
            path.add(Sender::new(subject), Receiver::reporting(honest(clock)));
            path.run_for(15 * SECOND);
            let before = path.run_for(5 * SECOND);
            let meanwhile = path.run_for(5 * SECOND);
            let after = path.run_for(5 * SECOND);
            let what = format!("set by {seconds} s");
            at_least(0.5, meanwhile.rate(0), before.rate(0), &what)?;
            at_least(
                0.75,
                after.rate(0),
                before.rate(0),
                &format!("{what}, afterwards"),
            )?;
        }
        Ok(())
    });
}

/// What drifts in a minimum's window looks like queue, or hides it: the measure is what the flow does
/// with a clock that is right.
#[test]
fn half_an_hour_of_drift_is_no_queue() {
    let topology = Topology::new(1_000_000, 100 * MILLI, Buffer::Time(400 * MILLI));
    let minutes = 60 * SECOND;
    everybody(Law::ClockDrift, |subject| {
        let run = |drift_ppm| {
            let clock = Clock {
                drift_ppm,
                ..Clock::right()
            };
            let mut path = Path::new(topology.clone());
            path.add(Sender::new(subject), Receiver::reporting(honest(clock)));
            path.run_for(minutes);
            path.run_for(29 * minutes)
        };
        let right = run(0);
        for ppm in [-200, 200] {
            let got = run(ppm);
            at_least(0.8, got.rate(0), right.rate(0), &format!("{ppm} ppm"))?;
            let most = right.mean_queue() + topology.rtt / 10;
            ensure(got.mean_queue() <= most, || {
                format!(
                    "{ppm} ppm: mean queue {:?} above {most:?}",
                    got.mean_queue()
                )
            })?;
        }
        Ok(())
    });
}
