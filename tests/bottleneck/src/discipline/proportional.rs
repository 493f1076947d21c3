//! The marking queue of Moller and Johansson.

use std::time::Duration;

use super::{Capable, Discipline, QueueView, Verdict};
use crate::{Ecn, Limit, Probability, Stream};

/// q0, and what `q` counts.
#[derive(Debug, Clone, Copy)]
enum Reference {
    Packets(u64),
    Bytes(u64),
}

/// Marks each packet that is forwarded with probability p = q / (q + q0) (Moller & Johansson, "Congestion
/// control with small queues", equation 1).
///
/// `q` is the instantaneous queue, not an average: what the packet leaves behind when its turn comes. Marking at the
/// head keeps the queue itself out of the loop's delay, as the paper's equation 4 has it; the distribution of
/// `q` is the same as on arrival.
///
/// Packets that are not ECN-capable, or not of the chosen codepoint, pass. RFC 3168 would have them dropped with the
/// same probability; but p is of the order of a mark per round trip, which is far above what a loss-based sender
/// survives, and the paper's cross traffic is dropped on overflow only.
#[derive(Debug, Clone, Copy)]
pub struct Proportional {
    /// The queue at which every second packet is marked; `None` if nothing is ever marked.
    q0: Option<Reference>,
    ect: Capable,
}

impl Proportional {
    /// Marks packets of codepoint `ect`; `q0` as a limit in bytes or packets, without which it never marks.
    pub fn new(q0: Limit, ect: Capable) -> Self {
        let q0 = match q0 {
            Limit {
                packets: Some(packets),
                ..
            } => Some(Reference::Packets(packets)),
            Limit { bytes, .. } => bytes.map(Reference::Bytes),
        };
        Self { q0, ect }
    }

    fn probability(&self, queue: &QueueView) -> Option<Probability> {
        let (q, q0) = match self.q0? {
            Reference::Packets(q0) => (queue.packets, q0),
            Reference::Bytes(q0) => (queue.bytes, q0),
        };
        // 0 / 0 is no probability, and an empty queue marks nothing.
        Probability::new(q as f64 / (q as f64 + q0 as f64))
    }
}

impl Discipline for Proportional {
    fn on_arrival(&mut self, _: &QueueView, _: u32, _: Ecn, _: &mut Stream) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(
        &mut self,
        queue: &QueueView,
        _size: u32,
        ecn: Ecn,
        _waited: Duration,
        rng: &mut Stream,
    ) -> Verdict {
        match self.probability(queue) {
            Some(p) if self.ect.includes(ecn) && p.draw(rng) => Verdict::Mark,
            _ => Verdict::Pass,
        }
    }
}
