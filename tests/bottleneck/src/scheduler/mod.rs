//! Which queue a packet joins, and whose turn it is.

mod dualpi2;
mod fifo;
mod fq_codel;
mod pi2;
mod subqueues;

pub use dualpi2::{DualPi2, DualPi2Params};
pub use fifo::Fifo;
pub use fq_codel::{FqCoDel, FqCoDelParams};
pub use subqueues::SubQueue;
pub(crate) use subqueues::{SubQueues, Waiting};

use crate::{Ecn, QueueView, Stream, Verdict};

/// What a scheduler sees of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Of which flow it is ([`crate::Packet::flow`]).
    pub flow: u64,
    /// Bytes that it occupies.
    pub size: u32,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// What a scheduler sees of all that waits in front of a link.
#[derive(Debug, Clone, Copy)]
pub struct Queues<'a> {
    /// All queues together.
    pub all: QueueView,
    /// Each of them, by number; queues with higher numbers are empty.
    pub each: &'a [SubQueue],
}

impl Queues<'_> {
    /// The queue with this number.
    pub fn get(&self, number: usize) -> SubQueue {
        self.each.get(number).copied().unwrap_or_default()
    }

    /// What a discipline sees if this queue is its own.
    pub fn view(&self, number: usize) -> QueueView {
        let SubQueue { packets, bytes, .. } = self.get(number);
        QueueView {
            packets,
            bytes,
            ..self.all
        }
    }
}

/// Sorts packets into queues, each of them first in, first out, and chooses whose turn it is; decides about each packet, as a
/// [`Discipline`](crate::Discipline) does for a single queue.
pub trait Scheduler: Send {
    /// The queue that a packet joins.
    fn classify(&mut self, packet: &Header, rng: &mut Stream) -> usize;

    /// Decides about a packet that arrives for the queue `number`.
    fn on_arrival(
        &mut self,
        queues: &Queues<'_>,
        number: usize,
        packet: &Header,
        rng: &mut Stream,
    ) -> Verdict;

    /// Asked after a packet has joined a queue: from the head of which queue a packet has to go for lack of room. Asked again until
    /// nobody has to.
    fn evict(&mut self, queues: &Queues<'_>) -> Option<usize> {
        let _ = queues;
        None
    }

    /// The queue whose turn it is; only asked while a packet waits, and one waits in the queue of the answer.
    fn next(&mut self, queues: &Queues<'_>) -> usize;

    /// Decides about the packet at the head of the queue `number`, whose turn has come. It is no longer part of
    /// `queues`.
    fn on_departure(
        &mut self,
        queues: &Queues<'_>,
        number: usize,
        packet: &Header,
        waited: std::time::Duration,
        rng: &mut Stream,
    ) -> Verdict;
}
