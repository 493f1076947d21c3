//! What a source is told.

use super::super::judge::contended::Contended;
use super::super::judge::Judge;
use super::*;
use crate::estimate::State::{Contended as Beside, Interrupted, Startup, Steady};

fn estimate(path: &Path) -> crate::estimate::Estimate {
    path.controller.estimate(path.now)
}

fn mbps(rate: Option<Rate>) -> f64 {
    rate.expect("it is known").bps() / 1e6
}

/// A path on which a queue was met at about 1 Mbit/s and has drained.
fn known() -> Path {
    let mut path = Path::new("");
    for queue_ms in [0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0] {
        path.epoch(queue_ms, 0);
    }
    path
}

#[test]
fn before_anything_has_arrived_nothing_is_known_but_the_state() {
    let fresh = hybrid("initial_rate=8Mbps");
    let told = fresh.estimate(Time::default());
    let expected = crate::estimate::Estimate {
        state: Some(Startup),
        ..Default::default()
    };
    assert_eq!(told, expected);
}

#[test]
fn it_is_at_most_twice_what_arrives_unless_more_has_been_tried() {
    // A packet of 1250 bytes every 10 ms: 1 Mbit/s.
    let mut path = Path::new("initial_rate=8Mbps");
    path.epoch(0.0, 0);
    assert!(path.rate() > 8e6);
    let told = estimate(&path);
    assert!(close(mbps(told.target), 2.0 * mbps(told.least)));
    assert!((0.9..=1.2).contains(&mbps(told.least)), "{told:?}");
    assert_eq!((told.most, told.state), (None, Some(Startup)));
}

#[test]
fn a_queue_that_was_met_bounds_it_until_more_is_sent_without_one() {
    let mut path = Path::steady("target_delay=12ms");
    path.epoch(0.0, 0);
    assert_eq!(estimate(&path).most, None);
    let before = path.rate();
    path.epoch(18.0 / 0.9, 0);
    let told = estimate(&path);
    assert!(close(mbps(told.most), before / 1e6), "{told:?}");
    assert!(told.target < told.most && told.state == Some(Steady));
    assert!((17.0..19.0).contains(&(told.queueing_delay.unwrap().as_secs_f64() * 1e3)));
    let refuted = (0..2_000).find(|_| {
        path.epoch(0.0, 0);
        estimate(&path).most.is_none()
    });
    assert!(refuted.is_some() && path.rate() > before);
}

#[test]
fn what_the_application_does_not_use_keeps_its_target_and_its_evidence_grows_old() {
    let mut path = Path::steady("target_delay=12ms");
    for queue_ms in [0.0, 18.0, 0.0, 0.0, 0.0] {
        path.epoch(queue_ms, 0);
    }
    // A tenth of what was sent.
    (path.in_flight, path.every) = (SIZE, 100 * MILLI);
    (0..3).for_each(|_| path.ack(0.0, 0));
    let (before, began) = (estimate(&path), path.now);
    (0..30).for_each(|_| path.ack(0.0, 0));
    let told = estimate(&path);
    assert_eq!((told.target, told.most), (before.target, before.most));
    assert!(
        told.most > told.target && mbps(told.least) < 0.2,
        "{told:?}"
    );
    let age = told.evidence_age.expect("it was tried");
    assert!(age >= path.now.since(began), "{age:?}");
    // Queues are forgotten with the minima.
    for _ in 0..80 {
        path.ack(0.0, 0);
    }
    assert_eq!(estimate(&path).most, None);
}

#[test]
fn beside_others_it_is_what_is_held_also_while_less_is_sent_to_probe() {
    let mut path = known();
    let others = Contended::new(path.now, Rate::from_bps(2e6), delay(60.0), 100 * MILLI);
    path.controller.control.judge = Judge::contended(others);
    path.controller.control.state = State::Holding;
    path.controller.control.rate = others.held();
    path.controller.decide();
    let states: Vec<State> = (0..30)
        .map(|_| {
            path.epoch(60.0, 0);
            let told = estimate(&path);
            let state = path.controller.control.state;
            let share = if state == State::Probing { 0.5 } else { 1.0 };
            assert!(
                close(mbps(told.target) * share, path.rate() / 1e6),
                "{told:?}"
            );
            assert_eq!((told.state, told.most), (Some(Beside), None), "{state:?}");
            state
        })
        .take_while(|state| *state != State::Probing)
        .collect();
    assert!((10..30).contains(&states.len()), "{states:?}");
}

#[test]
fn after_an_interruption_nothing_is_known_until_something_comes_back() {
    let mut path = known();
    path.black_out();
    let told = estimate(&path);
    assert_eq!(told.state, Some(Interrupted));
    assert_eq!(
        (told.target, told.most, told.queueing_delay),
        (None, None, None)
    );
    assert!(told.evidence_age.unwrap() > 2_000 * MILLI);
    // The first that comes back was sent before.
    for _ in 0..3 {
        path.epoch(0.0, 0);
    }
    let told = estimate(&path);
    assert_eq!(told.state, Some(Startup));
    assert!(told.target.is_some());
}

/// Three packets arrive 10 ms apart, and have left together.
#[test]
fn receive_timestamps_tell_what_the_link_carries_although_little_is_sent() {
    let mut path = Path::new("");
    path.in_flight = SIZE;
    for round in 0..40 {
        path.now = path.now + 200 * MILLI;
        let sent = Time::from_origin(Duration::from_nanos(path.now.as_nanos()) - 120 * MILLI);
        let arrival = |place: u32| 50 * MILLI + 200 * MILLI * round + 10 * MILLI * place;
        let acked: Vec<Acked> = (0..3)
            .map(|place| Acked {
                sent: sent + Duration::from_micros(u64::from(place)),
                size: SIZE,
                received: Some(arrival(place)),
            })
            .collect();
        path.controller.on_sent(path.now, SIZE * 3);
        path.controller.on_feedback(&Feedback {
            in_flight: SIZE,
            ..Feedback::of(path.now, &acked, &[])
        });
    }
    let told = estimate(&path);
    assert!((0.99..=1.01).contains(&mbps(told.most)), "{told:?}");
    assert!(mbps(told.least) < 0.2, "{told:?}");
}
