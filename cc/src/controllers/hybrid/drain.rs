//! DEVIATION: what is known of a queue that a decrease lets drain.

use std::time::Duration;

use super::Hybrid;
use crate::units::{Bytes, Rate};

/// What arrived says more than one epoch does from so many packets on.
const TELLING_PACKETS: u64 = 64;
/// No more than this share of a time is taken for uncertain.
const MOST_UNCERTAIN: f64 = 0.5;

/// A queue drains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drain {
    /// What of this flow arrived while there was a queue: the rate to return to.
    pub share: Rate,
    /// After start-up the share is not known yet: what arrives while the queue drains is, up to this.
    pub ceiling: Option<Rate>,
    /// What has arrived since it began to, if it is not that of start-up.
    pub arrivals: Arrivals,
}

impl Drain {
    /// What may have arrived at most, by the mean since the queue began to drain: in a longer time noise matters less.
    pub fn arrives_at_most(&self, noise: Duration, packet: Bytes) -> Option<Rate> {
        let telling = (packet * TELLING_PACKETS).0 as f64 * 8.0;
        (self.arrivals.bits >= telling)
            .then(|| self.arrivals.mean() * (1.0 / (1.0 - uncertain(noise, self.arrivals.lasted))))
    }
}

/// What arrived in a time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Arrivals {
    lasted: Duration,
    bits: f64,
}

impl Arrivals {
    /// So many bits in this time.
    #[cfg(test)]
    pub fn new(lasted: Duration, bits: f64) -> Self {
        Self { lasted, bits }
    }

    fn add(&mut self, acked: Bytes, lasted: Duration) {
        self.lasted += lasted;
        self.bits += acked.0 as f64 * 8.0;
    }

    fn mean(&self) -> Rate {
        Rate::from_bps(self.bits / self.lasted.as_secs_f64())
    }
}

/// The share of a time in which arrivals may be missing, because they were held up by N at its end.
pub fn uncertain(noise: Duration, duration: Duration) -> f64 {
    let share = noise.as_secs_f64() / duration.as_secs_f64().max(1e-9);
    share.min(MOST_UNCERTAIN)
}

impl Hybrid {
    /// What arrived while a queue drains.
    pub(super) fn add_arrivals(&mut self, acked: Bytes, lasted: Duration) {
        if let Some(drain) = self.drain.as_mut().filter(|drain| drain.ceiling.is_none()) {
            drain.arrivals.add(acked, lasted);
        }
    }

    /// After start-up the share is what arrives while the queue drains.
    pub(super) fn learn_share(&mut self, arrived: Rate, waiting: bool) {
        let Some(drain) = &mut self.drain else { return };
        match drain.ceiling {
            Some(ceiling) => drain.share = drain.share.max(arrived.min(ceiling)),
            None if waiting => drain.share = drain.share.min(arrived),
            None => {}
        }
    }
}
