//! A rate that is enforced without a queue.

use std::time::Duration;

use super::{Discipline, QueueView, Verdict};
use crate::{Ecn, Rate, Stream, Time};

/// A token bucket that drops what exceeds it on arrival (RFC 2697 with one colour and no marking): the bucket fills with the
/// rate up to the burst, a packet takes its size out of it, and one for which there is not enough in it is dropped and takes
/// nothing. Nothing waits for tokens, so a sender sees loss without delay.
#[derive(Debug, Clone, Copy)]
pub struct Policer {
    rate: Rate,
    /// What a full bucket holds, as the time in which it fills.
    burst: Duration,
    /// When the bucket will be full again.
    full: Time,
}

impl Policer {
    /// A full bucket that fills with `rate` and holds `burst` bytes.
    pub fn new(rate: Rate, burst: u64) -> Self {
        Self {
            rate,
            burst: rate.time_for(burst),
            full: Time::ZERO,
        }
    }
}

impl Discipline for Policer {
    fn on_arrival(&mut self, queue: &QueueView, size: u32, _: Ecn, _: &mut Stream) -> Verdict {
        let full = self.full.max(queue.now) + self.rate.time_for(u64::from(size));
        if full.since(queue.now) > self.burst {
            return Verdict::Drop;
        }
        self.full = full;
        Verdict::Pass
    }
}
