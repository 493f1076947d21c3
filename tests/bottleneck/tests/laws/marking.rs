//! Queues that mark by how full they are, or by how long packets waited.

use std::time::Duration;

use quiche_cc_bottleneck::{
    stream, Ecn, Header, Limit, LinkConfig, LossCause, Packet, Queue, QueueView, Queues, Scheduler,
    Time, Verdict,
};

const DRAWS: u32 = 20_000;
const SEED: u64 = 11;

fn queue(text: &str) -> Box<dyn Scheduler> {
    let queue: Queue = text.parse().unwrap();
    queue.build(
        Limit::default(),
        "10Mbps".parse().ok(),
        Duration::from_millis(50),
    )
}

/// What a packet sees that leaves `packets` of 1000 bytes behind.
fn view(packets: u64) -> QueueView {
    QueueView {
        now: Time::ZERO,
        packets,
        bytes: 1000 * packets,
        idle: false,
        rate: "10Mbps".parse().ok(),
    }
}

/// Fails unless the share of marks among many packets that waited this long and leave so many behind is `p`,
/// within five standard deviations of a binomial distribution.
fn marks_with(queue: &mut dyn Scheduler, packets: u64, ecn: Ecn, waited: Duration, p: f64) {
    let mut rng = stream(SEED, packets);
    let header = Header {
        flow: 0,
        size: 1000,
        ecn,
    };
    let marked = |_: &u32| {
        let queues = Queues {
            all: view(packets),
            each: &[],
        };
        let verdict = queue.on_departure(&queues, 0, &header, waited, &mut rng);
        assert!(matches!(verdict, Verdict::Pass | Verdict::Mark));
        verdict == Verdict::Mark
    };
    let marks = (0..DRAWS).filter(marked).count() as f64;
    let mean = f64::from(DRAWS) * p;
    let sd = (mean * (1.0 - p)).sqrt();
    assert!(
        (marks - mean).abs() <= 5.0 * sd,
        "{marks} of {DRAWS} marked for {mean}, {packets} packets behind, seed {SEED}"
    );
}

#[test]
fn the_share_of_marks_is_q_over_q_plus_q0() {
    // 1bdp and 50 ms are 62,500 bytes on this path.
    for (text, q0) in [
        ("mark:q0=32p", 32.0),
        ("mark:q0=62500B", 62.5),
        ("mark:q0=1bdp", 62.5),
        ("mark:q0=50ms", 62.5),
    ] {
        for packets in [0, 1, 5, 32, 300] {
            let q = packets as f64;
            marks_with(
                &mut *queue(text),
                packets,
                Ecn::Ect0,
                Duration::ZERO,
                q / (q + q0),
            );
        }
    }
}

#[test]
fn who_is_not_concerned_is_never_marked_and_never_dropped() {
    let long = Duration::from_secs(1);
    for (text, ecn, p) in [
        ("mark:q0=1p", Ecn::NotEct, 0.0),
        ("mark:q0=1p", Ecn::Ect1, 0.9),
        ("mark:q0=1p,ect=1", Ecn::Ect1, 0.9),
        ("mark:q0=1p,ect=1", Ecn::Ect0, 0.0),
        ("mark:q0=1p,ect=0", Ecn::Ect0, 0.9),
        ("mark:q0=1p,ect=0", Ecn::Ect1, 0.0),
        ("step", Ecn::Ect1, 1.0),
        ("step", Ecn::Ect0, 0.0),
        ("step", Ecn::NotEct, 0.0),
        ("ramp", Ecn::Ect0, 0.0),
        ("ramp", Ecn::NotEct, 0.0),
    ] {
        marks_with(&mut *queue(text), 9, ecn, long, p);
    }
}

#[test]
fn a_step_marks_what_waited_longer_than_its_threshold() {
    let nano = Duration::from_nanos(1);
    let millis = Duration::from_millis(1);
    let step = &mut *queue("step:1ms");
    marks_with(step, 3, Ecn::Ect1, millis, 0.0);
    marks_with(step, 3, Ecn::Ect1, millis + nano, 1.0);
    // The last packet keeps the link busy: to mark it would leave the link idle.
    marks_with(step, 0, Ecn::Ect1, 10 * millis, 0.0);
}

#[test]
fn a_ramp_marks_in_proportion_between_its_thresholds() {
    let ramp = &mut *queue("ramp:min=1ms,max=5ms");
    for (micros, p) in [
        (1000, 0.0),
        (1400, 0.1),
        (3000, 0.5),
        (4800, 0.95),
        (5001, 1.0),
    ] {
        marks_with(ramp, 3, Ecn::Ect1, Duration::from_micros(micros), p);
    }
}

/// A queue that is held at eight packets: 1250 bytes take 1 ms, and one comes every millisecond.
#[test]
fn a_standing_queue_on_a_link_marks_its_share() {
    let config = LinkConfig {
        rate: "10Mbps".parse().unwrap(),
        queue: "mark:q0=32p".parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link = config.build(SEED, 0).unwrap();
    let packet = || Packet {
        size: 1250,
        ecn: Ecn::Ect0,
        flow: 0,
        payload: (),
    };
    (0..9).for_each(|_| link.send(Time::ZERO, packet()));
    for millis in 1..20_000 {
        link.send(Time::from(Duration::from_millis(millis)), packet());
    }
    // The first of the nine went into service at once; each one that follows leaves seven behind.
    let p = 7.0 / (7.0 + 32.0);
    let mean = 20_000.0 * p;
    let marks = link.counters().marked.packets as f64;
    assert!(
        (marks - mean).abs() < 5.0 * (mean * (1.0 - p)).sqrt(),
        "{marks} marks for {mean}, seed {SEED}"
    );
}

#[test]
fn every_queue_drops_what_has_no_room_and_says_so() {
    for queue in [
        "droptail",
        "mark:q0=1p",
        "step",
        "ramp",
        "codel",
        "pie",
        "dualpi2",
    ] {
        let config = LinkConfig {
            rate: "10Mbps".parse().unwrap(),
            queue: queue.parse().unwrap(),
            buffer: "10p".parse().unwrap(),
            ..LinkConfig::default()
        };
        let mut link = config.build(SEED, 0).unwrap();
        for number in 0..20 {
            let packet = Packet {
                size: 1000,
                ecn: Ecn::NotEct,
                flow: 0,
                payload: number,
            };
            link.send(Time::ZERO, packet);
        }
        let end = Time::from_nanos(u64::MAX);
        let exits: Vec<_> = std::iter::from_fn(|| link.receive(end)).collect();
        let overflow = quiche_cc_bottleneck::Fate::Lost(LossCause::Overflow);
        let lost: Vec<_> = exits
            .iter()
            .filter(|exit| exit.fate == overflow)
            .map(|exit| exit.packet.payload)
            .collect();
        assert_eq!(lost, (11..20).collect::<Vec<_>>(), "{queue}");
    }
}
