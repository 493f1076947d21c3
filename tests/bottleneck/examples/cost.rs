//! What a packet through a link costs, for each model:
//! `cargo run --release -p quiche-cc-bottleneck --example cost [trace:FILE]`.

// A measurement of wall-clock time is what this is for.
#![allow(clippy::disallowed_methods)]

use std::time::{Duration, Instant};

use quiche_cc_bottleneck::{Ecn, LinkConfig, Packet, Time};

const PACKETS: u64 = 2_000_000;

/// Sends packets of 1250 bytes, 1 % more than 100 Mbit/s carry, and takes each out when it is due; returns what one costs.
fn cost(config: &LinkConfig) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut link = config.build::<u64>(1, 0)?;
    let mut received = 0;
    let begin = Instant::now();
    for number in 0..PACKETS {
        let now = Time::from_nanos(number * 99_000);
        while let Some(event) = link.next_event().filter(|&event| event <= now) {
            received += u64::from(link.receive(event).is_some());
        }
        let packet = Packet {
            size: 1250,
            ecn: Ecn::Ect1,
            flow: number % 4,
            payload: number,
        };
        link.send(now, packet);
    }
    let took = begin.elapsed();
    assert_eq!(received + link.held(), PACKETS);
    Ok(took / u32::try_from(PACKETS)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plain = LinkConfig {
        rate: "100Mbps".parse()?,
        delay: "20ms".parse()?,
        buffer: "100ms".parse()?,
        ..LinkConfig::default()
    };
    println!("plain {:?}", cost(&plain)?);
    for queue in [
        "mark:q0=32p",
        "step",
        "ramp",
        "codel",
        "pie",
        "fq_codel",
        "dualpi2",
    ] {
        let config = LinkConfig {
            queue: queue.parse()?,
            ..plain.clone()
        };
        println!("{queue} {:?}", cost(&config)?);
    }
    let recording = std::env::args().nth(1);
    for rate in ["100Mbps@0s,50Mbps@10s"]
        .into_iter()
        .chain(recording.as_deref())
    {
        let config = LinkConfig {
            rate: rate.parse()?,
            ..plain.clone()
        };
        println!("{rate} {:?}", cost(&config)?);
    }
    let everything = LinkConfig {
        queue: "pie".parse()?,
        loss: "ge:p=1%,r=25%".parse()?,
        jitter: Some("wifi".parse()?),
        aggregate: Some("interval=4ms".parse()?),
        reorder: Some("p=1%,extra=5ms".parse()?),
        outages: Some("10s..11s".parse()?),
        ..plain
    };
    println!("everything {:?}", cost(&everything)?);
    Ok(())
}
