//! DEVIATION: what is known of a queue that a decrease lets drain.

use std::time::Duration;

use super::model::seen::{uncertain, Seen};
use crate::units::{Bytes, Rate};

/// What arrived says more than one epoch does from so many packets on.
const TELLING_PACKETS: u64 = 64;

/// A queue drains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drain {
    /// What of this flow arrived while there was a queue: the rate to return to.
    pub return_rate: Rate,
    /// After start-up it is not known yet: what arrives while the queue drains is, up to this.
    pub ceiling: Option<Rate>,
    /// What has arrived since it began to, if it is not that of start-up.
    pub arrivals: Arrivals,
}

impl Drain {
    /// Takes in what arrived in an epoch while it drains. After start-up the rate to return to is
    /// that.
    pub fn take_in(&mut self, seen: &Seen) {
        let arrived = seen.full_delivery_rate();
        match self.ceiling {
            Some(ceiling) => self.return_rate = self.return_rate.max(arrived.min(ceiling)),
            None => {
                self.arrivals.add(seen.arrived, seen.arriving);
                // While nothing counts yet that comes back, less may arrive than when the queue was
                // seen.
                if seen.tells_rate && seen.observed.is_none() {
                    self.return_rate = self.return_rate.min(arrived);
                }
            }
        }
    }

    /// What may have arrived at most, by the mean since the queue began to drain: in a longer time
    /// jitter matters less.
    pub fn arrives_at_most(&self, jitter: Duration, packet: Bytes) -> Option<Rate> {
        let telling = (packet * TELLING_PACKETS).0 as f64 * 8.0;
        (self.arrivals.bits >= telling)
            .then(|| self.arrivals.mean() * (1.0 / (1.0 - uncertain(jitter, self.arrivals.lasted))))
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

    fn add(&mut self, arrived: Bytes, lasted: Duration) {
        self.lasted += lasted;
        self.bits += arrived.0 as f64 * 8.0;
    }

    fn mean(&self) -> Rate {
        Rate::from_bps(self.bits / self.lasted.as_secs_f64())
    }
}
