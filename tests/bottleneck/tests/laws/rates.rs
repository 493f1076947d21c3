//! Rates over time and recordings.

use std::time::Duration;

use crate::traffic::{arrival_times, run, seeded, traffic};
use proptest::prelude::*;
use quiche_cc_bottleneck::{
    Delay, DropTail, Ecn, Exit, Fate, Fifo, Limit, Link, LinkConfig, Packet, Rate, RateModel,
    Schedule, ScheduledRate, Service, Time, Trace, TraceService,
};

fn link_with(service: impl Service + 'static) -> Link<usize> {
    let queue = Box::new(Fifo::new(DropTail::new(Limit::default())));
    let wire = Box::new(Delay::new(Duration::ZERO));
    Link::new(queue, Box::new(service), wire, 1, 0)
}

fn rates() -> impl Strategy<Value = Schedule<Rate>> {
    let step = (1..50_000_000u64, 64_000..3_000_000_000u64);
    prop::collection::vec(step, 1..10).prop_map(|steps| {
        let mut from = 0;
        let step = |(length, rate)| {
            let begin = Time::from_nanos(from);
            from += length;
            (begin, Rate::from_bits_per_sec(rate).expect("in the range"))
        };
        Schedule::new(steps.into_iter().map(step).collect()).expect("rising")
    })
}

/// Times in milliseconds, none falling, the last above zero.
fn recording() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(
        prop_oneof![3 => Just(0), 3 => 0..4u64, 1 => 0..40u64],
        1..60,
    )
    .prop_map(|gaps| {
        let mut now = 0;
        let mut times: Vec<_> = gaps
            .into_iter()
            .map(|gap| {
                now += gap;
                now
            })
            .collect();
        *times.last_mut().expect("not empty") += 1;
        times
    })
}

fn read(times: &[u64]) -> Trace {
    let lines: Vec<_> = times.iter().map(u64::to_string).collect();
    Trace::parse(&lines.join("\n"), "test").expect("a valid recording")
}

/// What a full buffer holds before and after the rate falls to a tenth.
fn most_that_waits(buffer: &str) -> [Duration; 2] {
    let config = LinkConfig {
        rate: "10Mbps@0s,1Mbps@1s".parse().unwrap(),
        buffer: buffer.parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link: Link<()> = config.build(1, 0).unwrap();
    [0, 2_000_000_000].map(|from| {
        for packet in 0..200 {
            let at = Time::from_nanos(from + packet);
            let (size, ecn, payload) = (1250, Ecn::NotEct, ());
            link.send(
                at,
                Packet {
                    size,
                    ecn,
                    flow: 0,
                    payload,
                },
            );
        }
        link.backlog().delay
    })
}

#[test]
fn a_buffer_that_limits_the_wait_follows_the_rate_and_one_of_bytes_does_not() {
    const MS: Duration = Duration::from_millis(1);
    let near = |delay: Duration, expected: u32, packet: u32| {
        assert!(delay.abs_diff(expected * MS) <= packet * MS, "{delay:?}");
    };
    let [fast, slow] = most_that_waits("wait:100ms");
    near(fast, 100, 2);
    near(slow, 100, 20);
    let [fast, slow] = most_that_waits("100ms");
    near(fast, 100, 2);
    near(slow, 1000, 20);
}

/// Bytes that left after exit `from` until exit `to`.
fn bytes_between(exits: &[Exit<usize>], from: usize, to: usize) -> u64 {
    exits[from + 1..=to]
        .iter()
        .map(|exit| u64::from(exit.packet.size))
        .sum()
}

proptest! {
    #![proptest_config(seeded(200))]

    /// Each packet is finished at the first nanosecond at which the integral of the rate since the link
    /// became busy is what has been sent since: never faster, never slower.
    #[test]
    fn a_rate_over_time_is_integrated_exactly(rates in rates(), traffic in traffic()) {
        let service = ScheduledRate::new(rates);
        let exits = run(&mut link_with(service.clone()), &traffic, |_| ());
        let arrivals = arrival_times(&traffic);
        let (mut busy_since, mut bytes, mut free_at) = (Time::ZERO, 0, Time::ZERO);
        for exit in &exits {
            let arrived = arrivals[exit.packet.payload];
            if arrived > free_at {
                (busy_since, bytes) = (arrived, 0);
            }
            bytes += u64::from(exit.packet.size);
            prop_assert!(service.capacity(busy_since, exit.at).unwrap() >= bytes);
            let before = exit.at - Duration::from_nanos(1);
            prop_assert!(service.capacity(busy_since, before).unwrap() < bytes);
            free_at = exit.at;
        }
    }

    #[test]
    fn no_window_of_a_rate_over_time_carries_more_than_its_integral(rates in rates(), traffic in traffic()) {
        let service = ScheduledRate::new(rates.clone());
        let exits = run(&mut link_with(service.clone()), &traffic, |_| ());
        // What fits into the nanosecond by which an end was rounded up.
        let fastest = rates.steps().iter().map(|step| step.1).max().unwrap();
        let slack = fastest.bytes_in(Duration::from_nanos(1)) + 2;
        for from in 0..exits.len() {
            for to in from..exits.len() {
                let capacity = service.capacity(exits[from].at, exits[to].at).unwrap();
                prop_assert!(bytes_between(&exits, from, to) <= capacity + slack);
            }
        }
    }

    #[test]
    fn no_window_of_a_recording_carries_more_than_its_opportunities(times in recording(), traffic in traffic()) {
        let trace = read(&times);
        let service = TraceService::new(trace.clone());
        let exits = run(&mut link_with(service.clone()), &traffic, |_| ());
        let mut sent = 0;
        for from in 0..exits.len() {
            sent += u64::from(exits[from].packet.size);
            prop_assert!(sent <= trace.bytes_until(exits[from].at));
            for to in from..exits.len() {
                // Behind the first packet others may have used the opportunities of its very instant.
                let just_before = exits[from].at - Duration::from_nanos(1);
                let capacity = service.capacity(just_before, exits[to].at).unwrap();
                prop_assert!(bytes_between(&exits, from, to) <= capacity);
            }
        }
    }

    /// A backlog uses every byte of every opportunity, over the end of the recording and again.
    #[test]
    fn a_backlog_leaves_at_the_opportunities_that_carry_its_bytes(times in recording(), sizes in prop::collection::vec(40..9000u32, 1..200)) {
        let mut link = link_with(TraceService::new(read(&times)));
        for (number, &size) in sizes.iter().enumerate() {
            link.send(Time::ZERO, Packet { size, ecn: Default::default(), flow: 0, payload: number });
        }
        let period = *times.last().unwrap();
        let mut opportunities = (0..).flat_map(|round| times.iter().map(move |time| round * period + time)).filter(|&at| at > 0);
        let mut available = 0;
        let mut at = 0;
        let mut needed = 0;
        for &size in &sizes {
            needed += u64::from(size);
            while available < needed {
                at = opportunities.next().unwrap();
                available += 1500;
            }
            let exit = link.receive(Time::from_nanos(u64::MAX)).unwrap();
            prop_assert_eq!(exit.at, Time::from(Duration::from_millis(at)));
        }
    }

    #[test]
    fn the_capacity_of_a_recording_counts_its_lines(times in recording(), from in 0..500u64, span in 0..500u64) {
        let period = *times.last().unwrap();
        let until = from + span;
        let lines = (0..=until / period).flat_map(|round| times.iter().map(move |time| round * period + time));
        let count = lines.filter(|&at| from < at && at <= until).count() as u64;
        let at = |millis| Time::from(Duration::from_millis(millis));
        let service = TraceService::new(read(&times));
        prop_assert_eq!(service.capacity(at(from), at(until)), Some(1500 * count));
    }
}

#[test]
fn a_packet_in_service_while_the_rate_changes_is_sent_partly_at_each() {
    let config = LinkConfig {
        rate: "8Mbps@0s,1Mbps@1ms".parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link = config.build(1, 0).unwrap();
    link.send(
        Time::ZERO,
        Packet {
            size: 1500,
            ecn: Default::default(),
            flow: 0,
            payload: 0,
        },
    );
    // 1000 bytes in the first millisecond, 500 bytes in four more.
    let exit: Exit<usize> = link.receive(Time::from_nanos(u64::MAX)).unwrap();
    assert_eq!(exit.at, Time::from(Duration::from_millis(5)));
    assert!(matches!(exit.fate, Fate::Delivered(transit) if transit.queueing.is_zero()));
}

#[test]
fn what_an_idle_link_does_not_use_is_lost() {
    let mut service = TraceService::new(read(&[1, 1, 3, 10]));
    let at = |millis| Time::from(Duration::from_millis(millis));
    let finish = |service: &mut TraceService, start, size| service.finish(at(start), size);
    assert_eq!(finish(&mut service, 0, 700), at(1));
    // 800 bytes are left of this opportunity, and another one is at the same millisecond.
    assert_eq!(finish(&mut service, 1, 800), at(1));
    assert_eq!(finish(&mut service, 1, 100), at(1));
    // Of that one 1400 bytes are left, but nobody waits.
    assert_eq!(finish(&mut service, 2, 100), at(3));
    assert_eq!(finish(&mut service, 3, 3000), at(11));
    assert_eq!(service.rate(at(0)).unwrap().bits_per_sec(), 4_800_000);
}

#[test]
fn a_wrong_recording_is_refused_with_the_line() {
    for (text, message) in [
        ("1\n2\nx\n4", "trace up, line 3: `x` is no time; allowed: 0 to 1000000000, whole milliseconds"),
        ("1\n-2", "trace up, line 2: `-2` is no time"),
        ("1.5", "trace up, line 1: `1.5` is no time"),
        ("1\n\n2", "trace up, line 2: `` is no time"),
        ("1\n5\n4", "trace up, line 3: `4` is before the line above; allowed: times that never fall"),
        ("", "trace up: no delivery opportunity after 0 ms; allowed: one time in milliseconds per line"),
        ("0\n0\n", "trace up: no delivery opportunity after 0 ms"),
    ] {
        let error = Trace::parse(text, "up").expect_err(text).to_string();
        assert!(error.starts_with(message), "{error}");
    }
    let config = LinkConfig {
        rate: "trace:nowhere/up.trace".parse().unwrap(),
        ..LinkConfig::default()
    };
    let error = config
        .build::<()>(1, 0)
        .err()
        .expect("no such file")
        .to_string();
    assert!(
        error.starts_with("cannot read the trace nowhere/up.trace: "),
        "{error}"
    );
}

#[test]
fn a_recording_is_looked_for_beside_the_file_that_names_it() {
    let rate: RateModel = "trace:up.trace".parse().unwrap();
    let beside = rate.clone().relative_to("scenarios".as_ref());
    assert_eq!(beside.to_string(), "trace:scenarios/up.trace");
    let absolute: RateModel = "trace:/data/up.trace".parse().unwrap();
    assert_eq!(absolute.clone().relative_to("scenarios".as_ref()), absolute);
    assert_eq!(
        RateModel::Unlimited.relative_to("scenarios".as_ref()),
        RateModel::Unlimited
    );
}
