use std::time::Duration;

use proptest::prelude::*;

use super::ecn::EcnState;
use super::*;
use crate::controller::{Ecn, Value};
use crate::feedback::{Acked, Lost};
use crate::units::Time;

const MILLI: Duration = Duration::from_millis(1);
const M: f64 = 1250.0;
const SIZE: Bytes = Bytes(1250);

fn at(millis: u64) -> Time {
    Time::from_origin(MILLI * millis as u32)
}

fn controller(options: &str) -> SmallQueues {
    let start = Start {
        initial_window_packets: 10,
        max_datagram_size: SIZE,
        initial_rtt: 333 * MILLI,
    };
    SmallQueues::new(Params::parse(options).unwrap(), "smallq", start)
}

/// A path of 100 ms with a controller on it that always has something to send.
struct Path {
    smallq: SmallQueues,
    now: u64,
}

impl Path {
    fn new(options: &str) -> Self {
        Self {
            smallq: controller(options),
            now: 10_000,
        }
    }

    /// `packets` come back, of which the peer says that so many arrived with ECT and with CE.
    fn ack(&mut self, packets: usize, ect: u64, ce: u64) {
        self.now += 10;
        let acked = vec![
            Acked {
                sent: at(self.now - 100),
                size: SIZE,
                received: None,
            };
            packets
        ];
        self.smallq.on_feedback(&Feedback {
            ecn_ect: ect,
            ecn_ce: ce,
            ..Feedback::of(at(self.now), &acked, &[])
        });
    }

    fn lose(&mut self) {
        self.now += 10;
        let sent = at(self.now - 100);
        let lost = [Lost { sent, size: SIZE }];
        let feedback = Feedback::of(at(self.now), &[], &lost);
        self.smallq.on_feedback(&feedback);
    }

    fn window(&self) -> f64 {
        self.smallq.reno.window()
    }

    fn ecn(&self) -> EcnState {
        self.smallq.ecn.state()
    }
}

#[test]
fn the_papers_law_per_acknowledged_packet_and_per_mark() {
    let mut path = Path::new("ssthresh=2");
    path.ack(1, 1, 0);
    let w = 10.0 * M + M * M / (10.0 * M);
    assert_eq!(path.window(), w);
    path.ack(1, 0, 1);
    assert_eq!(path.window(), w + M * M / w - M);
    let w = path.window();
    path.ack(3, 1, 2);
    assert_eq!(path.window(), w + 3.0 * M * M / w - 2.0 * M);
}

#[test]
fn slow_start_ends_at_the_first_mark() {
    let mut path = Path::new("");
    path.ack(2, 2, 0);
    assert_eq!(path.window(), 12.0 * M);
    assert_eq!(path.smallq.state(), "slow_start");
    path.ack(2, 1, 1);
    let w = 12.0 * M + 2.0 * M / 12.0 - M;
    assert_eq!(path.window(), w);
    assert_eq!(path.smallq.state(), "congestion_avoidance");
    path.ack(1, 1, 0);
    assert_eq!(path.window(), w + M * M / w);
    // A mark takes the threshold down with the window: no slow start by the back door.
    path.ack(3, 0, 3);
    assert_eq!(path.smallq.state(), "congestion_avoidance");
}

#[test]
fn without_counts_it_is_newreno_and_says_so() {
    let mut path = Path::new("");
    (0..4).for_each(|_| path.ack(2, 0, 0));
    assert_eq!(path.ecn(), EcnState::Testing);
    path.ack(2, 0, 0);
    assert_eq!(path.ecn(), EcnState::Unavailable);
    assert_eq!(path.window(), 20.0 * M);
    path.lose();
    assert_eq!(path.window(), 10.0 * M);
    (0..12).for_each(|_| path.ack(1, 0, 0));
    // Two packets that were sent after the loss was seen.
    let w = 10.1 * M;
    assert_eq!(path.window(), w + M * M / w);
    assert_eq!(path.smallq.decision().ecn, Ecn::Ect1);
    path.ack(1, 0, 1);
    assert_eq!(path.ecn(), EcnState::Capable);
}

#[test]
fn packets_in_flight_when_counts_came_do_not_speak_against_ecn() {
    let mut path = Path::new("");
    path.ack(1, 1, 0);
    // Sent up to 100 ms before they are acknowledged.
    (0..10).for_each(|_| path.ack(5, 0, 0));
    assert_eq!(path.ecn(), EcnState::Capable);
    (0..2).for_each(|_| path.ack(5, 0, 0));
    assert_eq!(path.ecn(), EcnState::Unavailable);
}

#[test]
fn only_packets_in_a_row_speak_against_ecn() {
    let mut path = Path::new("");
    path.ack(1, 1, 0);
    for _ in 0..3 {
        path.now += 200;
        path.ack(8, 0, 0);
        path.ack(1, 1, 0);
    }
    path.now += 200;
    path.ack(8, 0, 0);
    assert_eq!(path.ecn(), EcnState::Capable);
}

#[test]
fn a_peer_that_claims_marks_without_end_gets_the_minimum_window() {
    let mut path = Path::new("ssthresh=2");
    path.ack(1, 0, u64::MAX);
    // One packet, so one mark.
    assert_eq!(path.window(), 9.1 * M);
    (0..100).for_each(|_| path.ack(1, 0, u64::MAX));
    assert_eq!(path.smallq.decision().window, Bytes(2_500));
}

#[test]
fn during_recovery_the_window_stands() {
    let mut path = Path::new("");
    path.lose();
    (0..10).for_each(|_| path.ack(2, 1, 1));
    assert_eq!((path.window(), path.smallq.state()), (5.0 * M, "recovery"));
    path.ack(1, 1, 0);
    assert_eq!(path.window(), 5.2 * M);
}

#[test]
fn after_an_interruption_the_window_is_two_packets_whatever_comes_back_with_it() {
    let mut path = Path::new("");
    path.ack(1, 1, 0);
    let lost: Vec<_> = (0..20)
        .map(|place| Lost {
            sent: at(path.now + 10 + 100 * place),
            size: SIZE,
        })
        .collect();
    let acked = [Acked {
        sent: at(path.now + 2_400),
        size: SIZE,
        received: None,
    }];
    let back = Feedback::of(at(path.now + 2_500), &acked, &lost);
    path.smallq.on_feedback(&back);
    assert_eq!(path.window(), 2.0 * M);
    assert_eq!(path.smallq.state(), "slow_start");
}

#[test]
fn an_unused_window_does_not_grow_but_marks_count() {
    let mut path = Path::new("ssthresh=2");
    let acked = [Acked {
        sent: at(9_900),
        size: SIZE,
        received: None,
    }];
    for (ce, expected) in [(0, 10.0 * M), (1, 9.0 * M)] {
        path.smallq.on_feedback(&Feedback {
            ecn_ce: ce,
            in_flight: SIZE,
            ..Feedback::of(at(10_000), &acked, &[])
        });
        assert_eq!(path.window(), expected);
    }
}

#[test]
fn packets_are_spread_over_the_round_trip() {
    let mut path = Path::new("");
    path.ack(1, 1, 0);
    let decision = path.smallq.decision();
    let per_rtt = 11.0 * M * 8.0 / 0.1;
    assert!((decision.pacing.bps() / per_rtt - 1.5).abs() < 1e-9);
    assert_eq!(decision.bandwidth.bps(), per_rtt);
    assert_eq!((decision.burst.after_idle, decision.burst.together), (0, 1));
    assert_eq!(controller("").decision().burst.after_idle, 3);
    let mut paper = Path::new("paper");
    paper.ack(1, 1, 0);
    assert!(paper.smallq.decision().pacing.bps() > 3.9 * per_rtt);
}

#[test]
fn options_choose_the_codepoint_and_say_what_is_allowed() {
    assert_eq!(controller("").decision().ecn, Ecn::Ect1);
    assert_eq!(controller("ect=0").decision().ecn, Ecn::Ect0);
    let message = |options| Params::parse(options).unwrap_err().to_string();
    assert!(message("ect=2").contains("one of 0, 1"));
    assert!(message("pacing=0.5").contains("from 1 to 4"));
    assert!(message("q0=3").contains("allowed are ect, pacing, ssthresh"));
}

fn number(event: &Event, name: &str) -> f64 {
    let field = event.fields.iter().find(|(field, _)| *field == name);
    match field.unwrap_or_else(|| panic!("no {name}")).1 {
        Value::Number(number) => number,
        Value::Count(count) => count as f64,
        _ => f64::INFINITY,
    }
}

#[test]
fn a_source_is_told_what_the_flow_does() {
    use crate::estimate::State::*;
    let told = crate::controllers::testing::estimated_states(controller(""));
    assert_eq!(told, [Startup, Steady, Steady]);
}

proptest! {
    /// The law of docs/papers/smallq.md, recomputed from the events alone.
    #[test]
    fn events_hold_all_that_the_window_follows_from(
        spec in prop::sample::select(vec!["", "paper", "ssthresh=6", "ect=0,pacing=2"]),
        steps in prop::collection::vec((0u64..200, 1u64..2_000, 1u64..1500, 0usize..4, 0usize..2, 0u64..4, prop::bool::ANY), 1..200),
    ) {
        let mut smallq = controller(spec);
        let (mut now, mut threshold, mut window) = (10_000, smallq.reno.threshold(), 10.0 * M);
        for (count, (wait, age, size, acked, lost, ce, limited)) in steps.into_iter().enumerate() {
            now += wait;
            let sent = at(now - age);
            let acked = vec![Acked { sent, size: Bytes(size), received: None }; acked];
            let lost = vec![Lost { sent, size: Bytes(size) }; lost];
            let in_flight = if limited { SIZE } else { Bytes(u64::MAX) };
            smallq.on_feedback(&Feedback { ecn_ce: ce, in_flight, ..Feedback::of(at(now), &acked, &lost) });
            if count == 0 {
                prop_assert_eq!(smallq.next_event().unwrap().name, "parameters_set");
            }
            let event = smallq.next_event().unwrap();
            prop_assert_eq!(smallq.next_event(), None);
            let get = |name| number(&event, name);
            prop_assert_eq!((get("update"), get("window_before")), (count as f64, window));
            let expected = match event.fields.iter().find(|(name, _)| *name == "reaction").unwrap().1.clone() {
                Value::Text(reaction) if reaction == "loss" => (window / 2.0).max(2.0 * M),
                Value::Text(_) => 2.0 * M,
                _ if get("marks") == 0.0 && window < threshold => (window + get("counted")).min(threshold),
                _ => (window + get("counted") * M / window - get("marks") * M).max(2.0 * M),
            };
            window = get("window_after");
            threshold = get("ssthresh");
            prop_assert!((window - expected).abs() < 1e-6, "{window} is not {expected}");
            let decision = smallq.decision();
            prop_assert!(decision.window.0 as f64 <= window && window - (decision.window.0 as f64) < M);
            prop_assert!(decision.window.0 >= 2 * SIZE.0);
            prop_assert!(decision.pacing.bps().is_finite() && decision.pacing >= decision.bandwidth);
        }
    }
}
