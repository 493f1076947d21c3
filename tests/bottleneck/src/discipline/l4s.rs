//! The immediate marker of an L4S queue, alone.

use std::time::Duration;

use super::{Capable, Discipline, QueueView, Verdict};
use crate::{Ecn, Probability, Stream};

/// Marks by the time that a packet has waited: none up to `min`, all above `max`, and in between with
/// a probability that rises linearly (the ramp of the native L4S AQM, RFC 9332 appendix A.1). With
/// `min` equal to `max` it is the step marker.
///
/// Only ECT(1), and CE, is marked (RFC 9331 section 5.1); ECT(0) and Not-ECT pass: this is the L queue without the
/// classic one beside it and without the coupling. As appendix A.1 has a least length of the queue, the last packet in it
/// is never marked, or a link on which a packet takes longer than the threshold would be kept idle.
#[derive(Debug, Clone, Copy)]
pub struct Ramp {
    min: Duration,
    max: Duration,
}

impl Ramp {
    /// A ramp from `min` to `max`, which is not below `min`.
    pub fn new(min: Duration, max: Duration) -> Self {
        Self { min, max }
    }

    /// p'_L of a packet that has waited so long and is no longer part of `queue`.
    pub(crate) fn probability(&self, queue: &QueueView, waited: Duration) -> Probability {
        let p = if queue.packets == 0 || waited <= self.min {
            0.0
        } else if waited > self.max {
            1.0
        } else {
            (waited - self.min).div_duration_f64(self.max - self.min)
        };
        Probability::new(p).unwrap_or(Probability::ZERO)
    }
}

impl Discipline for Ramp {
    fn on_arrival(&mut self, _: &QueueView, _: u32, _: Ecn, _: &mut Stream) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(
        &mut self,
        queue: &QueueView,
        _size: u32,
        ecn: Ecn,
        waited: Duration,
        rng: &mut Stream,
    ) -> Verdict {
        let concerned = Capable::Ect1.includes(ecn) && queue.packets > 0;
        if concerned && self.probability(queue, waited).draw(rng) {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }
}
