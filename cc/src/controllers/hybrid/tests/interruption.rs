//! Paths that vanish for a while.

use serde::Deserialize;

use super::super::dips::Dips;
use super::super::interruption::interrupts;
use super::*;
use crate::measure::loss::LossCount;

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
    jitter_ms: f64,
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
        let mut dips = Dips::default();
        dips.add(Rate::default(), Some(delay(case.queue_ms)));
        let packet_time = Duration::from_secs_f64(SIZE.0 as f64 * 8.0 / case.rate_bps);
        let back = dips.usual(millis(case.length_ms), packet_time);
        let usual = back + 2 * millis(case.jitter_ms) + millis(case.max_ack_delay_ms);
        let losses = LossCount::new(case.lost, case.acked);
        let got = interrupts(&params, millis(case.duration_ms), usual, losses);
        assert_eq!(got, case.expect, "{case:?}");
    }
}

/// A flow in the steady phase that has 1 Mbit/s, after two seconds without anything, and the loss of this many packets.
fn after_silence(options: &str, lost: usize) -> Path {
    let mut path = Path::new(options);
    for queue_ms in [0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0] {
        path.epoch(queue_ms, 0);
    }
    assert!(!path.hybrid.in_startup());
    path.now = path.now + 2_000 * MILLI;
    path.ack(0.0, lost);
    path
}

#[test]
fn after_an_interruption_start_up_begins_again_with_the_minimum_window() {
    let mut path = after_silence("", 8);
    let report = path.hybrid.report.as_ref().expect("an epoch has ended");
    assert_eq!(report.outcome, Some("interrupted"));
    assert!(path.hybrid.in_startup());
    assert!(close(path.rate(), 2.0 * 1250.0 * 8.0 / 0.1));
    assert_eq!(path.hybrid.background, 0.0);
    for _ in 0..3 {
        path.epoch(0.0, 0);
    }
    assert!(path.hybrid.in_startup());
    assert!(path.rate() > 0.8e6, "{}", path.rate());
}

#[test]
fn silence_in_which_nothing_was_lost_is_no_interruption() {
    for (options, lost) in [("", 3), ("startup=off", 8), ("losscap=1", 8)] {
        let path = after_silence(options, lost);
        assert!(!path.hybrid.in_startup(), "{options}, {lost} lost");
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
            path.hybrid.report.take()?.outcome
        })
        .collect();
    assert_eq!(outcomes, ["new_path"]);
    assert!(path.hybrid.in_startup());
    assert_eq!(path.hybrid.length(), 160 * MILLI);
}

/// A flow in the steady phase whose application has little to send, after all of that was lost for three seconds.
fn after_a_blackout(options: &str) -> (Path, f64) {
    let mut path = Path::new(options);
    for queue_ms in [0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0] {
        path.epoch(queue_ms, 0);
    }
    let before = path.rate();
    if let Some(epoch) = &mut path.hybrid.epoch {
        epoch.window_full = false;
    }
    let lost: Vec<Lost> = (1..30)
        .map(|place| Lost {
            sent: path.now + 100 * place * MILLI,
            size: SIZE,
        })
        .collect();
    let sent = path.now + 3_100 * MILLI;
    path.now = path.now + 3_200 * MILLI;
    let acked = [Acked {
        sent,
        size: SIZE,
        received: None,
    }];
    let now = path.now;
    path.hybrid.on_feedback(&Feedback {
        lost: &lost,
        in_flight: SIZE,
        ..feedback(now, &acked)
    });
    (path, before)
}

#[test]
fn persistent_congestion_is_answered_by_every_profile_whatever_the_application_does() {
    for options in ["", "paper", "startup=off"] {
        let (path, before) = after_a_blackout(options);
        let report = path.hybrid.report.as_ref().expect("an epoch has ended");
        assert!(report.app_limited, "{options}: {report:?}");
        assert_eq!(report.outcome, Some("interrupted"), "{options}");
        assert!(path.rate() <= 2.0 * 1250.0 * 8.0 / 0.1 * 1.01, "{options}");
        assert!(
            path.rate() < before,
            "{options}: {} of {before}",
            path.rate()
        );
    }
}

#[test]
fn start_up_goes_to_four_times_of_what_is_in_flight_and_the_initial_window() {
    let mut path = Path::new("");
    path.hybrid.used = Used::default();
    for _ in 0..1_000 {
        let sent = path.now;
        path.now = path.now + 100 * MILLI;
        let acked = [Acked {
            sent,
            size: SIZE,
            received: None,
        }];
        path.hybrid.on_feedback(&Feedback {
            in_flight: SIZE * 4,
            ..feedback(path.now, &acked)
        });
    }
    assert!(path.hybrid.in_startup());
    let most = (4.0 * 4.0 + 10.0 + 4.0) * 1250.0 * 8.0 / 0.1;
    assert!(path.rate() <= most, "{} of {most}", path.rate());
}
