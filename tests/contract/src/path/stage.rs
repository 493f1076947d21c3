//! What happened on a path in a span of time.

use std::time::Duration;

use quiche_cc::controller::Controller;
use quiche_cc::units::{Bytes, Rate};
use quiche_cc_bottleneck::Transit;

use super::sender::Sender;

/// Of one flow.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlowStage {
    /// Bytes sent.
    pub sent: Bytes,
    /// Packets sent.
    pub sent_packets: u64,
    /// Bytes that arrived.
    pub delivered: Bytes,
    /// Packets declared lost.
    pub lost: u64,
    /// The largest window that a packet left under.
    pub largest_window: Bytes,
}

/// Of the path.
#[derive(Debug, Clone, Default)]
pub struct Stage {
    span: Duration,
    /// Of each flow, by number.
    pub flows: Vec<FlowStage>,
    /// The longest that a packet waited.
    pub longest_queue: Duration,
    waited: Duration,
    packets: u32,
}

impl Stage {
    pub(super) fn new(span: Duration, flows: usize) -> Self {
        Self {
            span,
            flows: vec![FlowStage::default(); flows],
            ..Self::default()
        }
    }

    pub(super) fn on_delivered(&mut self, flow: usize, size: Bytes, transit: &Transit) {
        self.flows[flow].delivered = self.flows[flow].delivered + size;
        self.longest_queue = self.longest_queue.max(transit.queueing);
        self.waited += transit.queueing;
        self.packets += 1;
    }

    pub(super) fn on_sent(&mut self, flow: usize, sender: &Sender) {
        let stage = &mut self.flows[flow];
        stage.sent = stage.sent + sender.packet_size();
        stage.sent_packets += 1;
        let window = sender.controller().decision().window;
        stage.largest_window = stage.largest_window.max(window);
    }

    /// What arrived of a flow per second.
    pub fn rate(&self, flow: usize) -> Rate {
        self.flows[flow].delivered.per(self.span)
    }

    /// The mean queueing delay, zero without packets.
    pub fn mean_queue(&self) -> Duration {
        self.waited.checked_div(self.packets).unwrap_or_default()
    }
}
