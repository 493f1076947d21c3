//! Traffic of several flows for links with several queues.

use std::time::Duration;

use quiche_cc_bottleneck::{Ecn, Exit, Fate, Link, LinkConfig, LossCause, Packet, Time};

pub const MS: Duration = Duration::from_millis(1);
/// Bytes of a packet that takes a millisecond.
pub const SIZE: u32 = 1250;
/// Of all random numbers; failures of these tests name the flows and packets, which it decides about.
pub const SEED: u64 = 5;

/// 10 Mbit/s.
pub fn link(queue: &str, buffer: &str) -> LinkConfig {
    LinkConfig {
        rate: "10Mbps".parse().unwrap(),
        queue: queue.parse().unwrap(),
        buffer: buffer.parse().unwrap(),
        ..LinkConfig::default()
    }
}

/// A flow that sends a packet at regular intervals.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    pub flow: u64,
    pub size: u32,
    pub ecn: Ecn,
    pub every: Duration,
    pub from: Duration,
    pub until: Duration,
}

impl Source {
    /// From the start until the end, full packets.
    pub fn steady(flow: u64, ecn: Ecn, every: Duration, until: Duration) -> Self {
        Self {
            flow,
            size: SIZE,
            ecn,
            every,
            from: Duration::ZERO,
            until,
        }
    }

    fn times(&self) -> Vec<(Duration, Self)> {
        let count = (self.until - self.from).div_duration_f64(self.every) as u32;
        (0..count)
            .map(|number| (self.from + self.every * number, *self))
            .collect()
    }
}

/// What leaves the link, in order, of all sources together; the payload is the ECN field at the start.
pub fn run(config: &LinkConfig, sources: &[Source]) -> Vec<Exit<Ecn>> {
    let mut packets: Vec<_> = sources.iter().flat_map(Source::times).collect();
    packets.sort_by_key(|&(at, source)| (at, source.flow));
    let mut link: Link<Ecn> = config.build(SEED, 0).unwrap();
    for (
        at,
        Source {
            flow, size, ecn, ..
        },
    ) in packets
    {
        let packet = Packet {
            size,
            ecn,
            flow,
            payload: ecn,
        };
        link.send(Time::from(at), packet);
    }
    std::iter::from_fn(|| link.receive(Time::from_nanos(u64::MAX))).collect()
}

/// Of these, the ones of `flow` that arrived between the two times.
pub fn of(exits: &[Exit<Ecn>], flow: u64, from: Duration, until: Duration) -> Vec<&Exit<Ecn>> {
    let within = Time::from(from)..Time::from(until);
    exits
        .iter()
        .filter(|exit| exit.packet.flow == flow && within.contains(&exit.arrived))
        .collect()
}

/// Mean queueing delay of those that were delivered, milliseconds.
pub fn mean_wait(exits: &[&Exit<Ecn>]) -> f64 {
    let waits: Vec<f64> = exits.iter().filter_map(|exit| wait(exit)).collect();
    waits.iter().sum::<f64>() / waits.len() as f64
}

/// The longest.
pub fn longest_wait(exits: &[&Exit<Ecn>]) -> f64 {
    exits
        .iter()
        .filter_map(|exit| wait(exit))
        .fold(0.0, f64::max)
}

fn wait(exit: &Exit<Ecn>) -> Option<f64> {
    match exit.fate {
        Fate::Delivered(transit) => Some(transit.queueing.as_secs_f64() * 1e3),
        Fate::Lost(_) => None,
    }
}

/// Bytes that were delivered.
pub fn delivered(exits: &[&Exit<Ecn>]) -> f64 {
    let arrived = exits.iter().filter(|exit| wait(exit).is_some());
    arrived.map(|exit| f64::from(exit.packet.size)).sum()
}

/// Share of the packets that were lost for this reason.
pub fn lost(exits: &[&Exit<Ecn>], cause: LossCause) -> f64 {
    share(exits, |exit| exit.fate == Fate::Lost(cause))
}

/// Share of the packets that were marked.
pub fn marked(exits: &[&Exit<Ecn>]) -> f64 {
    share(exits, |exit| exit.packet.ecn != exit.packet.payload)
}

fn share(exits: &[&Exit<Ecn>], which: impl Fn(&Exit<Ecn>) -> bool) -> f64 {
    exits.iter().filter(|exit| which(exit)).count() as f64 / exits.len() as f64
}
