//! FQ-CoDel (RFC 8290).

use std::time::Duration;

use crate::queues::{delivered, link, longest_wait, lost, mean_wait, of, run, Source, MS, SIZE};
use quiche_cc_bottleneck::{Ecn, Exit, Fate, LossCause, Packet, Time};

const END: Duration = Duration::from_secs(4);

fn flood(flow: u64, every: Duration) -> Source {
    Source::steady(flow, Ecn::NotEct, every, END)
}

/// Bytes of `flow` that left from a time on, and while all sources sent.
fn sent_from(from: Duration, exits: &[Exit<Ecn>], flow: u64) -> f64 {
    let all = Time::from(from)..Time::from(END);
    let sent = exits
        .iter()
        .filter(|exit| exit.packet.flow == flow && all.contains(&exit.at));
    delivered(&sent.collect::<Vec<_>>())
}

/// Section 4.2: whoever sends less than a quantum per round is served before those whose queue stands.
#[test]
fn a_sparse_flow_does_not_wait_for_those_that_fill_their_queues() {
    let sparse = Source {
        size: 200,
        ..flood(9, 20 * MS)
    };
    let sources = [flood(1, MS / 2), flood(2, MS / 2), sparse];
    let waits = |queue| {
        let exits = run(&link(queue, "100ms"), &sources);
        // At the start all flows are new.
        longest_wait(&of(&exits, 9, 20 * MS, END))
    };
    // The packet in service, and no other.
    assert!(waits("fq_codel") <= 1.0, "{} ms", waits("fq_codel"));
    assert!(waits("droptail") > 90.0);
}

/// Section 4.2: a queue that runs empty goes to the old ones before it may be new again. Two flows of 49 % whose queues run empty after
/// each packet would leave a third nothing.
#[test]
fn a_flow_that_wants_more_than_its_share_is_not_sparse() {
    let pause = MS * 100 / 49;
    // The first flow is an old one by then.
    let later = |flow, from| Source {
        from,
        ..flood(flow, pause)
    };
    let sources = [
        flood(1, MS),
        later(2, 100 * MS),
        later(3, 100 * MS + pause / 2),
    ];
    let exits = run(&link("fq_codel:target=10s", "10000p"), &sources);
    let bytes = [1, 2, 3].map(|flow| sent_from(100 * MS, &exits, flow));
    let mean = bytes.iter().sum::<f64>() / 3.0;
    for share in bytes.map(|bytes| bytes / mean) {
        assert!((share - 1.0).abs() < 0.05, "{bytes:?}");
    }
}

/// Section 4.2: while the link is idle no queue is on a list, so a flow that was alone is not taken for one that fills its queue.
#[test]
fn a_flow_that_was_alone_is_sparse_when_others_come() {
    let sparse = flood(9, 50 * MS);
    // Its packet at 1050 ms comes while the first one of the others leaves, which are new as well.
    let bulk = Source {
        from: 1049 * MS,
        ..flood(1, MS * 2 / 5)
    };
    let exits = run(&link("fq_codel:target=10s", "10000p"), &[sparse, bulk]);
    let wait = longest_wait(&of(&exits, 9, 1000 * MS, END));
    assert!(wait <= 1.5, "{wait} ms");
}

/// What waited before a packet came decides whether it has room, as with one queue.
#[test]
fn a_limit_in_time_does_not_count_the_packet_that_joins() {
    let lost_by = |queue| {
        let exits = run(&link(queue, "wait:2ms"), &[flood(1, MS / 2)]);
        lost(&exits.iter().collect::<Vec<_>>(), LossCause::Overflow)
    };
    let (fair, tail) = (lost_by("fq_codel:target=10s"), lost_by("droptail"));
    assert!((fair - tail).abs() < 0.01, "{fair} and {tail}");
}

/// "Less than a packet in the queue", which keeps CoDel from dropping (RFC 8289 section 5.6), is about the flow's own queue.
#[test]
fn a_packet_that_waits_for_other_flows_only_is_not_dropped() {
    let sources: Vec<_> = (0..20).map(|flow| flood(flow, 20 * MS)).collect();
    let exits = run(&link("fq_codel:flows=65536", "10000p"), &sources);
    let waits = exits.iter().collect::<Vec<_>>();
    assert!(mean_wait(&waits) > 8.0, "{}", mean_wait(&waits));
    assert_eq!(lost(&waits, LossCause::Discipline), 0.0);
}

/// Section 4.2, deficit round robin: shares are equal in bytes, whatever the rates, the sizes and the quantum.
#[test]
fn flows_that_want_more_than_their_share_get_equal_bytes() {
    let small = Source {
        size: 300,
        ..flood(1, MS / 8)
    };
    for queue in ["fq_codel", "fq_codel:quantum=300", "fq_codel:quantum=9000"] {
        let sources = [small, flood(2, MS / 2), flood(3, MS)];
        let exits = run(&link(queue, "200ms"), &sources);
        let bytes = [1, 2, 3].map(|flow| sent_from(Duration::ZERO, &exits, flow));
        let mean = bytes.iter().sum::<f64>() / 3.0;
        for share in bytes.map(|bytes| bytes / mean) {
            assert!((share - 1.0).abs() < 0.02, "{queue}: {bytes:?}");
        }
    }
}

/// Each flow's CoDel acts on its own queue alone.
#[test]
fn only_the_flow_whose_queue_stands_is_dropped() {
    // 40 % of the link in bursts of 8 ms, beside 120 %.
    let sources = [
        Source::steady(1, Ecn::NotEct, 5 * MS / 2, END),
        flood(2, MS * 5 / 6),
    ];
    let exits = run(&link("fq_codel", "10000p"), &sources);
    let modest = of(&exits, 1, Duration::ZERO, END);
    let greedy = of(&exits, 2, Duration::ZERO, END);
    assert_eq!(lost(&modest, LossCause::Discipline), 0.0);
    assert!(mean_wait(&modest) < 3.0, "{}", mean_wait(&modest));
    assert!(lost(&greedy, LossCause::Discipline) > 0.05);
    assert!(mean_wait(&greedy) > 3.0 * mean_wait(&modest));
}

/// CoDel marks those that can be marked (section 5.2.6).
#[test]
fn ecn_capable_flows_are_marked_instead_of_dropped() {
    for ecn in [Ecn::Ect0, Ecn::Ect1] {
        let source = Source::steady(1, ecn, MS * 3 / 4, END);
        let exits = run(&link("fq_codel", "10000p"), &[source]);
        let all = of(&exits, 1, Duration::ZERO, END);
        assert_eq!(lost(&all, LossCause::Discipline), 0.0);
        assert!(all.iter().any(|exit| exit.packet.ecn == Ecn::Ce));
    }
}

/// Section 4.1: without room, the queue with the most bytes loses its oldest packets; others lose nothing.
#[test]
fn the_fattest_queue_makes_room() {
    let small = Source::steady(1, Ecn::NotEct, 4 * MS, END);
    let sources = [small, flood(2, MS / 4)];
    let exits = run(&link("fq_codel:target=10s", "50p"), &sources);
    assert_eq!(
        lost(&of(&exits, 1, Duration::ZERO, END), LossCause::Overflow),
        0.0
    );
    let greedy = of(&exits, 2, Duration::ZERO, END);
    assert!((lost(&greedy, LossCause::Overflow) - 0.81).abs() < 0.02);
    // From the head, and so the oldest of those that wait: a drop at the tail would be of the packet that arrives.
    let dropped = greedy
        .iter()
        .filter(|exit| exit.fate == Fate::Lost(LossCause::Overflow));
    assert!(dropped.into_iter().all(|exit| exit.at > exit.arrived));
}

/// The limit is one of all queues together, in packets, bytes or time.
#[test]
fn what_waits_never_exceeds_the_limit() {
    for (buffer, most) in [("50p", 50), ("62500B", 50), ("50ms", 50)] {
        let sources = [flood(1, MS / 3), flood(2, MS / 4), flood(3, MS)];
        let config = link("fq_codel:target=10s", buffer);
        let mut link = config.build(crate::queues::SEED, 0).unwrap();
        for number in 0..2000 {
            let packet = Packet {
                size: SIZE,
                ecn: Ecn::NotEct,
                flow: sources[number % 3].flow,
                payload: (),
            };
            link.send(Time::from(MS / 4 * number as u32), packet);
            assert!(link.backlog().packets <= most, "{buffer}");
        }
        assert_eq!(link.counters().max_queue_packets, most, "{buffer}");
    }
}

/// One queue for all flows is CoDel, packet by packet.
#[test]
fn with_a_single_queue_it_is_codel() {
    let sources = [flood(1, MS * 4 / 5), flood(2, 10 * MS)];
    let story = |queue| {
        let exits = run(&link(queue, "10000p"), &sources);
        let story = exits.iter().map(|exit| (exit.arrived, exit.at, exit.fate));
        story.collect::<Vec<_>>()
    };
    assert_eq!(story("fq_codel:flows=1"), story("codel"));
}
