//! The limit of a queue.

use std::time::Duration;

use super::{Discipline, QueueView, Verdict};
use crate::{Ecn, Limit, Stream};

/// Takes packets until the limit is reached, then drops what arrives.
#[derive(Debug, Clone, Copy)]
pub struct DropTail {
    limit: Limit,
}

impl DropTail {
    /// A queue in which at most `limit` may wait.
    pub fn new(limit: Limit) -> Self {
        Self { limit }
    }
}

impl Discipline for DropTail {
    fn on_arrival(
        &mut self,
        queue: &QueueView,
        size: u32,
        _ecn: Ecn,
        _rng: &mut Stream,
    ) -> Verdict {
        // An idle link serves the packet at once: it never waits, so the limit does not concern it.
        let QueueView {
            packets,
            bytes,
            rate,
            ..
        } = *queue;
        if queue.idle || self.limit.admits(packets, bytes, size, rate) {
            Verdict::Pass
        } else {
            Verdict::Overflow
        }
    }
}

/// A discipline behind a limit: what has no room is dropped on arrival and never seen by it.
#[derive(Debug, Clone)]
pub struct Limited<D> {
    tail: DropTail,
    discipline: D,
}

impl<D> Limited<D> {
    /// `discipline` for a queue in which at most `limit` may wait.
    pub fn new(limit: Limit, discipline: D) -> Self {
        Self {
            tail: DropTail::new(limit),
            discipline,
        }
    }
}

impl<D: Discipline> Discipline for Limited<D> {
    fn on_arrival(&mut self, queue: &QueueView, size: u32, ecn: Ecn, rng: &mut Stream) -> Verdict {
        match self.tail.on_arrival(queue, size, ecn, rng) {
            Verdict::Pass => self.discipline.on_arrival(queue, size, ecn, rng),
            verdict => verdict,
        }
    }

    fn on_departure(
        &mut self,
        queue: &QueueView,
        size: u32,
        ecn: Ecn,
        waited: Duration,
        rng: &mut Stream,
    ) -> Verdict {
        self.discipline.on_departure(queue, size, ecn, waited, rng)
    }
}
