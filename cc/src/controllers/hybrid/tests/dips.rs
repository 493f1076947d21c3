//! Paths whose capacity varies.

use serde::Deserialize;

use super::super::model::ack_gap::AckGap;
use super::super::model::delivery::{head_start, stalls, Delivery};
use super::*;

/// The part of the shared vectors that is about them.
#[derive(Deserialize)]
struct Vectors {
    dips: Vec<DipsCase>,
}

/// Epochs one after the other, in some of which the path is stalled.
#[derive(Deserialize)]
struct DipsCase {
    options: String,
    length_ms: f64,
    steps: Vec<DipsStep>,
}

#[derive(Debug, Deserialize)]
struct DipsStep {
    duration_ms: f64,
    rate_bps: f64,
    acked_bytes: u64,
    delta_ms: f64,
    gap_ms: f64,
    decrease: bool,
    expect_arriving_ms: f64,
    expect_believed_bps: f64,
    expect_varies: f64,
    expect_head_start_ms: f64,
}

/// After an epoch in which two packets come back instead of ten. Of the delay it has the sample
/// with which it began and the first of the two.
fn after_a_bad_moment(options: &str) -> Path {
    let mut path = Path::steady(options);
    for _ in 0..9 {
        path.epoch(0.0, 0);
    }
    for _ in 0..2 {
        path.now = path.now + 40 * MILLI;
        path.ack(120.0, 0);
    }
    path
}

#[test]
fn what_arrives_in_one_bad_moment_is_not_what_the_path_carries() {
    // A queue of 60 ms drains in three epochs of 100 ms.
    let rate = after_a_bad_moment("").rate();
    assert!(close(rate, 0.7 * 1e6 * 0.8), "{rate}");
    let rate = after_a_bad_moment("without=dips").rate();
    assert!(close(rate, 0.2 * 1e6 * 0.8), "{rate}");
}

#[test]
fn what_comes_at_once_in_an_epoch_that_ends_early_is_no_rate_of_the_path() {
    let mut path = Path::steady("");
    for _ in 0..9 {
        path.epoch(0.0, 0);
    }
    // The epoch after the decrease is over when the last packet comes back that was sent before;
    // and the next one, a tenth of a millisecond later, with the first that was sent since.
    path.epoch(20.0, 0);
    path.now = path.now + 90 * MILLI;
    path.ack(20.0, 0);
    path.every = MILLI / 10;
    path.ack(0.0, 0);
    let floor = path.controller.model.delivery.floor(&Params::default());
    assert!(floor.bps() <= 0.7 * 1.2e6, "{floor:?}");
}

#[test]
fn a_bad_moment_that_lasts_is_believed_after_eight_epochs() {
    let mut path = after_a_bad_moment("without=contention");
    for _ in 0..12 {
        path.now = path.now + 190 * MILLI;
        path.ack(60.0, 0);
    }
    assert!(path.rate() < 0.1 * 1e6, "{}", path.rate());
}

#[test]
fn after_decreases_at_dips_the_increase_begins_as_if_it_had_grown() {
    let mut path = after_a_bad_moment("");
    assert_eq!(path.controller.model.delivery.variability(), 0.125);
    assert_eq!(path.controller.control.since_decrease, 150 * MILLI);
    for _ in 0..3 {
        path.epoch(0.0, 0);
    }
    let low = path.rate();
    path.epoch(0.0, 0);
    let expected = 0.02 * 1e4 / 0.1 * 1.5f64.powf(1.5);
    assert!(close(path.rate() - low, expected), "{}", path.rate() - low);
}

#[test]
fn time_in_which_the_path_stands_still_does_not_count() {
    let mut path = Path::steady("");
    path.epoch(0.0, 0);
    for _ in 0..5 {
        path.ack(0.0, 0);
    }
    path.now = path.now + 840 * MILLI;
    path.ack(850.0, 0);
    let report = path.controller.trace.latest().expect("an epoch has ended");
    assert!(report.seen.stalled());
    // Six packets in L, and not in 900 ms.
    assert!(
        close(report.seen.delivery_rate.bps(), 0.6 * 1e6),
        "{:?}",
        report.seen.delivery_rate
    );
}

#[test]
fn time_in_which_nothing_is_sent_is_none_in_which_the_path_stands_still() {
    let mut path = Path::steady("");
    path.epoch(0.0, 0);
    path.now = path.now + 5_000 * MILLI;
    path.ack(0.0, 0);
    let report = path.controller.trace.latest().expect("an epoch has ended");
    assert!(!report.seen.stalled());
}

#[test]
fn what_varies_agrees_with_the_shared_vectors() {
    let vectors: Vectors =
        serde_json::from_str(include_str!("../../../../../tests/vectors/hybrid.json")).unwrap();
    for case in vectors.dips {
        let params = Params::parse(&case.options).unwrap();
        let (length, mut dips) = (millis(case.length_ms), Delivery::default());
        for step in &case.steps {
            let packet_time = Duration::from_secs_f64(SIZE.0 as f64 * 8.0 / step.rate_bps);
            let (duration, usual) = (
                millis(step.duration_ms),
                dips.usual(length, packet_time, AckGap::of(millis(step.gap_ms))),
            );
            let arriving = match stalls(duration, usual) {
                true => usual,
                false => duration,
            };
            let arrived = Bytes(step.acked_bytes).per(arriving);
            dips.add(arrived, Some(delay(step.delta_ms)));
            let floor = dips.floor(&params);
            if step.decrease {
                dips.learn(arrived < floor);
            }
            let rate = Rate::from_bps(step.rate_bps);
            let start = head_start(
                dips.variability(),
                law::growth_period(&params, SIZE, rate, length),
            );
            for (got, expected) in [
                (arriving.as_secs_f64() * 1e3, step.expect_arriving_ms),
                (floor.bps(), step.expect_believed_bps),
                (dips.variability(), step.expect_varies),
                (start.as_secs_f64() * 1e3, step.expect_head_start_ms),
            ] {
                let slack = 1e-6 * expected.max(1.0);
                assert!(
                    (got - expected).abs() <= slack,
                    "{got}, not {expected}: {step:?}"
                );
            }
        }
    }
}
