//! Laws of a drop-tail link at a constant rate, on random traffic.

use std::time::Duration;

use crate::traffic::{arrival_times, link, run, seeded, sleep_until_next_delivery, traffic};
use proptest::prelude::*;
use quiche_cc_bottleneck::{
    Exit, Fate, LinkConfig, Loss, LossCause, Packet, Probability, Rate, RateModel, Time, Transit,
};

fn delivered(exits: &[Exit<usize>]) -> Vec<(&Exit<usize>, Transit)> {
    let transit = |exit| match exit {
        &Exit {
            fate: Fate::Delivered(transit),
            ..
        } => Some(transit),
        _ => None,
    };
    exits
        .iter()
        .filter_map(|exit| Some((exit, transit(exit)?)))
        .collect()
}

fn independent(percent: u32) -> Loss {
    Loss::Independent(Probability::new(f64::from(percent) / 100.0).expect("a probability"))
}

/// The rate of a link whose rate is constant.
fn rate(config: &LinkConfig) -> Rate {
    match &config.rate {
        RateModel::Scheduled(rates) => rates.first(),
        other => panic!("{other} is no constant rate"),
    }
}

fn fates(
    config: &LinkConfig,
    seed: u64,
    traffic: &[crate::traffic::Arrival],
) -> Vec<(usize, Time, Fate)> {
    run(&mut config.build(seed, 0).unwrap(), traffic, |_| ())
        .into_iter()
        .map(|exit| (exit.packet.payload, exit.at, exit.fate))
        .collect()
}

proptest! {
    #![proptest_config(seeded(300))]

    #[test]
    fn what_comes_in_goes_out_is_lost_or_is_held(config in link(), traffic in traffic(), loss in 0..50u32) {
        let loss = independent(loss);
        let mut link = LinkConfig { loss, ..config }.build(7, 0).unwrap();
        let exits = run(&mut link, &traffic, |link| {
            let counters = link.counters();
            assert_eq!(
                counters.arrived.packets,
                counters.delivered.packets + counters.lost().packets + link.held()
            );
        });
        let counters = link.counters();
        prop_assert_eq!(exits.len(), traffic.len());
        prop_assert_eq!(counters.arrived.bytes, counters.delivered.bytes + counters.lost().bytes);
        prop_assert_eq!(link.backlog().bytes, 0);
        let mut numbers: Vec<_> = exits.iter().map(|exit| exit.packet.payload).collect();
        numbers.sort_unstable();
        prop_assert!(numbers.into_iter().eq(0..traffic.len()));
    }

    #[test]
    fn packets_leave_in_the_order_in_which_they_came(config in link(), traffic in traffic()) {
        let exits = run(&mut config.build(7, 0).unwrap(), &traffic, |_| ());
        let order: Vec<_> = delivered(&exits).iter().map(|(exit, _)| exit.packet.payload).collect();
        prop_assert!(order.is_sorted());
        prop_assert!(exits.iter().map(|exit| exit.at).is_sorted());
    }

    #[test]
    fn ecn_and_size_stay_as_they_were(config in link(), traffic in traffic()) {
        for exit in run(&mut config.build(7, 0).unwrap(), &traffic, |_| ()) {
            let sent = &traffic[exit.packet.payload];
            prop_assert_eq!((exit.packet.ecn, exit.packet.size), (sent.ecn, sent.size));
        }
    }

    /// Lindley's recursion with the times kept as fractions: the sum of what was sent in this busy
    /// period, rounded up to a nanosecond once.
    #[test]
    fn delay_is_exactly_queueing_serialisation_and_propagation(config in link(), traffic in traffic()) {
        let exits = run(&mut config.build(7, 0).unwrap(), &traffic, |_| ());
        let arrivals = arrival_times(&traffic);
        let rate = rate(&config);
        let (mut busy_since, mut busy_bytes, mut free_at) = (Time::ZERO, 0, Time::ZERO);
        for (exit, transit) in delivered(&exits) {
            let arrived = arrivals[exit.packet.payload];
            if arrived > free_at {
                (busy_since, busy_bytes, free_at) = (arrived, 0, arrived);
            }
            busy_bytes += u64::from(exit.packet.size);
            let finish = busy_since + rate.time_for(busy_bytes);
            prop_assert_eq!(exit.arrived, arrived);
            prop_assert_eq!(transit.queueing, free_at.since(arrived));
            prop_assert_eq!(transit.serialisation, finish.since(free_at));
            prop_assert_eq!(transit.propagation, config.delay.first());
            prop_assert_eq!(exit.at, finish + config.delay.first());
            free_at = finish;
        }
    }

    #[test]
    fn no_stretch_of_deliveries_is_faster_than_the_rate(config in link(), traffic in traffic()) {
        let exits = run(&mut config.build(7, 0).unwrap(), &traffic, |_| ());
        let exits = delivered(&exits);
        for from in 0..exits.len() {
            let mut bytes = 0;
            for (exit, _) in &exits[from + 1..] {
                bytes += u64::from(exit.packet.size);
                let span = exit.at.since(exits[from].0.at);
                // Each end is rounded up by less than a nanosecond.
                prop_assert!(span + Duration::from_nanos(1) >= rate(&config).time_for(bytes));
            }
        }
    }

    #[test]
    fn the_buffer_never_holds_more_than_its_limit_and_is_used_up_to_it(config in link(), traffic in traffic()) {
        let limit = config.buffer.limit(Some(rate(&config)), config.base_rtt);
        let mut link = config.build(7, 0).unwrap();
        let exits = run(&mut link, &traffic, |link| {
            let backlog = link.backlog();
            assert!(limit.bytes.is_none_or(|limit| backlog.bytes <= limit));
            assert!(limit.packets.is_none_or(|limit| backlog.packets <= limit));
        });
        // What was dropped had really no room: replay who waited at that instant.
        for lost in exits.iter().filter(|exit| exit.fate == Fate::Lost(LossCause::Overflow)) {
            let waiting = delivered(&exits).into_iter().filter(|(exit, transit)| {
                exit.packet.payload < lost.packet.payload && exit.arrived + transit.queueing > lost.arrived
            });
            let (packets, bytes) = waiting.fold((0, 0), |(packets, bytes), (exit, _)| {
                (packets + 1, bytes + u64::from(exit.packet.size))
            });
            prop_assert!(!limit.admits(packets, bytes, lost.packet.size, Some(rate(&config))));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_losses_and_another_seed_others(config in link(), seed: u64) {
        let loss = independent(50);
        let config = LinkConfig { loss, rate: RateModel::Unlimited, ..config };
        let traffic = vec![crate::traffic::Arrival { pause: Duration::from_micros(1), size: 1200, ecn: Default::default() }; 200];
        let first = fates(&config, seed, &traffic);
        prop_assert_eq!(&first, &fates(&config, seed, &traffic));
        prop_assert_ne!(first, fates(&config, seed ^ 1, &traffic));
    }

    #[test]
    fn a_late_caller_gets_the_same_packets_with_the_same_times(config in link(), traffic in traffic(), step in 1..50_000_000u64) {
        let punctual = fates(&config, 7, &traffic);
        let mut link = config.build::<usize>(7, 0).unwrap();
        let mut late = Vec::new();
        let arrivals = arrival_times(&traffic);
        let mut next = 0;
        let mut now = Time::ZERO;
        while late.len() < traffic.len() {
            now = now + Duration::from_nanos(step);
            while next < traffic.len() && arrivals[next] <= now {
                let packet = Packet { size: traffic[next].size, ecn: traffic[next].ecn, flow: 0, payload: next };
                link.send(arrivals[next], packet);
                next += 1;
            }
            while let Some(exit) = link.receive(now) {
                late.push((exit.packet.payload, exit.at, exit.fate));
            }
        }
        prop_assert_eq!(punctual, late);
    }

    #[test]
    fn waking_up_at_next_delivery_is_never_too_late(config in link(), traffic in traffic(), loss in 0..50u32) {
        let loss = independent(loss);
        sleep_until_next_delivery(&mut LinkConfig { loss, ..config }.build(7, 0).unwrap(), &traffic);
    }
}

#[test]
fn a_full_buffer_of_400_ms_delays_by_400_ms() {
    let config = LinkConfig {
        rate: "1Mbps".parse().unwrap(),
        delay: Duration::from_millis(50).into(),
        buffer: "400ms".parse().unwrap(),
        base_rtt: Duration::from_millis(100),
        ..LinkConfig::default()
    };
    let mut link = config.build::<usize>(1, 0).unwrap();
    for number in 0..100 {
        let packet = Packet {
            size: 1250,
            ecn: Default::default(),
            flow: 0,
            payload: number,
        };
        link.send(Time::ZERO, packet);
    }
    // 40 packets wait (50,000 bytes), one is in service: each takes 10 ms.
    let backlog = link.backlog();
    assert_eq!((backlog.packets, backlog.bytes), (40, 50_000));
    assert_eq!(backlog.delay, Duration::from_millis(410));
    link.advance(Time::from_nanos(15_000_000));
    assert_eq!(link.busy_time(), Duration::from_millis(15));
    let exits: Vec<_> = std::iter::from_fn(|| link.receive(Time::from_nanos(u64::MAX))).collect();
    let exits = delivered(&exits);
    let (last, transit) = exits.last().unwrap();
    assert_eq!(exits.len(), 41);
    assert_eq!(transit.queueing, Duration::from_millis(400));
    assert_eq!(last.at, Time::from_nanos(460_000_000));
    assert_eq!(link.counters().lost_overflow.packets, 59);
    assert_eq!(link.busy_time(), Duration::from_millis(410));
}

#[test]
fn a_link_without_buffer_takes_a_packet_only_when_idle() {
    let config = LinkConfig {
        rate: "8Mbps".parse().unwrap(),
        buffer: "0p".parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link = config.build::<usize>(1, 0).unwrap();
    for (number, micros) in [0, 999, 1000, 1001, 2000].into_iter().enumerate() {
        let packet = Packet {
            size: 1000,
            ecn: Default::default(),
            flow: 0,
            payload: number,
        };
        link.send(Time::from_nanos(micros * 1000), packet);
    }
    let exits: Vec<_> = std::iter::from_fn(|| link.receive(Time::from_nanos(u64::MAX))).collect();
    let through: Vec<_> = delivered(&exits)
        .iter()
        .map(|(exit, _)| exit.packet.payload)
        .collect();
    assert_eq!(through, [0, 2, 4]);
}

#[test]
fn random_loss_comes_at_its_rate_and_uses_the_link() {
    let config = LinkConfig {
        rate: "8Mbps".parse().unwrap(),
        buffer: "unlimited".parse().unwrap(),
        loss: "2%".parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link = config.build::<usize>(42, 0).unwrap();
    for number in 0..50_000 {
        let packet = Packet {
            size: 100,
            ecn: Default::default(),
            flow: 0,
            payload: number,
        };
        link.send(Time::ZERO, packet);
    }
    while link.receive(Time::from_nanos(u64::MAX)).is_some() {}
    // Binomial: 1000 expected, standard deviation 31.
    let lost = link.counters().lost_wire.packets;
    assert!((850..1150).contains(&lost), "{lost} of 50000 with seed 42");
    assert_eq!(link.busy_time(), Duration::from_secs(5));
}
