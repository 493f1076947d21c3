//! Random traffic and a driver that sees every packet leave.

use std::fmt::Debug;
use std::str::FromStr;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quiche_cc_bottleneck::{Ecn, Exit, Fate, Link, LinkConfig, Packet, Rate, Time};

/// The seed of all property tests; a failure prints the shrunk input.
pub fn seeded(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x5eed_2fa1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// One packet of some traffic: the pause before it, its size, its ECN field.
#[derive(Debug, Clone)]
pub struct Arrival {
    pub pause: Duration,
    pub size: u32,
    pub ecn: Ecn,
}

/// Bursts and pauses up to 30 ms, sizes from a bare ACK to a jumbo datagram.
pub fn traffic() -> impl Strategy<Value = Vec<Arrival>> {
    let pause = prop_oneof![3 => Just(0), 3 => 0..200_000u64, 1 => 0..30_000_000u64];
    let arrival = (pause, 40..9000u32, 0..4u8).prop_map(|(pause, size, bits)| Arrival {
        pause: Duration::from_nanos(pause),
        size,
        ecn: Ecn::from_bits(bits),
    });
    prop::collection::vec(arrival, 1..300)
}

/// Links from 64 kbit/s to 3 Gbit/s with every kind of buffer.
pub fn link() -> impl Strategy<Value = LinkConfig> {
    let buffer = prop_oneof![
        (0..200u64).prop_map(|ms| format!("{ms}ms")),
        (0..40u64).prop_map(|packets| format!("{packets}p")),
        (0..60_000u64).prop_map(|bytes| format!("{bytes}B")),
        (0..30u64).prop_map(|tenths| format!("{}bdp", tenths as f64 / 10.0)),
        Just("unlimited".to_owned()),
    ];
    (64_000..3_000_000_000u64, 0..80_000_000u64, buffer).prop_map(|(rate, delay, buffer)| {
        LinkConfig {
            rate: Rate::from_bits_per_sec(rate).expect("in the range").into(),
            delay: Duration::from_nanos(delay).into(),
            buffer: buffer.parse().expect("a valid buffer"),
            base_rtt: Duration::from_nanos(2 * delay),
            ..LinkConfig::default()
        }
    })
}

/// One of these, or none.
fn maybe<T: FromStr<Err: Debug> + Clone + Debug + 'static>(
    texts: &'static [&str],
) -> impl Strategy<Value = Option<T>> {
    prop::option::of(one_of(texts))
}

/// One of these.
fn one_of<T: FromStr<Err: Debug> + Clone + Debug + 'static>(
    texts: &'static [&str],
) -> impl Strategy<Value = T> {
    let parsed: Vec<T> = texts.iter().map(|text| text.parse().expect(text)).collect();
    prop::sample::select(parsed)
}

/// Wires with every model, and with combinations of them.
fn any_wire() -> impl Strategy<Value = LinkConfig> {
    let parts = (
        one_of(&["0ms", "7ms", "10ms@0s,1ms@20ms,30ms@100ms"]),
        one_of(&["0%", "5%", "ge:p=5%,r=20%,good=1%,bad=90%"]),
        maybe(&[
            "uniform:max=5ms",
            "uniform:min=1ms,max=2ms,order=free",
            "normal:mean=2ms,sd=2ms",
            "wifi",
            "retries:7ms",
            "retries:1ms@0s,12ms@20ms",
            "wifi:median=1ms,stall=5ms..9ms,every=10ms",
            "wifi:median=1ms,stall=5ms..9ms,every=10ms,link=stops",
        ]),
        maybe(&["interval=4ms", "interval=1ms,max=2p"]),
        maybe(&["p=10%,extra=3ms"]),
        maybe(&["5ms..10ms,50ms..51ms"]),
    );
    parts.prop_map(
        |(delay, loss, jitter, aggregate, reorder, outages)| LinkConfig {
            delay,
            loss,
            jitter,
            aggregate,
            reorder,
            outages,
            ..LinkConfig::default()
        },
    )
}

/// Links with every model, and with combinations of them.
pub fn any_link() -> impl Strategy<Value = LinkConfig> {
    let queue = one_of(&[
        "droptail",
        "mark:q0=4p",
        "mark:q0=20ms,ect=1",
        "step:1ms",
        "ramp:min=1ms,max=9ms",
        "codel",
        "codel:target=1ms,interval=3ms",
        "pie",
        "pie:target=1ms,update=1ms,burst=0ms",
        "fq_codel",
        "fq_codel:target=1ms,interval=3ms,quantum=300,flows=2",
        "dualpi2",
        "dualpi2:target=1ms,rtt_max=3ms,k=1.5,min_th=0ms,range=0ms,weight=40%",
    ]);
    let rate = one_of(&[
        "3Mbps",
        "30Mbps",
        "10Mbps@0s,64kbps@10ms,1Gbps@1s",
        "unlimited",
    ]);
    (queue, rate, any_wire(), link()).prop_map(|(queue, rate, wire, link)| LinkConfig {
        rate,
        queue,
        buffer: link.buffer,
        base_rtt: link.base_rtt,
        ..wire
    })
}

/// Of which flow a packet is.
pub fn flow_of(number: usize) -> u64 {
    number as u64 % 3
}

/// Sends the traffic, each packet numbered, and returns all packets in the order in which they leave.
/// `check` runs after every step.
pub fn run(
    link: &mut Link<usize>,
    traffic: &[Arrival],
    mut check: impl FnMut(&Link<usize>),
) -> Vec<Exit<usize>> {
    let mut now = Time::ZERO;
    let mut exits = Vec::new();
    for (number, arrival) in traffic.iter().enumerate() {
        now = now + arrival.pause;
        while let Some(event) = link.next_event().filter(|&event| event <= now) {
            exits.extend(link.receive(event));
            check(link);
        }
        let packet = Packet {
            size: arrival.size,
            ecn: arrival.ecn,
            flow: flow_of(number),
            payload: number,
        };
        link.send(now, packet);
        check(link);
    }
    while let Some(event) = link.next_event() {
        exits.extend(link.receive(event));
        check(link);
    }
    exits
}

/// When each packet of the traffic arrives.
pub fn arrival_times(traffic: &[Arrival]) -> Vec<Time> {
    let clock = |now: &mut Time, arrival: &Arrival| {
        *now = *now + arrival.pause;
        Some(*now)
    };
    traffic.iter().scan(Time::ZERO, clock).collect()
}

/// Sends the traffic as a relay does, which wakes up for arrivals and at [`Link::next_delivery`] only,
/// and sees each delivery at its very instant.
pub fn sleep_until_next_delivery(link: &mut Link<usize>, traffic: &[Arrival]) {
    let mut arrivals = arrival_times(traffic).into_iter().enumerate().peekable();
    let mut left = 0;
    while left < traffic.len() {
        let arrival = arrivals.peek().map(|&(_, at)| at);
        let wake = link.next_delivery().into_iter().chain(arrival).min();
        let wake = wake.expect("packets are on the way");
        while let Some(exit) = link.receive(wake) {
            left += 1;
            if let Fate::Delivered(_) = exit.fate {
                assert_eq!(exit.at, wake, "packet {}", exit.packet.payload);
            }
        }
        while let Some((number, at)) = arrivals.next_if(|&(_, at)| at <= wake) {
            let Arrival { size, ecn, .. } = traffic[number];
            link.send(
                at,
                Packet {
                    size,
                    ecn,
                    flow: flow_of(number),
                    payload: number,
                },
            );
        }
    }
}
