//! The controllers that say how many packets wait keep to it, on whole paths.

use std::time::Duration;

use quiche_cc::catalogue::CATALOGUE;
use quiche_cc::controller::Controller;
use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::path::{
    AckPolicy, CeReport, Path, Receiver, Sender, Stage, Topology, SIZE,
};
use quiche_cc_contract::Subject;

const SECOND: Duration = Duration::from_secs(1);
const MILLI: Duration = Duration::from_millis(1);
/// Of the path: 50 packets of bandwidth-delay product.
const RATE: u64 = 10_000_000;

fn subject(name: &str, options: &str) -> Subject {
    let entry = CATALOGUE.iter().find(|entry| entry.name == name);
    Subject::new(entry.expect("an entry of the catalogue"), options)
}

/// 10 Mbit/s and 50 ms, marking with q0 the bandwidth-delay product.
fn marking() -> Topology {
    Topology {
        queue: "mark:q0=1bdp".parse().expect("a queue"),
        ..drop_tail(Buffer::Bdp(10.0))
    }
}

fn drop_tail(buffer: Buffer) -> Topology {
    Topology::new(RATE, 50 * MILLI, buffer)
}

/// Packets that wait on average.
fn queue(stage: &Stage) -> f64 {
    stage.mean_queue().as_secs_f64() * RATE as f64 / 8.0 / SIZE.0 as f64
}

/// The window of a flow, in packets.
fn window(path: &mut Path, flow: usize) -> f64 {
    path.sender(flow).controller().decision().window.0 as f64 / SIZE.0 as f64
}

/// A minute of `flows` such flows, after half a minute.
fn run(topology: Topology, subject: &Subject, flows: usize, ce: CeReport) -> (Path, Stage) {
    let mut path = Path::new(topology);
    for _ in 0..flows {
        path.add(Sender::new(subject), Receiver::default().counting(ce));
        path.run_for(SECOND);
    }
    path.run_for(30 * SECOND);
    let stage = path.run_for(60 * SECOND);
    (path, stage)
}

/// Equation (6): w = c tau + m and q = m. A packet of the path's own is always in service, every second one waits for
/// its ACK, and a router sees one packet less than there were before it took one.
#[test]
fn one_smallq_flow_keeps_one_or_two_packets_waiting_and_the_link_busy() {
    for options in ["", "paper", "ect=0"] {
        let subject = subject("smallq", options);
        let (mut path, stage) = run(marking(), &subject, 1, CeReport::Honest);
        let waiting = queue(&stage);
        assert!((1.0..2.5).contains(&waiting), "{subject:?}: {waiting}");
        assert!((50.0..=56.0).contains(&window(&mut path, 0)), "{subject:?}");
        let rate = stage.rate(0).bps();
        assert!(rate > 0.98 * RATE as f64, "{subject:?}: {rate}");
        assert_eq!(stage.flows[0].lost, 0);
    }
}

/// Section IV: all flows see the same mark probability, so each keeps one packet waiting.
#[test]
fn smallq_flows_share_evenly_and_keep_about_a_packet_each_waiting() {
    let (_, stage) = run(marking(), &subject("smallq", ""), 4, CeReport::Honest);
    let waiting = queue(&stage);
    assert!((3.0..7.0).contains(&waiting), "{waiting}");
    for flow in 0..4 {
        let share = stage.rate(flow).bps() / (RATE as f64 / 4.0);
        assert!((0.8..1.2).contains(&share), "flow {flow}: {share}");
    }
}

#[test]
fn without_ecn_smallq_is_newreno_between_half_a_window_and_a_full_buffer() {
    let topology = drop_tail(Buffer::Bdp(1.0));
    let (_, stage) = run(topology, &subject("smallq", ""), 1, CeReport::Bleached);
    assert!(stage.rate(0).bps() > 0.97 * RATE as f64);
    let waiting = queue(&stage);
    assert!((15.0..40.0).contains(&waiting), "{waiting}");
    // A loss or two each time the buffer is full: every 50 round trips of 75 ms.
    let lost = stage.flows[0].lost;
    assert!((8..50).contains(&lost), "{lost}");
}

#[test]
fn vegas_keeps_alpha_to_beta_packets_waiting() {
    for (options, alpha, beta) in [
        ("", 2.0, 4.0),
        ("paper", 1.0, 3.0),
        ("alpha=8,beta=10", 8.0, 10.0),
    ] {
        let subject = subject("vegas", options);
        let topology = drop_tail(Buffer::Bdp(10.0));
        let (_, stage) = run(topology, &subject, 1, CeReport::Honest);
        let waiting = queue(&stage);
        assert!((alpha..=beta).contains(&waiting), "{subject:?}: {waiting}");
        assert!(stage.rate(0).bps() > 0.999 * RATE as f64, "{subject:?}");
    }
}

#[test]
fn vegas_leaves_slow_start_before_the_queue_stands() {
    let mut path = Path::new(drop_tail(Buffer::Bdp(10.0)));
    path.add(
        Sender::new(&subject("vegas", "")),
        Receiver::default().acknowledging(AckPolicy::Every(1)),
    );
    let start = path.run_for(SECOND);
    assert!(
        start.longest_queue < 100 * MILLI,
        "{:?}",
        start.longest_queue
    );
    let after = path.run_for(SECOND);
    assert!(after.longest_queue < 6 * MILLI, "{:?}", after.longest_queue);
    assert!(after.rate(0).bps() > 0.95 * RATE as f64);
}
