//! One queue.

use std::time::Duration;

use super::{Header, Queues, Scheduler};
use crate::{Discipline, Stream, Verdict};

/// One queue for all, and a discipline.
pub struct Fifo(Box<dyn Discipline>);

impl Fifo {
    /// A queue with this discipline.
    pub fn new(discipline: impl Discipline + 'static) -> Self {
        Self(Box::new(discipline))
    }
}

impl Scheduler for Fifo {
    fn classify(&mut self, _: &Header, _: &mut Stream) -> usize {
        0
    }

    fn on_arrival(
        &mut self,
        queues: &Queues<'_>,
        _: usize,
        packet: &Header,
        rng: &mut Stream,
    ) -> Verdict {
        self.0.on_arrival(&queues.all, packet.size, packet.ecn, rng)
    }

    fn next(&mut self, _: &Queues<'_>) -> usize {
        0
    }

    fn on_departure(
        &mut self,
        queues: &Queues<'_>,
        _: usize,
        packet: &Header,
        waited: Duration,
        rng: &mut Stream,
    ) -> Verdict {
        self.0
            .on_departure(&queues.all, packet.size, packet.ecn, waited, rng)
    }
}
