//! What a path is like.

use std::time::Duration;

use quiche_cc::units::Bytes;
use quiche_cc_bottleneck::{
    Buffer, ConstantRate, Link, Probability, Queue, Rate, Stream, Time, Wire,
};

/// Which way packets go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the receiver, through the bottleneck.
    Forward,
    /// Back to the sender.
    Return,
}

/// A span in which nothing gets through.
#[derive(Debug, Clone, Copy)]
pub struct Outage {
    /// Where.
    pub direction: Direction,
    /// When it begins.
    pub from: Duration,
    /// When it is over.
    pub until: Duration,
}

/// Packets that take longer, so that later ones overtake them.
#[derive(Debug, Clone, Copy)]
pub struct Reordering {
    /// One in so many packets is held up.
    pub every: u64,
    /// For so long.
    pub by: Duration,
}

/// A bottleneck and the way back.
#[derive(Debug, Clone)]
pub struct Topology {
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// RTT of the idle path without serialisation; each direction has half of it.
    pub rtt: Duration,
    /// What may wait.
    pub buffer: Buffer,
    /// What it does to those that wait, besides dropping what has no room.
    pub queue: Queue,
    /// Random loss behind the bottleneck.
    pub loss: Probability,
    /// Packets that are overtaken.
    pub reordering: Option<Reordering>,
    /// When nothing gets through.
    pub outages: Vec<Outage>,
    /// Of random losses.
    pub seed: u64,
}

pub(super) fn since_start(time: Time) -> Duration {
    time.since(Time::ZERO)
}

impl Topology {
    /// A drop-tail path of so many bits per second.
    ///
    /// # Panics
    ///
    /// If the rate is zero or above 1 Tbit/s.
    pub fn new(bits_per_sec: u64, rtt: Duration, buffer: Buffer) -> Self {
        Self {
            rate: Rate::from_bits_per_sec(bits_per_sec).expect("1 bit/s to 1 Tbit/s"),
            rtt,
            buffer,
            queue: Queue::DropTail,
            loss: Probability::ZERO,
            reordering: None,
            outages: Vec::new(),
            seed: 0,
        }
    }

    /// The bandwidth-delay product.
    pub fn bdp(&self) -> Bytes {
        Bytes(self.rate.bytes_in(self.rtt))
    }

    /// How long a packet of `size` is in service.
    pub fn serialisation(&self, size: Bytes) -> Duration {
        self.rate.time_for(size.0)
    }

    /// The longest that a packet may wait.
    pub fn longest_queue(&self) -> Duration {
        let limit = self.buffer.limit(Some(self.rate), self.rtt);
        limit
            .bytes
            .map_or(Duration::MAX, |bytes| self.rate.time_for(bytes))
    }

    /// Whether nothing gets through in `direction` at `now`.
    pub fn is_out(&self, direction: Direction, now: Duration) -> bool {
        self.outages
            .iter()
            .any(|out| out.direction == direction && (out.from..out.until).contains(&now))
    }

    pub(super) fn link<P>(&self) -> Link<P> {
        let limit = self.buffer.limit(Some(self.rate), self.rtt);
        let discipline = self.queue.build(limit, Some(self.rate), self.rtt);
        let wire = RoughWire {
            topology: self.clone(),
            carried: 0,
        };
        let service = ConstantRate::new(self.rate);
        Link::new(discipline, Box::new(service), Box::new(wire), self.seed, 0)
    }
}

/// Delay, random loss, outages, and every so often a packet that is overtaken.
struct RoughWire {
    topology: Topology,
    carried: u64,
}

impl Wire for RoughWire {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        self.carried += 1;
        let topology = &self.topology;
        let lost = topology.loss.draw(rng);
        if lost || topology.is_out(Direction::Forward, since_start(sent)) {
            return None;
        }
        let held_up = topology
            .reordering
            .filter(|rule| self.carried.is_multiple_of(rule.every.max(1)))
            .map_or(Duration::ZERO, |rule| rule.by);
        Some(sent + topology.rtt / 2 + held_up)
    }

    fn min_delay(&self) -> Duration {
        self.topology.rtt / 2
    }
}
