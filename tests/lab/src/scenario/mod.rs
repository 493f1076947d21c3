//! Scenarios: networks and traffic, as data.
//!
//! A scenario names no controller under test: the runner crosses controllers in. Only flows that belong to the
//! surroundings (a competing `cubic`, say) fix theirs.

mod encoder;
mod file;
mod overrides;
mod parse;
mod resolve;
mod route;

use std::time::Duration;

use quiche_cc_bottleneck::{LinkConfig, Rate, Time};
use quiche_cc_media::Following;

pub(crate) use self::file::{Span, Text};
pub use self::overrides::Overrides;
pub use self::parse::{load, load_with_text, parse, ScenarioError};
pub use crate::host::clock::HostClock;
use crate::network::Route;

/// A network with its traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// One line about it.
    pub title: String,
    /// Virtual time from start to end.
    pub duration: Duration,
    /// Statistics leave out what happens before.
    pub warmup: Duration,
    /// Size of full datagrams, in bytes of UDP payload; what a packet occupies on links.
    pub datagram: u16,
    /// Width of the intervals of series.
    pub interval: Duration,
    /// Links, in the order of the file; then one private link per flow and direction.
    pub links: Vec<LinkDecl>,
    /// Flows, in the order of the file, repeated ones counted up.
    pub flows: Vec<FlowDecl>,
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkDecl {
    /// Its name in the summary.
    pub name: String,
    /// What it is.
    pub config: LinkConfig,
    /// Whether it is a flow's own wire, of which no statistics are shown.
    pub private: bool,
}

/// Bytes; a request for an object is sent whole.
pub const LARGEST_REQUEST: u64 = 64 * 1024;

/// A flow.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowDecl {
    /// Its name in the summary.
    pub name: String,
    /// The links that it takes.
    pub route: Route,
    /// Round-trip time of its idle path, serialisation left out.
    pub base_rtt: Duration,
    /// When it starts.
    pub start: Time,
    /// When it stops, the end of the run at the latest.
    pub stop: Time,
    /// How its data is carried.
    pub transport: Transport,
    /// What it has to send.
    pub traffic: Traffic,
}

impl FlowDecl {
    /// Whether it has the controller that a run is about: a QUIC flow without one of its own.
    pub fn is_under_test(&self) -> bool {
        matches!(&self.transport, Transport::Quic(quic) if quic.cc.is_none())
    }
}

/// How a flow's data is carried.
#[derive(Debug, Clone, PartialEq)]
pub enum Transport {
    /// A QUIC connection.
    Quic(Quic),
    /// Datagrams that nobody controls.
    Udp,
}

/// A QUIC connection.
#[derive(Debug, Clone, PartialEq)]
pub struct Quic {
    /// A fixed controller; `None` for the one under test.
    pub cc: Option<String>,
    /// Whether the client reports receive timestamps.
    pub timestamps: bool,
    /// The most of them in one ACK.
    pub timestamps_per_ack: u16,
    /// Packets that the client acknowledges at once.
    pub packets_per_ack: u16,
    /// Whether both ends mark and read ECN.
    pub ecn: bool,
    /// Initial congestion window in packets.
    pub initial_window: u16,
    /// The connection is dropped after so long without a packet; zero for never.
    pub idle_timeout: Duration,
    /// The client's clock.
    pub clock: HostClock,
    /// When the client's address changes, as behind a NAT that forgets.
    pub rebind: Vec<Time>,
}

/// Live video whose encoder follows the rate that the connection promises (QUIC only).
#[derive(Debug, Clone, PartialEq)]
pub struct Encoder {
    /// How it follows.
    pub following: Following,
    /// The rung to begin with, from 0.
    pub first: usize,
    /// Time from a frame to the next.
    pub every: Duration,
    /// Frames from an I frame to the next.
    pub group: u64,
    /// The size of an I frame by that of another one.
    pub key: f64,
    /// Time between two looks at the rate.
    pub look: Duration,
    /// A group is given up when it is so late.
    pub patience: Duration,
    /// Audio beside it.
    pub audio: Option<Audio>,
}

/// Units of audio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audio {
    /// Time from one to the next.
    pub every: Duration,
    /// The size of one.
    pub bytes: u64,
}

impl Encoder {
    /// The size of a frame. A group has as many bytes as its rung allows.
    pub fn bytes(&self, rung: usize, is_key: bool) -> u64 {
        let rate = self.following.rungs[rung].bits_per_sec() as f64;
        let frames = self.group as f64;
        let other = rate / 8.0 * self.every.as_secs_f64() * frames / (frames - 1.0 + self.key);
        let bytes = if is_key { self.key * other } else { other };
        (bytes.round() as u64).max(1)
    }
}

/// What a flow has to send.
#[derive(Debug, Clone, PartialEq)]
pub enum Traffic {
    /// Always more.
    Unlimited,
    /// So many bytes, then nothing.
    Transfer {
        /// Bytes to send.
        bytes: u64,
    },
    /// A source with a send buffer that empties as packets are acknowledged in order. What of a burst does not fit is
    /// dropped.
    Bursts {
        /// Packets per burst.
        packets: u64,
        /// Time between bursts.
        every: Duration,
        /// Room for data not yet acknowledged, in packets.
        buffer: u64,
    },
    /// A packet at regular intervals.
    Cbr {
        /// The rate of full packets.
        rate: Rate,
    },
    /// A Poisson process of packets.
    Poisson {
        /// The mean rate.
        rate: Rate,
    },
    /// Times with and without traffic, exponentially distributed unless fixed.
    OnOff {
        /// Mean time with traffic.
        on: Duration,
        /// Mean time without.
        off: Duration,
        /// The rate while on; `None` for as much as can be sent (QUIC only).
        rate: Option<Rate>,
        /// Whether every time is as long as the mean.
        fixed: bool,
    },
    /// Responses at regular intervals, of these sizes one after the other, and again from the first (QUIC only).
    Responses {
        /// Time from one to the next.
        every: Duration,
        /// Sizes in bytes, and how many responses of that size follow each other.
        sizes: Vec<(u64, u64)>,
    },
    /// Pages of objects that the client requests and waits for (QUIC only).
    Requests {
        /// Objects of a page.
        objects: u32,
        /// Objects requested at once.
        parallel: u32,
        /// Size of an object, bytes; log-normal around this median unless `spread` is 0.
        size: u64,
        /// Standard deviation of the logarithm of the size.
        spread: f64,
        /// Mean time between the end of a page and the next, exponentially distributed.
        think: Duration,
        /// Size of a request in bytes.
        request: u64,
    },
    /// Live media: tracks whose units come about at regular times (QUIC only).
    Media {
        /// What is sent at the same time.
        tracks: Vec<Track>,
    },
    /// Live video whose encoder follows the rate (QUIC only).
    Encoder(Encoder),
}

/// Units of one kind. Every pass through the sizes is a group, and a stream that the client asks for when it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Time from one unit to the next.
    pub every: Duration,
    /// Sizes in bytes, and how many units of that size follow each other.
    pub sizes: Vec<(u64, u64)>,
    /// Priority of its streams, 0 first (RFC 9218, section 4.1).
    pub urgency: u8,
    /// Whether completion times of its units are kept.
    pub counted: bool,
    /// The client gives up a group one of whose units is later than this.
    pub patience: Option<Duration>,
}
