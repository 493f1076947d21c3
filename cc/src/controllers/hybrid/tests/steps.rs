//! What a step leaves where something has become of a queue: rules 8 and 9 of the control step.

use std::time::Duration;

use super::super::control::{step, Control, State, Step};
use super::super::judge::contended::Contended;
use super::super::judge::{Judge, Outcome};
use super::super::model::seen::{Met, Observed, Seen};
use super::super::Params;
use super::epochs::{seen, with_queue};
use crate::measure::loss_count::LossCount;
use crate::units::{Owd, Rate, Time};

const LENGTH: Duration = Duration::from_millis(40);

fn at(epoch: u32) -> Time {
    Time::from_origin(Duration::from_secs(1) + epoch * LENGTH)
}

fn mbps(rate: f64) -> Rate {
    Rate::from_bps(rate * 1e6)
}

fn millis(delay: f64) -> Owd {
    Owd::from_nanos((delay * 1e6) as i64)
}

fn growing(rate: Rate) -> Control {
    Control {
        state: State::Growing,
        ..Control::new(rate)
    }
}

/// The step at which something becomes of a queue of `delay` ms in each epoch, of which 4 of 40
/// packets are lost or none, for a flow that grows at 10 Mbit/s.
fn outcome_of(delay: impl Fn(u32) -> f64, lost: u64) -> Step {
    let mut from = growing(mbps(10.0));
    let ends = (1..200).find_map(|epoch| {
        let seen = Seen {
            now: at(epoch),
            delivery_rate: mbps(10.0),
            used_rate: mbps(10.0),
            variability: 0.5,
            losses: LossCount::new(lost, 40 - lost),
            ..with_queue(millis(delay(epoch)))
        };
        let made = step(&Params::default(), &seen, &from);
        from = made.next;
        made.outcome.is_some().then_some(made)
    });
    ends.expect("something becomes of it")
}

#[test]
fn a_queue_that_others_keep_is_held_against_from_then_on() {
    let made = outcome_of(|epoch| 60.0 + f64::from(epoch % 7) * 5.0, 4);
    assert_eq!(made.outcome, Some(Outcome::Contended));
    assert_eq!(made.next.state, State::Holding);
    assert_eq!(made.next.judge.held(), Some(made.next.rate));
    assert_eq!(made.next.since_decrease, Duration::ZERO);
}

#[test]
fn a_delay_that_stays_is_a_longer_path_and_gives_the_rate_back() {
    let made = outcome_of(|_| 60.0, 0);
    assert_eq!(made.outcome, Some(Outcome::LongerPath));
    assert_eq!(made.next.state, State::Growing);
    assert!(!made.next.judge.is_contended());
    assert_eq!(made.next.since_decrease, Duration::ZERO);
    let back = 10.0 * (1.0 - Params::default().min_decrease);
    assert!((made.next.rate.bps() / 1e6 - back).abs() < 1e-9);
}

#[test]
fn what_competing_flows_take_of_the_share_is_a_decrease() {
    let contended = Contended::new(at(0), mbps(10.0), millis(50.0), LENGTH);
    let from = Control {
        judge: Judge::contended(contended),
        state: State::Holding,
        ..Control::new(contended.held())
    };
    let observed = Observed {
        delta: millis(50.0),
        queue: millis(50.0),
        unusual_loss: true,
        excessive_loss: true,
    };
    let seen = Seen {
        now: at(1),
        observed: Some(observed),
        ..seen()
    };
    let made = step(&Params::default(), &seen, &from);
    let beta = made.beta.expect("a decrease");
    let left = made.next.rate.bps() / contended.held().bps();
    assert!(beta > 0.0 && (1.0 - beta - left).abs() < 0.01, "{made:?}");
    assert_eq!(made.next.state, State::Holding);
}

/// The end of an epoch of start-up at 10 Mbit/s that has met a queue, of which little comes back.
fn meets_a_queue(app_limited: bool, may_queue: bool, lost: u64) -> Step {
    let seen = Seen {
        met: Met::Queue,
        delivery_rate: mbps(0.1),
        recently_app_limited: app_limited,
        may_queue,
        losses: LossCount::new(lost, 4),
        ..with_queue(millis(10.0))
    };
    let seen = Seen {
        observed: seen.observed.map(|observed| Observed {
            excessive_loss: lost > 0,
            ..observed
        }),
        ..seen
    };
    step(&Params::default(), &seen, &Control::new(mbps(10.0)))
}

#[test]
fn a_queue_met_by_a_source_that_hardly_sends_does_not_end_start_up() {
    let ends = |app_limited, may_queue| {
        let next = meets_a_queue(app_limited, may_queue, 0).next;
        (!next.state.is_startup(), next.rate < mbps(1.0))
    };
    assert_eq!(ends(true, false), (false, false));
    assert_eq!(ends(true, true), (true, true));
    assert_eq!(ends(false, false), (true, true));
}

#[test]
fn losses_end_it_but_what_hardly_anything_brings_back_is_no_rate() {
    let next = meets_a_queue(true, false, 2).next;
    let drain = next.state.drain().expect("a decrease");
    assert_eq!((drain.return_rate, drain.ceiling), (mbps(10.0), None));
    assert!(next.rate >= mbps(5.0) && next.rate < mbps(10.0));
}
