use quiche_cc_bottleneck::LossCause;

use super::{delivery, ms, regular, window};
use crate::record::{Delivery, FlowRecord, Loss};
use crate::stats::rate::{bps, over_time, Bin, Counted};
use crate::stats::FlowStats;

fn flow() -> FlowRecord {
    let loss = |at, cause| Loss {
        at: ms(at),
        link: 0,
        cause,
    };
    FlowRecord {
        sent: (0..10).map(|i| (ms(i * 100), 1250)).collect(),
        returned: (0..10).map(|i| (ms(i * 100), 40)).collect(),
        deliveries: vec![
            delivery(100, 60, 10),
            delivery(200, 70, 20),
            Delivery {
                ce: true,
                ..delivery(300, 80, 30)
            },
            delivery(400, 90, 40),
        ],
        losses: vec![
            loss(50, LossCause::Wire),
            loss(250, LossCause::Overflow),
            loss(260, LossCause::Overflow),
            loss(270, LossCause::Discipline),
        ],
        reads: vec![(ms(100), 1000), (ms(300), 2000)],
        completions: vec![(ms(0), ms(150)), (ms(200), ms(300))],
        established: Some(ms(50)),
        ..FlowRecord::default()
    }
}

#[test]
fn a_flow_is_judged_by_what_happened_in_the_window() {
    let stats = FlowStats::of(&flow(), window(200, 400));
    assert_eq!(stats.goodput_bps, 2000.0 * 8.0 / 0.2);
    assert_eq!(stats.throughput_bps, 2500.0 * 8.0 / 0.2);
    assert_eq!((stats.sent_packets, stats.delivered_packets), (2, 2));
    assert_eq!((stats.returned_packets, stats.returned_bytes), (2, 80));
    let lost = stats.lost_packets;
    assert_eq!((lost.overflow, lost.discipline, lost.wire), (2, 1, 0));
    assert_eq!(stats.loss_share, Some(0.6));
    assert_eq!(stats.ce_share, Some(0.5));
    let one_way = stats.one_way_ms.unwrap();
    assert_eq!((one_way.mean, one_way.sd, one_way.p50), (75.0, 5.0, 70.0));
    let queueing = stats.queueing_ms.unwrap();
    assert_eq!((queueing.mean, queueing.max), (25.0, 30.0));
    let completion = stats.completion_ms.unwrap();
    assert_eq!((completion.count, completion.mean), (1, 100.0));
}

#[test]
fn without_samples_there_is_no_number() {
    let stats = FlowStats::of(&flow(), window(2000, 3000));
    assert_eq!((stats.goodput_bps, stats.sent_packets), (0.0, 0));
    assert_eq!((stats.loss_share, stats.ce_share), (None, None));
    assert_eq!((stats.one_way_ms, stats.completion_ms), (None, None));
}

#[test]
fn datagrams_without_quic_are_read_as_they_arrive() {
    let udp = regular(0, 1000, 1);
    assert_eq!(bps(&udp, Counted::Goodput, window(0, 1000)), 100_000.0);
    let silent = FlowRecord {
        established: Some(ms(0)),
        ..udp
    };
    assert_eq!(bps(&silent, Counted::Goodput, window(0, 1000)), 0.0);
}

#[test]
fn a_rate_over_time_counts_each_byte_in_one_bin() {
    let bins = over_time(
        &flow(),
        Counted::Throughput,
        window(100, 550),
        std::time::Duration::from_millis(200),
    );
    let bin = |from, bps| Bin { from, bps };
    assert_eq!(bins, [bin(ms(100), 1e5), bin(ms(300), 1e5)]);
    assert_eq!(
        bps(&flow(), Counted::Sending, window(0, 1000)),
        12_500.0 * 8.0
    );
}
