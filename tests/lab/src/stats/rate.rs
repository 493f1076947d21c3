//! Bytes over time.

use std::time::Duration;

use quiche_cc_bottleneck::Time;

use super::Window;
use crate::record::FlowRecord;

/// Which bytes of a flow are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// What the client's application read, in order and once. Datagrams without QUIC count with their payload.
    Goodput,
    /// UDP payloads that reached the client, whatever was in them.
    Throughput,
    /// UDP payloads that the server sent.
    Sending,
}

/// Bytes of `flow` in `window`.
pub fn bytes(flow: &FlowRecord, counted: Counted, window: Window) -> u64 {
    match counted {
        Counted::Goodput if is_udp(flow) => bytes(flow, Counted::Throughput, window),
        Counted::Goodput => {
            let reads = window.cut(&flow.reads, |(at, _)| *at);
            reads.iter().map(|(_, bytes)| bytes).sum()
        }
        Counted::Throughput => {
            let deliveries = window.cut(&flow.deliveries, |delivery| delivery.at);
            deliveries.iter().map(|d| u64::from(d.size)).sum()
        }
        Counted::Sending => {
            let sent = window.cut(&flow.sent, |(at, _)| *at);
            sent.iter().map(|(_, size)| u64::from(*size)).sum()
        }
    }
}

/// Of a QUIC flow something is known about its sender, or at least its handshake.
fn is_udp(flow: &FlowRecord) -> bool {
    flow.reads.is_empty() && flow.samples.is_empty() && flow.established.is_none()
}

/// Bit/s of `flow` in `window`.
pub fn bps(flow: &FlowRecord, counted: Counted, window: Window) -> f64 {
    bytes(flow, counted, window) as f64 * 8.0 / window.span().as_secs_f64()
}

/// The rate of a flow in one bin of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bin {
    /// When the bin begins.
    pub from: Time,
    /// Bit/s in it.
    pub bps: f64,
}

/// The rate over time, in bins of `width` from the beginning of `window` on. For a flow's own time only, give
/// [`Window::of_flow`] or what it has in common with another window.
pub fn over_time(flow: &FlowRecord, counted: Counted, window: Window, width: Duration) -> Vec<Bin> {
    let bin = |window: Window| Bin {
        from: window.from(),
        bps: bps(flow, counted, window),
    };
    window.bins(width).map(bin).collect()
}
