//! `rrr` on a bottleneck: what settles, how fast, and what does not disturb it.

mod dumbbell;

use std::time::Duration;

use dumbbell::flow::{honest, silent, Flow, Report};
use dumbbell::Dumbbell;

const SECOND: Duration = Duration::from_secs(1);
const MILLI: Duration = Duration::from_millis(1);
/// The paper's packets of 12000 bit.
const SIZE: u32 = 1500;
/// Figure 2 with d = 10 ms: 50 packets of buffer, 60 ms of round trip with what is beside the bottleneck.
const LINK: [&str; 4] = ["10Mbps", "50p", "10ms", "0%"];
const REST: Duration = Duration::from_millis(50);
const RTT: f64 = 0.060;
/// What 50 packets wait at 10 Mbit/s, in ms.
const FULL: f64 = 60.0;

fn flow(spec: &str) -> Flow {
    Flow::new(spec, SIZE, REST)
}

/// What flows do between `from` and `until`, in seconds.
fn watched(link: [&str; 4], flows: Vec<Flow>, from: u32, until: u32) -> Dumbbell {
    let mut bell = Dumbbell::on(link, flows);
    bell.run_until(from * SECOND);
    bell.watch_until(until * SECOND);
    bell
}

fn near(got: f64, wanted: f64, share: f64) -> bool {
    (got / wanted - 1.0).abs() <= share
}

#[test]
fn the_loss_that_is_wanted_is_what_settles_behind_a_full_buffer() {
    for (spec, wanted) in [
        ("rrr:paper,feedback=fixed", 0.01),
        ("rrr:paper,feedback=fixed,pfix=0.03", 0.03),
        ("rrr:paper", 0.0036),
        ("rrr:paper,xt=900kbps", 0.0081),
        ("rrr:xt=600kbps", 0.0036),
    ] {
        let bell = watched(LINK, vec![flow(spec)], 30, 60);
        let flow = &bell.flows[0];
        assert!(
            near(flow.loss(), wanted, 0.05),
            "{spec}: loss {}",
            flow.loss()
        );
        assert!(
            flow.queue_millis() > 0.97 * FULL,
            "{spec}: {} ms",
            flow.queue_millis()
        );
        assert!(
            flow.arrived(30 * SECOND) > 9.98,
            "{spec}: {}",
            flow.arrived(30 * SECOND)
        );
    }
}

#[test]
fn linear_feedback_comes_up_to_its_limit_and_never_beyond() {
    let mut bell = Dumbbell::on(LINK, vec![flow("rrr:paper,feedback=linear")]);
    for second in 1..=90 {
        bell.watch_until(second * SECOND);
        assert!(bell.flows[0].pacing().bps() <= 4e6, "after {second} s");
        assert_eq!(bell.flows[0].lost, 0);
    }
    assert!(
        bell.flows[0].arrived(SECOND) > 3.9,
        "{}",
        bell.flows[0].arrived(SECOND)
    );
}

/// Solutions of (11) without congestion: the rate comes back after a round trip and, as a mean, half of the time that its n
/// packets take.
#[test]
fn without_congestion_the_rate_grows_as_the_equations_say() {
    let mut rates = Vec::new();
    for (spec, seconds) in [("rrr:paper,feedback=fixed", 8), ("rrr:paper,xt=600kbps", 3)] {
        let bell = watched(LINK, vec![flow(spec)], seconds, 2 * seconds);
        rates.push(bell.flows[0].pacing().bps());
        let bell = watched(LINK, vec![flow(spec)], 0, seconds);
        rates.push(bell.flows[0].pacing().bps());
    }
    let delay = |rate: f64| RTT + 16.0 * 12_000.0 / rate;
    let [fixed, fixed_before, tcp, tcp_before] = rates[..] else {
        unreachable!();
    };
    let mean = (fixed * fixed_before).sqrt();
    let grown = (fixed / fixed_before).ln();
    assert!(
        near(grown, 8.0 * -(0.99_f64.ln()) / delay(mean), 0.1),
        "{grown}"
    );
    // d(X^2)/dt = 2 XT^2 / T.
    let mean = (tcp * tcp_before).sqrt();
    let grown = tcp * tcp - tcp_before * tcp_before;
    assert!(
        near(grown, 3.0 * 2.0 * 0.36e12 / delay(mean), 0.15),
        "{tcp_before} {tcp}"
    );
}

#[test]
fn a_capacity_that_is_lost_is_left_within_a_second_and_one_that_appears_is_taken() {
    for spec in ["rrr:paper,feedback=fixed", "rrr"] {
        let link = ["5Mbps@0s,20Mbps@20s,5Mbps@50s", "50p", "2ms", "0%"];
        let mut bell = Dumbbell::on(link, vec![Flow::new(spec, SIZE, 8 * MILLI)]);
        bell.run_until(19 * SECOND);
        for (until, capacity) in [(20, 5.0), (50, 20.0), (52, 5.0)] {
            bell.run_until((until - 1) * SECOND);
            bell.watch_until(until * SECOND);
            let flow = &bell.flows[0];
            assert!(
                near(flow.arrived(SECOND), capacity, 0.01),
                "{spec} at {until} s: {}",
                flow.arrived(SECOND)
            );
            assert!(
                near(flow.pacing().bps(), capacity * 1e6, 0.03),
                "{spec} at {until} s: {}",
                flow.pacing()
            );
        }
    }
}

#[test]
fn start_up_reaches_the_capacity_in_a_second_and_loses_next_to_nothing() {
    let mut bell = watched(LINK, vec![flow("rrr")], 0, 1);
    assert!(bell.flows[0].loss() < 0.02, "{}", bell.flows[0].loss());
    bell.watch_until(2 * SECOND);
    assert!(
        bell.flows[0].arrived(SECOND) > 9.9,
        "{}",
        bell.flows[0].arrived(SECOND)
    );
}

/// Figure 4: with d = 1 ms for all, and 1, 10, 50 and 100 ms.
#[test]
fn flows_share_equally_whatever_their_round_trips() {
    let link = ["10Mbps", "50p", "1ms", "0%"];
    for delays in [[3; 4], [3, 39, 199, 399]] {
        let flow = |(place, delay): (usize, &u64)| {
            Flow::new("rrr:paper", SIZE, Duration::from_millis(*delay))
                .between(20 * place as u64, 1000)
        };
        let flows = delays.iter().enumerate().map(flow).collect();
        let bell = watched(link, flows, 80, 120);
        for flow in &bell.flows {
            let got = flow.arrived(40 * SECOND);
            assert!(near(got, 2.5, 0.03), "{got} of 2.5 Mbit/s at {delays:?}");
            // (XT / 2.5 Mbit/s)^2.
            assert!(
                near(flow.loss(), 0.0576, 0.1),
                "{} at {delays:?}",
                flow.loss()
            );
        }
    }
}

/// Near the fair share a difference dies out with the time constant T / (2 pT): 0.12 s / 0.0288 for two flows.
#[test]
fn a_flow_that_comes_late_has_its_share_after_some_time_constants() {
    let flows = vec![flow("rrr:paper"), flow("rrr:paper").between(20, 1000)];
    let bell = watched(LINK, flows, 55, 60);
    for flow in &bell.flows {
        assert!(
            near(flow.arrived(5 * SECOND), 5.0, 0.1),
            "{}",
            flow.arrived(5 * SECOND)
        );
    }
}

#[test]
fn an_application_with_less_to_send_neither_raises_nor_lowers_the_rate() {
    let mut bell = Dumbbell::on(LINK, vec![flow("rrr")]);
    bell.run_until(10 * SECOND);
    let before = bell.flows[0].pacing().bps();
    // A tenth of the rate, in bursts that are never long enough to fill a measurement.
    bell.flows[0].set_bursts(Some((20 * MILLI, 180 * MILLI)));
    for second in 11..=40 {
        bell.watch_until(second * SECOND);
        let rate = bell.flows[0].pacing().bps();
        assert!(near(rate, before, 0.02), "{rate} after {second} s");
    }
    bell.flows[0].set_bursts(None);
    bell.run_until(41 * SECOND);
    bell.watch_until(42 * SECOND);
    assert!(
        bell.flows[0].arrived(SECOND) > 9.9,
        "{}",
        bell.flows[0].arrived(SECOND)
    );
}

#[test]
fn the_default_keeps_the_queue_of_a_large_buffer_to_what_qmax_allows() {
    for (options, most) in [("rrr", 100.0), ("rrr:qmax=40ms", 40.0)] {
        let bell = watched(
            ["10Mbps", "1000p", "10ms", "0%"],
            vec![flow(options)],
            60,
            120,
        );
        let flow = &bell.flows[0];
        assert!(
            flow.queue_millis() < most + 5.0,
            "{options}: {} ms",
            flow.queue_millis()
        );
        assert!(
            flow.arrived(60 * SECOND) > 9.98 && flow.lost == 0,
            "{options}"
        );
    }
}

#[test]
fn where_the_return_path_is_idle_ack_arrivals_do_as_well_as_receive_times() {
    for spec in ["rrr", "rrr:paper,feedback=fixed"] {
        let with = |report: Report| {
            let flows = vec![
                flow(spec).reporting(report),
                Flow::background(4e6, true, SIZE),
            ];
            let bell = watched(LINK, flows, 30, 60);
            (bell.flows[0].arrived(30 * SECOND), bell.flows[0].loss())
        };
        let ((rate, loss), (blind_rate, blind_loss)) = (with(honest), with(silent));
        assert!(
            near(blind_rate, rate, 0.02),
            "{spec}: {blind_rate} and {rate}"
        );
        assert!(
            (blind_loss - loss).abs() < 0.003,
            "{spec}: {blind_loss} and {loss}"
        );
    }
}

/// Nothing ever queues.
fn no_queue(sent: Duration, _received: Duration) -> Option<Duration> {
    Some(sent + 20 * MILLI + 3600 * SECOND)
}

/// Half of the queue.
fn half_queue(sent: Duration, received: Duration) -> Option<Duration> {
    let least = sent + 36 * MILLI;
    Some(3600 * SECOND + least + received.saturating_sub(least) / 2)
}

/// Ahead of time, by more and more.
fn future(sent: Duration, received: Duration) -> Option<Duration> {
    Some(received + sent / 2 + 3600 * SECOND)
}

/// Backwards.
fn backwards(sent: Duration, _received: Duration) -> Option<Duration> {
    Some((7200 * SECOND).saturating_sub(sent))
}

/// Times without any relation to the truth, within ten hours.
fn absurd(sent: Duration, _received: Duration) -> Option<Duration> {
    let noise = sent.as_nanos().wrapping_mul(0x9e37_79b9_7f4a_7c15) % 36_000_000_000_000;
    Some(Duration::from_nanos(noise as u64))
}

/// A clock that runs at nine tenths, so that everything seems to arrive faster.
fn slow_clock(_sent: Duration, received: Duration) -> Option<Duration> {
    Some(3600 * SECOND + received * 9 / 10)
}

/// A queue that builds up at once and drains slowly, over and over.
fn sawtooth(sent: Duration, received: Duration) -> Option<Duration> {
    let phase = (sent.as_nanos() % 500_000_000) as f64 / 5e8;
    let least = sent + 36 * MILLI;
    let queue = received.saturating_sub(least);
    Some(3600 * SECOND + least + queue.mul_f64(1.0 - phase))
}

const LIES: [(&str, Report); 7] = [
    ("no queue", no_queue),
    ("half of the queue", half_queue),
    ("the future", future),
    ("backwards", backwards),
    ("absurd", absurd),
    ("slow clock", slow_clock),
    ("sawtooth", sawtooth),
];

/// After a disturbance shares become equal with the time constant T / (2 pT), so XT is large enough for that to be seconds.
#[test]
fn a_receiver_that_lies_gains_nothing() {
    let spec = "rrr:xt=600kbps";
    for (name, report) in LIES {
        let bell = watched(LINK, vec![flow(spec), flow(spec).reporting(report)], 30, 60);
        let (fair, got) = (
            bell.flows[0].arrived(30 * SECOND),
            bell.flows[1].arrived(30 * SECOND),
        );
        assert!(near(fair, 5.0, 0.03), "{name}: {fair} Mbit/s beside {got}");
        let alone = watched(LINK, vec![flow(spec).reporting(report)], 30, 60);
        let loss = alone.flows[0].loss();
        assert!(loss < 0.005, "{name}: {loss}");
    }
}
