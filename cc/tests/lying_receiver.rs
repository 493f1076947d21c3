//! A receiver that lies about when packets arrived gains nothing by it.

mod path;

use std::time::Duration;

use path::{honest, run, Flow, Link, Report, SIZE};

const LENGTH: Duration = Duration::from_secs(60);

/// Nothing ever queues.
fn no_queue(sent: Duration, _received: Duration) -> Option<Duration> {
    Some(sent + Duration::from_millis(60) + Duration::from_secs(3_600))
}

/// Half of the queue.
fn half_queue(sent: Duration, received: Duration) -> Option<Duration> {
    let least = sent + Duration::from_millis(60);
    Some(Duration::from_secs(3_600) + least + received.saturating_sub(least) / 2)
}

/// Ahead of time, by more and more.
fn future(sent: Duration, received: Duration) -> Option<Duration> {
    Some(received + sent / 2 + Duration::from_secs(3_600))
}

/// Backwards.
fn backwards(sent: Duration, _received: Duration) -> Option<Duration> {
    Some(Duration::from_secs(7_200).saturating_sub(sent))
}

/// Times without any relation to the truth, within ten hours.
fn absurd(sent: Duration, _received: Duration) -> Option<Duration> {
    let noise = sent.as_nanos().wrapping_mul(0x9e37_79b9_7f4a_7c15) % 36_000_000_000_000;
    Some(Duration::from_nanos(noise as u64))
}

const LIES: [(&str, Report); 5] = [
    ("no queue", no_queue),
    ("half of the queue", half_queue),
    ("the future", future),
    ("backwards", backwards),
    ("absurd", absurd),
];

fn link() -> Link {
    Link {
        rate: 1e6,
        delay: Duration::from_millis(50),
        buffer: Duration::from_millis(400),
    }
}

/// Goodput in bit/s.
fn rate(flow: &Flow) -> f64 {
    (flow.delivered * SIZE * 8) as f64 / LENGTH.as_secs_f64()
}

fn alone(report: Report) -> Flow {
    let mut flows = [Flow::new("hybrid", report)];
    run(&link(), &mut flows, Duration::ZERO, LENGTH);
    let [flow] = flows;
    flow
}

#[test]
fn an_honest_receiver_gets_most_of_the_path_without_loss() {
    let flow = alone(honest);
    assert!(rate(&flow) > 0.85e6, "{}", rate(&flow));
    assert_eq!(flow.lost, 0);
}

#[test]
fn a_liar_alone_gets_no_more_than_a_tenth_above_an_honest_receiver() {
    let fair = rate(&alone(honest));
    for (name, report) in LIES {
        let got = rate(&alone(report));
        assert!(
            got <= 1.1 * fair,
            "{name}: {got:.0} bit/s against {fair:.0}"
        );
        assert!(
            got > 0.3 * fair,
            "{name}: starved at {got:.0} bit/s against {fair:.0}"
        );
    }
}

/// The liar is found out when a buffer has been full, within the first minute. Hiding a part of the queue is left out: it
/// looks like a queue on the return path, and is a known limit (`docs/papers/hybrid.md`).
#[test]
fn an_honest_receiver_beside_a_liar_keeps_its_share() {
    let beside = |report: Report| {
        let mut flows = [Flow::new("hybrid", honest), Flow::new("hybrid", report)];
        run(&link(), &mut flows, LENGTH, 5 * LENGTH);
        rate(&flows[0])
    };
    let fair = beside(honest);
    for (name, report) in LIES.into_iter().filter(|(name, _)| !name.contains("half")) {
        let got = beside(report);
        assert!(got >= 0.75 * fair, "{name}: {got:.0} against {fair:.0}");
    }
}
