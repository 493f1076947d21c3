//! The policer, on traffic that it lets through and on more.

use std::time::Duration;

use crate::traffic::seeded;
use proptest::prelude::*;
use quiche_cc_bottleneck::{Ecn, Exit, Fate, Link, LinkConfig, LossCause, Packet, Time};

const SIZE: u64 = 1250;

/// A link of 1 Gbit/s that is policed, and packets of 1250 bytes at such times in microseconds.
fn police(queue: &str, times: &[u64]) -> Vec<Exit<()>> {
    let config = LinkConfig {
        rate: "1Gbps".parse().unwrap(),
        queue: queue.parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link: Link<()> = config.build(1, 0).unwrap();
    for at in times {
        let packet = Packet {
            size: SIZE as u32,
            ecn: Ecn::Ect0,
            flow: 0,
            payload: (),
        };
        link.send(Time::from(Duration::from_micros(*at)), packet);
    }
    std::iter::from_fn(|| link.receive(Time::from_nanos(u64::MAX))).collect()
}

fn dropped(exits: &[Exit<()>]) -> usize {
    let is_dropped = |exit: &&Exit<()>| exit.fate == Fate::Lost(LossCause::Discipline);
    exits.iter().filter(is_dropped).count()
}

#[test]
fn a_burst_passes_as_far_as_the_bucket_goes_and_again_when_it_is_full() {
    // 10 packets fit; at 10 Mbit/s one more does every millisecond.
    let at = |at: u64, count| std::iter::repeat_n(at, count);
    for burst in ["12500B", "10ms"] {
        let queue = format!("policer:rate=10Mbps,burst={burst}");
        let once: Vec<u64> = at(0, 25).collect();
        assert_eq!(dropped(&police(&queue, &once)), 15, "{burst}");
        let soon: Vec<u64> = at(0, 10).chain(at(3000, 10)).collect();
        assert_eq!(dropped(&police(&queue, &soon)), 7, "{burst}");
        let later: Vec<u64> = at(0, 10).chain(at(10_000, 10)).collect();
        assert_eq!(dropped(&police(&queue, &later)), 0, "{burst}");
    }
}

#[test]
fn twice_the_rate_loses_half_and_never_waits() {
    let times: Vec<u64> = (0..20_000).map(|packet| packet * 500).collect();
    let exits = police("policer:rate=10Mbps,burst=64kB", &times);
    let share = dropped(&exits) as f64 / exits.len() as f64;
    assert!((share - 0.5).abs() < 0.01, "{share}");
    let delivered = exits.iter().filter_map(|exit| match exit.fate {
        Fate::Delivered(transit) => Some(transit),
        _ => None,
    });
    assert!(delivered
        .into_iter()
        .all(|transit| transit.queueing.is_zero()));
}

proptest! {
    #![proptest_config(seeded(100))]

    #[test]
    fn nothing_is_ever_let_through_beyond_rate_and_burst(gaps in prop::collection::vec(0..3000u64, 1..300), burst in 1..20u64) {
        let times: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();
        let exits = police(&format!("policer:rate=10Mbps,burst={}B", burst * SIZE), &times);
        let passed: Vec<u64> = exits
            .iter()
            .filter(|exit| matches!(exit.fate, Fate::Delivered(_)))
            .map(|exit| exit.arrived.since(Time::ZERO).as_micros() as u64)
            .collect();
        for (first, from) in passed.iter().enumerate() {
            for (last, to) in passed.iter().enumerate().skip(first) {
                // One packet per millisecond, and the burst.
                prop_assert!((last - first + 1) as u64 <= burst + (to - from) / 1000 + 1);
            }
        }
    }
}
