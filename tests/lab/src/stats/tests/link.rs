use std::time::Duration;

use quiche_cc_bottleneck::{Backlog, Counters};

use super::{ms, window};
use crate::record::{LinkRecord, LinkSample};
use crate::stats::{LinkStats, QueueStats};

fn sample(at: u64, busy: u64, delivered: u64, lost: u64) -> LinkSample {
    let mut counters = Counters::default();
    counters.arrived.packets = delivered + lost;
    counters.delivered.packets = delivered;
    counters.delivered.bytes = delivered * 1250;
    counters.lost_overflow.packets = lost;
    counters.marked.packets = delivered / 10;
    LinkSample {
        at: ms(at),
        backlog: Backlog::default(),
        counters,
        busy: Duration::from_millis(busy),
    }
}

/// Busy for 80 ms of the first 100, not at all in the next, always in the third.
fn link() -> LinkRecord {
    LinkRecord {
        samples: vec![
            sample(0, 0, 0, 0),
            sample(100, 80, 80, 0),
            sample(200, 80, 80, 0),
            sample(300, 180, 180, 20),
        ],
        queue: vec![(ms(10), 2), (ms(20), 4), (ms(40), 0), (ms(250), 7)],
    }
}

#[test]
fn a_queue_is_weighted_by_time() {
    let changes = link().queue;
    // 2 for 10 ms, 4 for 20 ms, 0 for 70 ms.
    let all = QueueStats::of(&changes, window(0, 100));
    assert_eq!((all.mean, all.max), (1.0, 4));
    let variance: f64 = (2.0 * 2.0 * 10.0 + 4.0 * 4.0 * 20.0) / 100.0 - 1.0;
    assert_eq!(all.sd, variance.sqrt());
    // In the middle of a change's time: 2 for 5 ms, 4 for 5 ms.
    let part = QueueStats::of(&changes, window(15, 25));
    assert_eq!((part.mean, part.sd, part.max), (3.0, 1.0, 4));
    // A change at the end does not belong to the window; one at the beginning does.
    let before = QueueStats::of(&changes, window(100, 250));
    assert_eq!((before.mean, before.max), (0.0, 0));
    let after = QueueStats::of(&changes, window(250, 300));
    assert_eq!((after.mean, after.sd, after.max), (7.0, 0.0, 7));
}

#[test]
fn a_link_is_judged_by_what_happened_in_the_window() {
    let all = LinkStats::of(&link(), window(0, 300));
    assert_eq!(all.utilisation, Some(0.6));
    assert_eq!(all.throughput_bps, Some(180.0 * 1250.0 * 8.0 / 0.3));
    assert_eq!(
        (all.lost_packets.overflow, all.lost_packets.all()),
        (20, 20)
    );
    assert_eq!(all.loss_share, Some(0.1));
    assert_eq!((all.arrived_packets, all.marked_packets), (200, 18));
    let idle = LinkStats::of(&link(), window(100, 200));
    assert_eq!((idle.utilisation, idle.loss_share), (Some(0.0), None));
}

#[test]
fn utilisation_is_cut_at_the_edges_of_the_window() {
    let utilisation = |from, to| {
        let stats = LinkStats::of(&link(), window(from, to));
        stats.utilisation.unwrap()
    };
    assert!((utilisation(250, 300) - 1.0).abs() < 1e-12);
    assert!((utilisation(50, 250) - 0.45).abs() < 1e-12);
    assert!((utilisation(0, 25) - 0.8).abs() < 1e-12);
}

#[test]
fn a_link_that_was_never_sampled_has_no_utilisation() {
    let stats = LinkStats::of(&LinkRecord::default(), window(0, 100));
    assert_eq!((stats.utilisation, stats.throughput_bps), (None, None));
    assert_eq!(stats.loss_share, None);
    assert_eq!(stats.queue_packets.max, 0);
}
