//! What happened in a run, as raw as it is needed for statistics over any part of it.

use std::time::Duration;

use quiche_cc::estimate::Estimate;
use quiche_cc_bottleneck::{Backlog, Counters, LossCause, Time};

/// A datagram with data that reached its client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delivery {
    /// When it arrived.
    pub at: Time,
    /// From the server's sending to its arrival.
    pub one_way: Duration,
    /// Of that, the time in queues.
    pub queueing: Duration,
    /// UDP payload in bytes.
    pub size: u32,
    /// Whether it was marked congestion experienced.
    pub ce: bool,
}

/// A datagram to the client that was lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loss {
    /// When.
    pub at: Time,
    /// On which link.
    pub link: usize,
    /// Why.
    pub cause: LossCause,
}

/// The sender's state at an instant, as quiche tells it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SenderSample {
    /// When.
    pub at: Time,
    /// Congestion window in bytes.
    pub window: u64,
    /// Smoothed round-trip time.
    pub rtt: Duration,
    /// Packets that quiche has declared lost so far, and of these those that arrived after all.
    pub declared_lost: u64,
    /// See `declared_lost`.
    pub spurious: u64,
    /// What a source may count on.
    pub estimate: Estimate,
}

/// A frame of live media, or a unit of its audio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// When it was due at the encoder.
    pub made: Time,
    /// When the client had it.
    pub done: Time,
    /// The rung by which it was made, from 0.
    pub rung: usize,
    /// Its size.
    pub bytes: u64,
}

/// Live media, all in order of time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MediaRecord {
    /// Frames that were due, `done` aside. Those of a group that was given up were not made.
    pub due: Vec<Frame>,
    /// Frames that were complete, with all of their group before them.
    pub shown: Vec<Frame>,
    /// Units of audio that were complete.
    pub heard: Vec<Frame>,
}

/// Everything about a flow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FlowRecord {
    /// Datagrams that the server sent, with their sizes.
    pub sent: Vec<(Time, u32)>,
    /// Datagrams that the client sent, with their sizes.
    pub returned: Vec<(Time, u32)>,
    /// Datagrams that reached the client.
    pub deliveries: Vec<Delivery>,
    /// Datagrams to the client that were lost.
    pub losses: Vec<Loss>,
    /// What the client's application read: when, and how many bytes. Empty for UDP flows, whose
    /// deliveries say it.
    pub reads: Vec<(Time, u64)>,
    /// The sender at regular intervals. Empty for UDP flows.
    pub samples: Vec<SenderSample>,
    /// Pages: when asked for, and when complete.
    pub completions: Vec<(Time, Time)>,
    /// Of live media whose encoder follows the rate.
    pub media: Option<MediaRecord>,
    /// When the handshake was complete at the server.
    pub established: Option<Time>,
    /// When and why the connection ended before its time.
    pub ended: Option<(Time, String)>,
}

/// A link's state at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkSample {
    /// When.
    pub at: Time,
    /// What waits.
    pub backlog: Backlog,
    /// Totals so far.
    pub counters: Counters,
    /// Time spent sending so far.
    pub busy: Duration,
}

/// Everything about a link.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkRecord {
    /// At regular intervals, from the start to the end.
    pub samples: Vec<LinkSample>,
    /// The queue over time, in packets: every change.
    pub queue: Vec<(Time, u32)>,
}

/// Everything about a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Flows, as in the scenario.
    pub flows: Vec<FlowRecord>,
    /// Links, as in the scenario.
    pub links: Vec<LinkRecord>,
    /// Packets that crossed a link, all links together.
    pub simulated_packets: u64,
}
