//! What is said about a flow in a window.

use quiche_cc_bottleneck::LossCause;
use serde::Serialize;

use super::rate::{bps, Counted};
use super::{Distribution, Samples, Window};
use crate::record::{Delivery, FlowRecord, Loss};

/// Lost packets by cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Lost {
    /// The buffer was full.
    pub overflow: u64,
    /// The queue's discipline dropped it on purpose.
    pub discipline: u64,
    /// On the wire, at random or in an outage.
    pub wire: u64,
}

impl Lost {
    /// Of these losses.
    pub fn of(losses: &[Loss]) -> Self {
        let mut lost = Self::default();
        for loss in losses {
            *match loss.cause {
                LossCause::Overflow => &mut lost.overflow,
                LossCause::Discipline => &mut lost.discipline,
                LossCause::Wire => &mut lost.wire,
            } += 1;
        }
        lost
    }

    /// For whatever cause.
    pub fn all(self) -> u64 {
        self.overflow + self.discipline + self.wire
    }
}

/// A flow in a window. Packets are datagrams from the server to the client.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowStats {
    /// Bit/s that the client's application read ([`Counted::Goodput`]).
    pub goodput_bps: f64,
    /// Bit/s of UDP payload that reached the client ([`Counted::Throughput`]).
    pub throughput_bps: f64,
    /// Packets sent.
    pub sent_packets: u64,
    /// Packets that arrived.
    pub delivered_packets: u64,
    /// Packets that were lost.
    pub lost_packets: Lost,
    /// Packets that the client sent, and their bytes: ACKs, for the most part.
    pub returned_packets: u64,
    /// See `returned_packets`.
    pub returned_bytes: u64,
    /// Of the packets that arrived or were lost, the lost ones (0 to 1).
    pub loss_share: Option<f64>,
    /// Of the packets that arrived, those marked congestion experienced (0 to 1).
    pub ce_share: Option<f64>,
    /// From the server's sending to the client, of the packets that arrived.
    pub one_way_ms: Option<Distribution>,
    /// Of that, the time in queues, all links together.
    pub queueing_ms: Option<Distribution>,
    /// From the request of a page to its last byte, of the pages that were complete.
    pub completion_ms: Option<Distribution>,
}

impl FlowStats {
    /// Of `flow` in `window`, which is taken as it is: for the flow's own time only, give what the window has in common with
    /// [`Window::of_flow`].
    pub fn of(flow: &FlowRecord, window: Window) -> Self {
        let deliveries = window.cut(&flow.deliveries, |delivery| delivery.at);
        let lost = Lost::of(window.cut(&flow.losses, |loss| loss.at));
        let delivered = deliveries.len() as u64;
        let marked = deliveries.iter().filter(|delivery| delivery.ce).count() as u64;
        let returned = window.cut(&flow.returned, |(at, _)| *at);
        let complete = window.cut(&flow.completions, |(_, end)| *end);
        Self {
            goodput_bps: bps(flow, Counted::Goodput, window),
            throughput_bps: bps(flow, Counted::Throughput, window),
            sent_packets: window.cut(&flow.sent, |(at, _)| *at).len() as u64,
            delivered_packets: delivered,
            lost_packets: lost,
            returned_packets: returned.len() as u64,
            returned_bytes: returned.iter().map(|(_, size)| u64::from(*size)).sum(),
            loss_share: share(lost.all(), delivered + lost.all()),
            ce_share: share(marked, delivered),
            one_way_ms: distribution(one_way(deliveries)),
            queueing_ms: distribution(queueing(deliveries)),
            completion_ms: distribution(Samples::of_millis(
                complete.iter().map(|(begin, end)| end.since(*begin)),
            )),
        }
    }
}

/// One-way delays in milliseconds.
pub fn one_way(deliveries: &[Delivery]) -> Option<Samples> {
    Samples::of_millis(deliveries.iter().map(|delivery| delivery.one_way))
}

/// Queueing delays in milliseconds.
pub fn queueing(deliveries: &[Delivery]) -> Option<Samples> {
    Samples::of_millis(deliveries.iter().map(|delivery| delivery.queueing))
}

fn distribution(samples: Option<Samples>) -> Option<Distribution> {
    samples.map(|samples| samples.distribution())
}

/// `part` of `whole`; `None` of nothing.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
