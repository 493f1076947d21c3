use std::time::Duration;

use proptest::prelude::*;

use super::law::{aim, next_rate};
use super::*;
use crate::controller::Value;
use crate::feedback::{Acked, Lost};

const MILLI: Duration = Duration::from_millis(1);
const SIZE: Bytes = Bytes(1250);

fn mbps(rate: f64) -> Rate {
    Rate::from_bps(rate * 1e6)
}

fn params(options: &str) -> Params {
    Params::parse(options).unwrap()
}

/// Packets sent at `input` of which `output` arrived, in Mbit/s, while pacing allowed `allowed`.
fn sample(input: f64, output: f64, allowed: f64) -> RateSample {
    RateSample {
        packets: 100,
        sent: Bytes((input * 125_000.0) as u64),
        delivered: Bytes((output * 125_000.0) as u64),
        sending: Duration::from_secs(1),
        arriving: Duration::from_secs(1),
        allowed_first: mbps(allowed),
        allowed_last: mbps(allowed),
    }
}

fn next(options: &str, sample: &RateSample) -> f64 {
    let params = params(options);
    let xt = params.xt.unwrap_or_default();
    next_rate(&params, sample, aim(&params, xt, sample, false)).bps() / 1e6
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs().max(1e-6)
}

#[test]
fn the_papers_feedback_functions() {
    for (options, rate, expected) in [
        ("feedback=fixed", 0.1, 0.01),
        ("feedback=fixed,pfix=0.05", 90.0, 0.05),
        ("feedback=linear", 1.0, 0.0075),
        ("feedback=linear", 4.0, 0.0),
        ("feedback=linear", 9.0, 0.0),
        ("feedback=linear,ptlim=0.02,xtlim=8Mbps", 2.0, 0.015),
        ("xt=300kbps", 3.0, 0.01),
        ("xt=300kbps", 0.3, 1.0),
        ("xt=300kbps", 0.1, 1.0),
    ] {
        let params = params(options);
        let got = wanted(&params, params.xt.unwrap_or_default(), mbps(rate));
        assert!(close(got, expected), "{options} at {rate}: {got}");
    }
}

#[test]
fn a_used_rate_follows_what_arrives() {
    // 8 of 10 arrive: 8 / 0.99, up from 8 if all arrive.
    assert!(close(
        next("feedback=fixed", &sample(10.0, 8.0, 10.0)),
        8.0 / 0.99
    ));
    assert!(close(
        next("feedback=fixed", &sample(8.0, 8.0, 8.0)),
        8.0 / 0.99
    ));
    // What is wanted is what happens: nothing changes.
    assert!(close(
        next("xt=1Mbps", &sample(10.0 / 0.99, 10.0, 10.0)),
        10.0 / 0.99
    ));
    // A queue drains faster than is sent.
    assert!(close(
        next("feedback=fixed", &sample(8.0, 10.0, 8.0)),
        10.0 / 0.99
    ));
}

#[test]
fn an_unused_rate_is_held_and_falls_with_congestion_alone() {
    assert!(close(next("feedback=fixed", &sample(2.0, 2.0, 10.0)), 10.0));
    // A queue drains: that more arrives than was sent does not raise what was not tried.
    assert!(close(
        next("feedback=fixed", &sample(2.0, 20.0, 10.0)),
        10.0
    ));
    // Half of what little was sent arrives: half of what was allowed, and what is wanted on top.
    assert!(close(
        next("feedback=fixed", &sample(2.0, 1.0, 10.0)),
        5.0 / 0.99
    ));
    // A timer that costs less than is wanted does not stop growth.
    assert!(close(
        next("feedback=fixed", &sample(9.95, 9.95, 10.0)),
        9.95 / 0.99
    ));
}

#[test]
fn growth_is_bounded_where_the_feedback_function_is_zero_or_arrivals_are_absurd() {
    // pT = 1.
    assert!(close(next("xt=100Mbps", &sample(1.0, 1.0, 1.0)), 2.0));
    assert!(close(
        next("xt=100Mbps,growth=1.5", &sample(1.0, 1.0, 1.0)),
        1.5
    ));
    // Nine tenths are lost: even then it falls.
    assert!(close(next("xt=100Mbps", &sample(1.0, 0.1, 1.0)), 0.2));
    assert!(close(next("feedback=fixed", &sample(1.0, 1e3, 1.0)), 2.0));
    assert!(close(next("cmax=1500kbps", &sample(1.0, 1e3, 1.0)), 1.5));
    assert!(close(next("feedback=linear", &sample(3.9, 1e3, 3.9)), 4.0));
}

#[test]
fn options_are_checked() {
    assert_eq!(params("paper").initial_rate, Some(mbps(1.6)));
    assert_eq!(params("paper").qmax, 200 * MILLI);
    assert_eq!((params("").initial_rate, params("").xt), (None, None));
    assert_eq!(params("n=50,span=5ms").packets, 50);
    let message = |options: &str| Params::parse(options).unwrap_err().to_string();
    assert!(message("feedback=cubic").contains("one of fixed, linear, tcp"));
    assert!(message("xt=fast").contains("a rate from 1kbps"));
    assert!(message("xtlim=auto").contains("a rate from 1kbps"));
    assert!(message("pfix=0.9").contains("from 0 to 0.5"));
}

fn rrr(options: &str) -> Rrr {
    let start = Start {
        initial_window_packets: 10,
        max_datagram_size: SIZE,
        initial_rtt: 333 * MILLI,
    };
    Rrr::new(params(options), "rrr", start)
}

fn at(millis: u32) -> Time {
    Time::default() + millis * MILLI
}

/// A packet per 10 ms, each back after 100 ms, until `until`; what goes into the trace.
fn steady(rrr: &mut Rrr, from: u32, until: u32) -> Vec<Event> {
    let mut events = Vec::new();
    for now in (from..until).step_by(10) {
        rrr.on_sent(at(now), SIZE);
        if now >= from + 100 {
            let acked = [Acked {
                sent: at(now - 100),
                size: SIZE,
                received: None,
            }];
            rrr.on_feedback(&Feedback::of(at(now), &acked, &[]));
        }
        events.extend(std::iter::from_fn(|| rrr.next_event()));
    }
    events
}

#[test]
fn the_first_rate_is_the_initial_window_per_round_trip_or_what_was_asked_for() {
    let mut auto = rrr("");
    assert!(close(auto.decision().pacing.bps(), 100_000.0 / 0.333));
    steady(&mut auto, 0, 110);
    assert!(close(auto.decision().pacing.bps(), 1e6));
    let mut asked = rrr("initial_rate=3Mbps");
    steady(&mut asked, 0, 110);
    assert!(close(asked.decision().pacing.bps(), 3e6));
}

#[test]
fn the_window_holds_a_round_trip_and_a_queue() {
    let mut rrr = rrr("initial_rate=3Mbps");
    steady(&mut rrr, 0, 110);
    // 3 Mbit/s for 100 + 100 ms. With nothing coming back, no more are sent.
    assert_eq!(rrr.decision().window, SIZE * 60);
}

#[test]
fn an_interruption_takes_the_rate_to_two_packets_per_round_trip_and_start_up_begins_anew() {
    let mut rrr = rrr("initial_rate=1Mbps");
    steady(&mut rrr, 0, 2_000);
    assert_eq!(rrr.state(), "startup");
    let lost: Vec<Lost> = (2_000..5_000)
        .step_by(10)
        .map(|sent| Lost {
            sent: at(sent),
            size: SIZE,
        })
        .collect();
    let acked = [Acked {
        sent: at(5_000),
        size: SIZE,
        received: None,
    }];
    rrr.on_feedback(&Feedback {
        lost: &lost,
        ..Feedback::of(at(5_100), &acked, &[])
    });
    let rate = rrr.decision().pacing.bps();
    assert!(close(rate, 20_000.0 / 0.1), "{rate}");
    assert_eq!(rrr.state(), "initial");
}

fn number(event: &Event, name: &str) -> f64 {
    let field = event.fields.iter().find(|(field, _)| *field == name);
    match field.map(|(_, value)| value) {
        Some(Value::Number(number)) => *number,
        Some(Value::Count(count)) => *count as f64,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn the_trace_tells_the_parameters_and_enough_to_repeat_each_update() {
    let mut rrr = rrr("paper,initial_rate=1Mbps,n=8");
    let events = steady(&mut rrr, 0, 3_000);
    assert_eq!(events[0].name, "parameters_set");
    assert!(events.len() > 100);
    for (place, event) in events[1..].iter().enumerate() {
        assert_eq!(event.name, "rrr_updated");
        let number = |name| number(event, name);
        assert_eq!(number("update") as usize, place);
        let (input, output) = (number("input"), number("output"));
        assert!(close(number("sent") * 8e3 / number("sending"), input));
        assert!(close(
            number("delivered") * 8e3 / number("arriving"),
            output
        ));
        let reduction = (input - output) / input;
        assert!((number("reduction") - reduction).abs() < 1e-9);
        let wanted = (0.6e6 / output).powi(2).min(0.5);
        assert!(close(number("wanted"), wanted));
        // The path is idle, and the application sends 1 Mbit/s, which is less than the rate grows
        // to.
        let by_output = output / (1.0 - wanted);
        let unused = number("allowed_first").min(number("allowed_last")) > input;
        let expected = if unused {
            by_output.max(number("allowed_last"))
        } else {
            by_output
        };
        assert!(close(number("rate_after"), expected), "{event:?}");
    }
}

#[test]
fn a_source_is_told_what_the_flow_does() {
    use crate::estimate::State::*;
    let told = crate::controllers::testing::estimated_states(rrr(""));
    assert_eq!(told, [Startup, Startup, Interrupted]);
    let mut steady = rrr("");
    assert_eq!(steady.measured().source, Some(Source::Ack));
    steady.phase = Phase::Steady;
    assert_eq!(steady.estimate(at(0)).state, Some(Steady));
}

#[test]
fn epochs_of_the_minima_last_a_round_trip() {
    let mut rrr = rrr("");
    steady(&mut rrr, 0, 960);
    // The first feedback comes at 100 ms, and the last at 950 ms.
    assert_eq!(rrr.epoch.map(|epoch| epoch.start()), Some(at(900)));
}

proptest! {
    #[test]
    fn whatever_comes_back_rate_and_window_stay_sane(
        spec in prop::sample::select(vec!["", "paper", "paper,feedback=fixed", "feedback=linear,growth=4", "n=4,span=0ms"]),
        steps in prop::collection::vec((0u64..400, 0u64..3_000, 0u64..1500, 0usize..3, 0usize..3, any::<u32>()), 1..300),
    ) {
        let mut rrr = rrr(spec);
        let mut now = at(10_000);
        for (wait, age, size, acked, lost, received) in steps {
            now = now + MILLI * wait as u32;
            let sent = Time::from_origin(Duration::from_nanos(now.as_nanos()).saturating_sub(MILLI * age as u32));
            let received = Some(Duration::from_micros(u64::from(received))).filter(|_| size % 2 == 0);
            let acked = vec![Acked { sent, size: Bytes(size), received }; acked];
            let lost = vec![Lost { sent, size: Bytes(size) }; lost];
            rrr.on_sent(now, Bytes(size));
            rrr.on_feedback(&Feedback { lost: &lost, ..Feedback::of(now, &acked, &[]) });
            let decision = rrr.decision();
            prop_assert!(decision.window.0 >= 2 * SIZE.0);
            prop_assert!(decision.pacing.bps() > 0.0 && decision.pacing.bps() <= 10e9);
            while rrr.next_event().is_some() {}
        }
    }
}
