//! Interrupted paths.

use serde::Deserialize;

use super::super::judge::contended::Contended;
use super::super::judge::Judge;
use super::super::model::ack_gap::AckGap;
use super::super::model::delivery::Delivery;
use super::super::model::observe::interrupts;
use super::*;
use crate::feedback::{Lost, Space};
use crate::measure::loss_count::LossCount;

/// The part of the shared vectors that is about them.
#[derive(Deserialize)]
struct Vectors {
    interruption: Vec<Case>,
}

/// An epoch that the application has not limited.
#[derive(Debug, Deserialize)]
struct Case {
    options: String,
    duration_ms: f64,
    length_ms: f64,
    queue_ms: f64,
    rate_bps: f64,
    gap_ms: f64,
    max_ack_delay_ms: f64,
    lost: u64,
    acked: u64,
    expect: bool,
}

#[test]
fn interruptions_agree_with_the_shared_vectors() {
    let vectors: Vectors =
        serde_json::from_str(include_str!("../../../../../tests/vectors/hybrid.json")).unwrap();
    for case in vectors.interruption {
        let params = Params::parse(&case.options).unwrap();
        let mut delivery = Delivery::default();
        delivery.add(Rate::default(), Some(delay(case.queue_ms)));
        let packet_time = Duration::from_secs_f64(SIZE.0 as f64 * 8.0 / case.rate_bps);
        let gap = millis(case.gap_ms);
        let back = delivery.usual(millis(case.length_ms), packet_time, AckGap::of(gap));
        let usual = back + 2 * gap + millis(case.max_ack_delay_ms);
        let losses = LossCount::new(case.lost, case.acked);
        let got = interrupts(
            params.excessive_share(),
            millis(case.duration_ms),
            usual,
            losses,
        );
        assert_eq!(got, case.expect, "{case:?}");
    }
}

/// A flow in the steady phase that has 1 Mbit/s, after two seconds without anything, and the loss
/// of this many packets.
fn after_silence(options: &str, lost: usize) -> Path {
    let mut path = Path::steady(options);
    for queue_ms in [0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0] {
        path.epoch(queue_ms, 0);
    }
    assert!(!path.controller.control.state.is_startup());
    path.now = path.now + 2_000 * MILLI;
    path.ack(0.0, lost);
    path
}

#[test]
fn after_an_interruption_start_up_begins_again_with_the_minimum_window() {
    let mut path = after_silence("", 8);
    let report = path.controller.trace.latest().expect("an epoch has ended");
    assert_eq!(report.outcome, Some(Outcome::Interrupted));
    assert!(path.controller.control.state.is_startup());
    assert!(close(path.rate(), 2.0 * 1250.0 * 8.0 / 0.1));
    assert_eq!(path.controller.model.losses.background().share(), 0.0);
    for _ in 0..3 {
        path.epoch(0.0, 0);
    }
    assert!(path.controller.control.state.is_startup());
    assert!(path.rate() > 0.8e6, "{}", path.rate());
}

#[test]
fn nothing_but_the_base_delay_survives_an_interruption() {
    let mut path = Path::steady("");
    for (queue_ms, lost) in [
        (0.0, 0),
        (40.0, 0),
        (0.0, 1),
        (0.0, 1),
        (0.0, 1),
        (0.0, 1),
        (0.0, 1),
    ] {
        path.epoch(queue_ms, lost);
    }
    let model = |path: &Path| {
        let model = &path.controller.model;
        (
            model.losses.background().share(),
            model.delay.longest(),
            model.used_rate(),
        )
    };
    let (background, longest, had) = model(&path);
    assert!(background > 0.0 && longest > Some(delay(20.0)) && had > Rate::default());
    path.black_out();
    let report = path.controller.trace.latest().expect("an epoch has ended");
    assert_eq!(report.outcome, Some(Outcome::Interrupted));
    assert_eq!(model(&path), (0.0, None, Rate::default()));
}

#[test]
fn what_a_flow_had_before_competing_flows_came_survives_an_interruption() {
    let mut path = Path::steady("");
    for queue_ms in [0.0, 40.0, 0.0, 0.0] {
        path.epoch(queue_ms, 0);
    }
    let had = Rate::from_bps(8e6);
    let contended = Contended::new(path.now, had, delay(40.0), 100 * MILLI);
    path.controller.control.judge = Judge::contended(contended);
    path.controller.control.state = State::Holding;
    path.black_out();
    let report = path.controller.trace.latest().expect("an epoch has ended");
    assert_eq!(report.outcome, Some(Outcome::Interrupted));
    assert!(!path.controller.control.judge.is_contended());
    let used = path.controller.model.used_rate();
    assert!((used.bps() - had.bps()).abs() <= 1.0, "{used:?}");
}

#[test]
fn silence_in_which_nothing_was_lost_is_no_interruption() {
    for (options, lost) in [("", 3), ("without=excessive_loss", 8)] {
        let path = after_silence(options, lost);
        assert!(
            !path.controller.control.state.is_startup(),
            "{options}, {lost} lost"
        );
    }
}

#[test]
fn what_the_first_packets_meet_after_an_interruption_is_the_path() {
    let mut path = after_silence("", 8);
    // The way is 60 ms longer now; the first ACKs are of packets from before.
    path.now = path.now + 160 * MILLI;
    let outcomes: Vec<_> = (0..40)
        .filter_map(|_| {
            path.ack(60.0, 0);
            path.controller.trace.take()?.outcome
        })
        .collect();
    assert_eq!(outcomes, [Outcome::NewPath]);
    assert!(path.controller.control.state.is_startup());
    assert_eq!(path.controller.model.length(), 160 * MILLI);
}

#[test]
fn persistent_congestion_is_answered_whatever_the_application_does() {
    let mut path = Path::steady("");
    for queue_ms in [0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0] {
        path.epoch(queue_ms, 0);
    }
    path.in_flight = SIZE;
    path.epoch(0.0, 0);
    let before = path.rate();
    path.black_out();
    let report = path.controller.trace.latest().expect("an epoch has ended");
    assert!(report.seen.app_limited, "{report:?}");
    assert_eq!(report.outcome, Some(Outcome::Interrupted));
    assert!(path.rate() <= 2.0 * 1250.0 * 8.0 / 0.1 * 1.01 && path.rate() < before);
}

/// A handshake whose first packet came back after 100 ms, and of whose others, a second apart, only
/// the last one does.
fn handshake(lost: usize) -> Hybrid {
    let second = |n: u64| Time::from_origin(Duration::from_secs(n));
    let (first, last) = (second(1), second(2 + lost as u64));
    let lost: Vec<_> = (2..)
        .take(lost)
        .map(|n| Lost {
            sent: second(n),
            size: SIZE,
        })
        .collect();
    let mut hybrid = hybrid("");
    for (sent, lost) in [(first, &[][..]), (last, &lost)] {
        let acked = [Acked {
            sent,
            size: SIZE,
            received: None,
        }];
        hybrid.on_feedback(&Feedback {
            space: Space::Handshake,
            min_rtt: Some(100 * MILLI),
            ..Feedback::of(sent + 100 * MILLI, &acked, lost)
        });
    }
    hybrid
}

#[test]
fn after_persistent_congestion_in_the_handshake_two_packets_are_the_first_flight() {
    let in_a_round_trip = |lost| handshake(lost).decision().bandwidth;
    assert_eq!(in_a_round_trip(1), (SIZE * 10).per(100 * MILLI));
    assert_eq!(in_a_round_trip(3), (SIZE * 2).per(100 * MILLI));
}

#[test]
fn start_up_goes_to_four_times_of_what_is_in_flight_and_the_initial_window() {
    let mut path = Path::new("");
    path.controller.startup = Startup::default();
    for _ in 0..1_000 {
        let sent = path.now;
        path.now = path.now + 100 * MILLI;
        let acked = [Acked {
            sent,
            size: SIZE,
            received: None,
        }];
        path.controller.on_feedback(&Feedback {
            in_flight: SIZE * 4,
            ..Feedback::of(path.now, &acked, &[])
        });
    }
    assert!(path.controller.control.state.is_startup());
    let most = (4.0 * 4.0 + 10.0 + 4.0) * 1250.0 * 8.0 / 0.1;
    assert!(path.rate() <= most, "{} of {most}", path.rate());
}
