//! What the log says. The README describes every field.

use std::net::SocketAddr;

use quiche_cc_bottleneck::{LinkConfig, LossCause, Rate};
use serde::Serialize;

use crate::spread::millis;
use crate::Percentiles;

/// One line of the log.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Record {
    /// The first line.
    Start(Box<Start>),
    /// The state of one direction at one instant.
    Sample(Sample),
    /// One packet that left a link.
    Packet(PacketRecord),
    /// The last line.
    Summary(Box<Summary>),
}

/// A direction of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From the server to the clients.
    Down,
    /// From the clients to the server.
    Up,
}

/// What the relay was told to do.
#[derive(Debug, Clone, Serialize)]
pub struct Start {
    /// Version of the program.
    pub version: &'static str,
    /// Wall clock at time zero, seconds since the Unix epoch.
    pub start_unix: f64,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where it relays to.
    pub to: SocketAddr,
    /// From the server to the clients.
    pub down: LinkRecord,
    /// From the clients to the server.
    pub up: LinkRecord,
    /// Bytes per datagram beyond the payload, `ip` or a number.
    pub overhead: String,
    /// Seed of all that is random.
    pub seed: u64,
    /// Between two samples.
    pub interval_ms: f64,
    /// What scheduling the system granted.
    pub scheduling: String,
}

/// One direction as configured: the models as text, and in numbers what is known of them at the start.
#[derive(Debug, Clone, Serialize)]
pub struct LinkRecord {
    rate: String,
    rate_bps: Option<u64>,
    queue: String,
    buffer: String,
    buffer_bytes: Option<u64>,
    buffer_packets: Option<u64>,
    delay: String,
    delay_ms: f64,
    loss_model: String,
    loss: f64,
    outages: Option<String>,
    jitter: Option<String>,
    aggregate: Option<String>,
    reorder: Option<String>,
}

impl LinkRecord {
    /// The record of `link`, whose rate at the start (a mean if it varies) is `rate`.
    pub(crate) fn new(link: &LinkConfig, rate: Option<Rate>) -> Self {
        let limit = link.buffer.limit(rate, link.base_rtt);
        Self {
            rate: link.rate.to_string(),
            rate_bps: rate.map(Rate::bits_per_sec),
            queue: link.queue.to_string(),
            buffer: link.buffer.to_string(),
            buffer_bytes: limit.bytes,
            buffer_packets: limit.packets,
            delay: link.delay.to_string(),
            delay_ms: millis(link.delay.first()),
            loss_model: link.loss.to_string(),
            loss: link.loss.mean().value(),
            outages: link.outages.as_ref().map(ToString::to_string),
            jitter: link.jitter.as_ref().map(|model| model.to_string()),
            aggregate: link.aggregate.map(|model| model.to_string()),
            reorder: link.reorder.map(|model| model.to_string()),
        }
    }
}

/// The state of one direction. Counts are totals since the start.
#[derive(Debug, Clone, Serialize)]
pub struct Sample {
    /// Seconds since the start.
    pub time: f64,
    /// Which direction.
    pub direction: Direction,
    /// Bytes that wait, without the packet in service.
    pub queue_bytes: u64,
    /// Packets that wait, without the one in service.
    pub queue_packets: u64,
    /// How long a packet that arrived now would wait.
    pub queue_delay_ms: f64,
    /// Packets that came to the queue.
    pub arrived_packets: u64,
    /// Packets that left at the far end.
    pub forwarded_packets: u64,
    /// Their bytes, with overhead.
    pub forwarded_bytes: u64,
    /// Dropped because the buffer was full.
    pub dropped_overflow: u64,
    /// Dropped by the queue on purpose.
    pub dropped_discipline: u64,
    /// Lost on the wire, at random or in an outage.
    pub dropped_random: u64,
    /// Forwarded with congestion experienced.
    pub ecn_ce: u64,
    /// The latest release since the last sample.
    pub lateness_max_ms: f64,
}

/// One packet that left a link.
#[derive(Debug, Clone, Serialize)]
pub struct PacketRecord {
    /// Seconds since the start at which it left, ideally.
    pub time: f64,
    /// Which direction.
    pub direction: Direction,
    /// Number of the client address, from 1.
    pub flow: usize,
    /// Bytes on the link, with overhead.
    pub size: u32,
    /// The two bits of the ECN field.
    pub ecn: u8,
    /// Seconds since the start at which it came to the queue.
    pub arrived: f64,
    /// How long it waited before its first bit was sent; absent if it was lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_delay_ms: Option<f64>,
    /// Why it was lost; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<&'static str>,
}

impl PacketRecord {
    pub(crate) fn lost(cause: LossCause) -> &'static str {
        match cause {
            LossCause::Overflow => "overflow",
            LossCause::Discipline => "discipline",
            LossCause::Wire => "random",
        }
    }
}

/// The whole run.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Seconds from start to stop.
    pub duration: f64,
    /// From the server to the clients.
    pub down: DirectionSummary,
    /// From the clients to the server.
    pub up: DirectionSummary,
    /// How late packets were released.
    pub lateness_ms: Percentiles,
    /// Client addresses seen.
    pub flows: usize,
    /// Datagrams from clients beyond the limit of flows.
    pub dropped_flows: u64,
    /// Datagrams to the relay that came neither from a client nor from the server.
    pub dropped_foreign: u64,
    /// Datagrams that the relay had no memory for.
    pub dropped_memory: u64,
    /// Datagrams that could not be sent on.
    pub dropped_send: u64,
    /// Datagrams that the kernel dropped before the relay could read them, where known.
    pub dropped_kernel: Option<u64>,
    /// Records that are missing in the log because the disk was too slow.
    pub log_lost: u64,
    /// Rows that are missing in the record of the run because the disk was too slow.
    pub record_lost: u64,
}

/// One direction over the whole run.
#[derive(Debug, Clone, Serialize)]
pub struct DirectionSummary {
    /// Packets that came to the queue.
    pub arrived_packets: u64,
    /// Their bytes, with overhead.
    pub arrived_bytes: u64,
    /// Packets that left at the far end.
    pub forwarded_packets: u64,
    /// Their bytes, with overhead.
    pub forwarded_bytes: u64,
    /// Their UDP payload.
    pub forwarded_payload_bytes: u64,
    /// Dropped because the buffer was full.
    pub dropped_overflow: u64,
    /// Dropped by the queue on purpose.
    pub dropped_discipline: u64,
    /// Lost on the wire, at random or in an outage.
    pub dropped_random: u64,
    /// Share of the packets that arrived and were lost, 0 to 1.
    pub loss: f64,
    /// Forwarded with congestion experienced.
    pub ecn_ce: u64,
    /// Marked by this queue.
    pub ecn_marked: u64,
    /// Seconds from the first arrival to the last activity.
    pub active: f64,
    /// Share of `active` in which the link was sending (or, with a recording, waiting for an opportunity), 0 to 1;
    /// null if the rate is unlimited.
    pub utilisation: Option<f64>,
    /// Waiting times of the forwarded packets.
    pub queue_delay_ms: Percentiles,
    /// Most bytes that ever waited.
    pub max_queue_bytes: u64,
    /// Most packets that ever waited.
    pub max_queue_packets: u64,
}
