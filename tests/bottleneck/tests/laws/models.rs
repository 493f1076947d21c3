//! What links of any model obey.

use std::time::Duration;

use crate::traffic::{any_link, run, seeded, sleep_until_next_delivery, traffic, Arrival};
use proptest::prelude::*;
use quiche_cc_bottleneck::{Ecn, Exit, Fate, InLongWaits, Jitter, LinkConfig, Order, Queue, Time};

/// Everything that can be told of a packet that left.
fn story(exit: &Exit<usize>) -> (usize, Time, Fate, Ecn) {
    (exit.packet.payload, exit.at, exit.fate, exit.packet.ecn)
}

fn stories(config: &LinkConfig, seed: u64, traffic: &[Arrival]) -> Vec<(usize, Time, Fate, Ecn)> {
    let mut link = config.build(seed, 0).unwrap();
    run(&mut link, traffic, |_| ()).iter().map(story).collect()
}

/// The link without the models that let packets overtake.
fn in_order(config: LinkConfig) -> LinkConfig {
    use quiche_cc_bottleneck::Jitter::{Normal, Uniform};
    let free = Order::Free;
    let overtakes = |jitter: &Jitter| matches!(jitter, Uniform { order, .. } | Normal { order, .. } if *order == free);
    LinkConfig {
        jitter: config.jitter.filter(|jitter| !overtakes(jitter)),
        delay: config.delay.first().into(),
        reorder: None,
        ..config
    }
}

/// The link without a jitter that stops it: that decides how long packets wait, and so what becomes of them.
fn that_goes_on(config: LinkConfig) -> LinkConfig {
    let stops =
        |jitter: &Jitter| matches!(jitter, Jitter::Wifi(model) if model.link == InLongWaits::Stops);
    LinkConfig {
        jitter: config.jitter.filter(|jitter| !stops(jitter)),
        ..config
    }
}

proptest! {
    #![proptest_config(seeded(600))]

    #[test]
    fn every_packet_leaves_once_and_in_time_order(config in any_link(), traffic in traffic(), seed: u64) {
        let mut link = config.build(seed, 0).unwrap();
        let exits = run(&mut link, &traffic, |link| {
            let counters = link.counters();
            assert_eq!(
                counters.arrived.packets,
                counters.delivered.packets + counters.lost().packets + link.held()
            );
        });
        let counters = link.counters();
        prop_assert_eq!(counters.arrived.bytes, counters.delivered.bytes + counters.lost().bytes);
        prop_assert_eq!((link.held(), link.backlog().bytes), (0, 0));
        prop_assert!(exits.iter().map(|exit| exit.at).is_sorted());
        let mut numbers: Vec<_> = exits.iter().map(|exit| exit.packet.payload).collect();
        numbers.sort_unstable();
        prop_assert!(numbers.into_iter().eq(0..traffic.len()));
    }

    #[test]
    fn packets_keep_their_order_unless_a_model_says_otherwise(config in any_link(), traffic in traffic(), seed: u64) {
        let several = matches!(config.queue, Queue::FqCoDel(_) | Queue::DualPi2(_));
        let exits = run(&mut in_order(config).build(seed, 0).unwrap(), &traffic, |_| ());
        let mut latest = std::collections::BTreeMap::new();
        for exit in exits.iter().filter(|exit| matches!(exit.fate, Fate::Delivered(_))) {
            let number = exit.packet.payload;
            // With several queues only those of a flow that ask for the same treatment are bound to share one.
            let queue = several.then(|| (exit.packet.flow, traffic[number].ecn.bits() & 1));
            let before = latest.insert(queue, number);
            prop_assert!(before.is_none_or(|before| before < number));
        }
    }

    #[test]
    fn only_marks_change_an_ecn_field_and_only_to_ce(config in any_link(), traffic in traffic(), seed: u64) {
        let mut link = config.build(seed, 0).unwrap();
        let exits = run(&mut link, &traffic, |_| ());
        let changed = exits.iter().filter(|exit| exit.packet.ecn != traffic[exit.packet.payload].ecn);
        let mut marks = 0;
        for exit in changed {
            prop_assert_eq!(exit.packet.ecn, Ecn::Ce);
            prop_assert_ne!(traffic[exit.packet.payload].ecn, Ecn::NotEct);
            marks += 1;
        }
        prop_assert!(marks <= link.counters().marked.packets);
    }

    #[test]
    fn the_same_seed_gives_the_same_run(config in any_link(), traffic in traffic(), seed: u64) {
        prop_assert_eq!(stories(&config, seed, &traffic), stories(&config, seed, &traffic));
    }

    #[test]
    fn waking_up_at_next_delivery_is_never_too_late(config in any_link(), traffic in traffic(), seed: u64) {
        sleep_until_next_delivery(&mut config.build(seed, 0).unwrap(), &traffic);
    }

    /// Each model has a stream of its own: with jitter or without, the same packets are marked, dropped and lost.
    #[test]
    fn a_change_of_one_model_does_not_shift_what_the_others_draw(config in any_link(), traffic in traffic(), seed: u64) {
        let fates = |config: &LinkConfig| {
            let mut fates: Vec<_> = stories(config, seed, &traffic)
                .into_iter()
                .map(|(number, _, fate, ecn)| (number, std::mem::discriminant(&fate), ecn))
                .collect();
            fates.sort_unstable_by_key(|fate| fate.0);
            fates
        };
        let other = LinkConfig {
            jitter: "normal:mean=1ms,sd=1ms,order=free".parse().ok(),
            reorder: "p=30%,extra=1ms".parse().ok(),
            ..config.clone()
        };
        prop_assert_eq!(fates(&that_goes_on(config)), fates(&other));
    }

    #[test]
    fn occupancy_is_the_integral_of_the_queue(config in any_link(), traffic in traffic(), seed: u64) {
        let mut link = config.build::<usize>(seed, 0).unwrap();
        let mut last = (Time::ZERO, 0, 0);
        let (mut packets, mut squares, mut bytes) = (0.0, 0.0, 0.0);
        run(&mut link, &traffic, |link| {
            let span = link.clock().since(last.0).as_secs_f64();
            packets += span * last.1 as f64;
            squares += span * (last.1 * last.1) as f64;
            bytes += span * last.2 as f64;
            last = (link.clock(), link.backlog().packets, link.backlog().bytes);
        });
        let occupancy = link.occupancy();
        let span = link.clock().as_secs_f64();
        prop_assert_eq!(occupancy.span(), link.clock().since(Time::ZERO));
        prop_assume!(span > 0.0);
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1e-3);
        let mean = packets / span;
        prop_assert!(close(occupancy.packets().mean, mean), "{:?} {mean}", occupancy.packets());
        prop_assert!(close(occupancy.bytes().mean, bytes / span));
        let variance = (squares / span - mean * mean).max(0.0);
        prop_assert!(close(occupancy.packets().sd.powi(2), variance));
    }
}

#[test]
fn occupancy_of_a_part_is_the_difference() {
    let config = LinkConfig {
        rate: "8Mbps".parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link = config.build::<usize>(1, 0).unwrap();
    // Three packets of 1 ms: two wait, then one, then none.
    let burst = vec![
        Arrival {
            pause: Duration::ZERO,
            size: 1000,
            ecn: Ecn::NotEct
        };
        3
    ];
    run(&mut link, &burst, |_| ());
    let at = |link: &mut quiche_cc_bottleneck::Link<usize>, millis| {
        link.advance(Time::from(Duration::from_millis(millis)));
        link.occupancy()
    };
    let busy = at(&mut link, 4);
    assert_eq!(busy.packets().mean, 0.75);
    assert_eq!(busy.bytes().mean, 750.0);
    assert!((busy.packets().sd - 0.6875_f64.sqrt()).abs() < 1e-12);
    let idle = at(&mut link, 10).since(&busy);
    assert_eq!(idle.span(), Duration::from_millis(6));
    assert_eq!((idle.packets().mean, idle.packets().sd), (0.0, 0.0));
}
