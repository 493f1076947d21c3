use proptest::prelude::*;

use super::*;
use crate::controller::Value;
use crate::feedback::{Acked, Lost};

const MILLI: Duration = Duration::from_millis(1);
const M: f64 = 1250.0;
const SIZE: Bytes = Bytes(1250);

fn at(millis: u64) -> Time {
    Time::from_origin(MILLI * millis as u32)
}

fn controller(options: &str) -> Vegas {
    let start = Start {
        initial_window_packets: 10,
        max_datagram_size: SIZE,
        initial_rtt: 333 * MILLI,
    };
    Vegas::new(Params::parse(options).unwrap(), "vegas", start)
}

/// Something to send without end over a path whose RTT the test says.
struct Path {
    vegas: Vegas,
    now: u64,
    /// The source always has something to send unless this is set.
    in_flight: Bytes,
}

impl Path {
    fn new(options: &str) -> Self {
        let mut path = Self {
            vegas: controller(options),
            now: 10_000,
            in_flight: Bytes(u64::MAX),
        };
        // The first round trip: nothing to compare with.
        path.ack(100, SIZE);
        path
    }

    /// A packet comes back after `rtt` ms.
    fn ack(&mut self, rtt: u64, size: Bytes) {
        let acked = [Acked {
            sent: at(self.now - rtt),
            size,
            received: None,
        }];
        self.vegas.on_feedback(&Feedback {
            in_flight: self.in_flight,
            ..Feedback::of(at(self.now), &acked, &[])
        });
    }

    /// A round trip of `rtt` ms with eleven packets; gives the change of the window in packets.
    fn trip(&mut self, rtt: u64) -> f64 {
        let before = self.window();
        let end = self.now + rtt + 1;
        for _ in 0..10 {
            self.now += 1;
            self.ack(rtt, SIZE);
        }
        self.now = end;
        self.ack(rtt, SIZE);
        self.window() - before
    }

    fn window(&self) -> f64 {
        self.vegas.reno.window() / M
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn the_window_follows_the_packets_that_wait() {
    // 10 packets in 100 ms; a packet more per 10 ms of queue.
    let mut path = Path::new("ssthresh=2");
    assert!(close(path.window(), 11.0));
    // 11 * 20 / 120 = 1.8 packets wait.
    assert!(close(path.trip(120), 1.0));
    // 12 * 30 / 130 = 2.8 packets.
    assert!(close(path.trip(130), 0.0));
    // 12 * 60 / 160 = 4.5 packets.
    assert!(close(path.trip(160), -1.0));
}

#[test]
fn the_smallest_rtt_of_the_round_trip_counts() {
    let mut path = Path::new("ssthresh=2");
    path.now += 5;
    path.ack(100, SIZE);
    assert!(close(path.trip(180), 1.0));
}

#[test]
fn with_the_mean_no_queue_is_missed() {
    let mut path = Path::new("ssthresh=2,rtt=mean");
    path.now += 5;
    path.ack(100, SIZE);
    // (100 + 11 * 180) / 12 is 173 ms: 11 * 73 / 173 = 4.7 packets.
    assert!(close(path.trip(180), -1.0));
}

#[test]
fn slow_start_doubles_until_the_queue_holds_gamma_packets() {
    let mut path = Path::new("");
    assert!(close(path.window(), 11.0));
    // Eleven packets in 101 ms.
    assert!(close(path.trip(100), 11.0));
    assert_eq!(path.vegas.state(), "slow_start");
    // With the eighth sample 30 * 10 / 110 packets wait: more than gamma. What doesn't wait is kept
    // and a packet more, and what comes back of the larger window is not judged.
    path.trip(110);
    assert!(
        close(path.window(), 300.0 / 11.0 + 1.0),
        "{}",
        path.window()
    );
    assert_eq!(path.vegas.state(), "congestion_avoidance");
    assert!(close(path.trip(300), 0.0));
    assert!(close(path.trip(300), -1.0));
}

#[test]
fn slow_start_goes_back_to_what_comes_back() {
    let mut path = Path::new("");
    path.trip(100);
    // Packets come back 5 ms apart: 20 in 100 ms.
    for count in 1..=8 {
        path.now += 5;
        path.ack(120, SIZE);
        assert_eq!(path.vegas.state() == "slow_start", count < 8);
    }
    assert!(close(path.window(), 21.0), "{}", path.window());
}

#[test]
fn a_pause_is_no_slow_path() {
    let mut path = Path::new("");
    path.trip(100);
    let before = path.window();
    // Ten seconds without anything to send, and then jitter: 22 * 12 / 112 packets would wait.
    path.now += 10_000;
    path.ack(112, SIZE);
    let kept = (before + 1.0) * 100.0 / 112.0 + 1.0;
    assert!(close(path.window(), kept), "{}", path.window());
}

#[test]
fn what_the_application_sends_is_not_what_the_path_carries() {
    let mut path = Path::new("");
    (0..4).for_each(|_| {
        path.trip(100);
    });
    let before = path.window();
    // A packet now and then, less than the window for long: packets come back as slowly.
    path.in_flight = SIZE * 3;
    path.trip(100);
    path.trip(100);
    path.trip(112);
    assert!(
        path.window() > 0.8 * before,
        "{} of {before}",
        path.window()
    );
}

#[test]
fn the_papers_slow_start_grows_in_every_other_round_trip() {
    let mut path = Path::new("paper");
    assert!(close(path.trip(100), 0.0));
    assert!(close(path.trip(100), 11.0));
    assert!(close(path.trip(100), 0.0));
}

#[test]
fn a_loss_is_answered_by_half_and_the_next_round_trip_is_not_judged() {
    let mut path = Path::new("ssthresh=2");
    let sent = at(path.now - 1);
    path.now += 1;
    let lost = [Lost { sent, size: SIZE }];
    path.vegas
        .on_feedback(&Feedback::of(at(path.now), &[], &lost));
    assert!(close(path.window(), 5.5));
    assert_eq!(path.vegas.state(), "recovery");
    assert!(close(path.trip(300), 0.0));
    assert!(close(path.trip(300), 0.0), "5.5 * 200 / 300 is 3.7 packets");
    assert!(
        close(path.trip(500), -1.0),
        "5.5 * 400 / 500 is 4.4 packets"
    );
}

#[test]
fn an_unused_window_does_not_grow() {
    let mut path = Path::new("ssthresh=2");
    path.in_flight = SIZE * 8;
    // What was in flight before counts for a round trip more.
    path.trip(100);
    path.trip(100);
    assert!(path.window() > 11.0, "{}", path.window());
    for _ in 0..100 {
        assert!(close(path.trip(100), 0.0));
    }
    path.in_flight = SIZE * 10;
    assert!(close(path.trip(100), 1.0));
    assert!(close(path.trip(100), 0.0));
}

#[test]
fn small_packets_do_not_lower_the_smallest_rtt() {
    let mut path = Path::new("ssthresh=2");
    path.ack(50, Bytes(900));
    assert_eq!(path.vegas.base.get(), Some(100 * MILLI));
    path.ack(50, Bytes(1_000));
    assert_eq!(path.vegas.base.get(), Some(50 * MILLI));
}

#[test]
fn options_are_checked_together() {
    let message = |options| Params::parse(options).unwrap_err().to_string();
    assert!(message("alpha=5").contains("alpha <= beta"));
    assert!(message("beta=-1").contains("from 0 to 10000"));
    assert!(message("slowstart=never").contains("one of each, other"));
    let params = Params::parse("alpha=3,beta=3,basewin=10s").unwrap();
    assert_eq!((params.alpha, params.basewin), (3.0, 10_000 * MILLI));
    assert_eq!(Params::parse("paper").unwrap(), Params::paper());
}

fn number(event: &Event, name: &str) -> Option<f64> {
    let field = event.fields.iter().find(|(field, _)| *field == name);
    match &field.unwrap_or_else(|| panic!("no {name}")).1 {
        Value::Number(number) => Some(*number),
        Value::Count(count) => Some(*count as f64),
        Value::Flag(flag) => Some(f64::from(u8::from(*flag))),
        _ => None,
    }
}

/// What an event says that the window should be, in bytes, before and after it
/// (docs/papers/vegas.md).
fn recomputed(params: &Params, event: &Event, last: (f64, f64)) -> (f64, f64) {
    let (window, threshold) = last;
    let get = |name| number(event, name);
    let counted = get("counted").unwrap();
    let slow_start = window < threshold;
    let before = if slow_start && get("growing") == Some(1.0) {
        (window + counted).min(threshold)
    } else {
        window
    };
    let cause = &event.fields.iter().find(|(name, _)| *name == "cause");
    let after = match (&cause.unwrap().1, get("rtt")) {
        (Value::Text(cause), _) if cause == "loss" => before / 2.0,
        (Value::Text(cause), _) if cause == "persistent_congestion" => 0.0,
        (_, None) => before,
        (Value::Text(cause), Some(rtt)) => {
            let base = get("base_rtt").unwrap();
            let queued = before * (rtt - base) / rtt;
            let (diff, counted) = (queued / M, counted.min(M));
            let carried = get("arrived").map_or(before, |bps| bps * base / 8e3);
            let carried = carried.min(before - queued);
            match before < threshold {
                true if cause == "queue" => before.min(carried + M),
                true => before,
                false if diff < params.alpha => before + counted,
                false if diff > params.beta => before - M,
                false => before,
            }
        }
        _ => f64::NAN,
    };
    (before, after.max(2.0 * M))
}

#[test]
fn a_source_is_told_what_the_flow_does() {
    use crate::estimate::State::*;
    let told = crate::controllers::testing::estimated_states(controller(""));
    assert_eq!(told, [Startup, Steady, Steady]);
}

proptest! {
    #[test]
    fn events_hold_all_that_the_window_follows_from(
        spec in prop::sample::select(vec!["", "paper", "ssthresh=6", "alpha=0,beta=0.5,gamma=3", "basewin=1s"]),
        steps in prop::collection::vec((0u64..200, 1u64..2_000, 900u64..1251, 0usize..4, 0usize..12, prop::bool::ANY), 1..300),
    ) {
        let mut vegas = controller(spec);
        let params = vegas.params.clone();
        let (mut now, mut last, mut updates) = (10_000, (10.0 * M, vegas.reno.threshold()), 0.0);
        for (wait, age, size, acked, lost, limited) in steps {
            now += wait;
            let sent = at(now - age);
            let acked = vec![Acked { sent, size: Bytes(size), received: None }; acked];
            let lost = vec![Lost { sent, size: Bytes(size) }; lost / 11];
            let in_flight = if limited { SIZE } else { Bytes(u64::MAX) };
            vegas.on_feedback(&Feedback { in_flight, ..Feedback::of(at(now), &acked, &lost) });
            let decision = vegas.decision();
            prop_assert!(decision.window.0 >= 2 * SIZE.0 && decision.window.0 as f64 <= vegas.reno.window());
            prop_assert!(decision.pacing.bps().is_finite() && decision.pacing >= decision.bandwidth);
            while let Some(event) = vegas.next_event() {
                if event.name != "vegas_updated" { continue; }
                let (before, after) = recomputed(&params, &event, last);
                let get = |name| number(&event, name).unwrap_or(f64::INFINITY);
                // On a threshold the last digit decides, and that is not in the trace.
                let diff = (get("rtt") - get("base_rtt")) / get("rtt") * before / M;
                let tie = [params.alpha, params.beta].iter().any(|at| (diff - at).abs() < 1e-9);
                prop_assert_eq!(get("update"), updates);
                prop_assert!((get("window_before") - before).abs() < 1e-6, "{before}: {event:?}");
                prop_assert!(tie || (get("window_after") - after).abs() < 1e-6, "{after}: {event:?}");
                last = (get("window_after"), get("ssthresh"));
                updates += 1.0;
            }
        }
    }
}
