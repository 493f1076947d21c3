//! The queues themselves.

use std::collections::VecDeque;

use crate::{Packet, Time};

/// What waits in one of several queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubQueue {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
    /// When the packet at the head arrived, if there is one.
    pub head: Option<Time>,
}

/// A packet in a queue.
pub(crate) struct Waiting<P> {
    pub(crate) arrived: Time,
    pub(crate) packet: Packet<P>,
}

/// All that waits in front of a link.
pub(crate) struct SubQueues<P> {
    packets: Vec<VecDeque<Waiting<P>>>,
    each: Vec<SubQueue>,
    all: SubQueue,
}

impl<P> SubQueues<P> {
    pub(crate) fn new() -> Self {
        Self {
            packets: Vec::new(),
            each: Vec::new(),
            all: SubQueue::default(),
        }
    }

    /// Each queue by number.
    pub(crate) fn each(&self) -> &[SubQueue] {
        &self.each
    }

    /// Packets in all of them.
    pub(crate) fn packets(&self) -> u64 {
        self.all.packets
    }

    /// Bytes in all of them.
    pub(crate) fn bytes(&self) -> u64 {
        self.all.bytes
    }

    /// When the oldest packet arrived.
    pub(crate) fn oldest(&self) -> Option<Time> {
        self.each.iter().filter_map(|queue| queue.head).min()
    }

    pub(crate) fn push(&mut self, number: usize, waiting: Waiting<P>) {
        if self.each.len() <= number {
            self.packets.resize_with(number + 1, VecDeque::new);
            self.each.resize_with(number + 1, SubQueue::default);
        }
        let size = u64::from(waiting.packet.size);
        let queue = &mut self.each[number];
        queue.head.get_or_insert(waiting.arrived);
        for tally in [queue, &mut self.all] {
            tally.packets += 1;
            tally.bytes += size;
        }
        self.packets[number].push_back(waiting);
    }

    /// The packet at the head of a queue.
    pub(crate) fn pop(&mut self, number: usize) -> Option<Waiting<P>> {
        let waiting = self.packets.get_mut(number)?.pop_front()?;
        let size = u64::from(waiting.packet.size);
        let queue = &mut self.each[number];
        queue.head = self.packets[number].front().map(|head| head.arrived);
        for tally in [queue, &mut self.all] {
            tally.packets -= 1;
            tally.bytes -= size;
        }
        Some(waiting)
    }
}
