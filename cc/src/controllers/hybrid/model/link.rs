//! The slowest link of the path, and how much of it a flow uses.

use std::time::Duration;

use crate::units::{Bytes, Rate};

/// A flow that fills less of the slowest link may share it with competing flows.
const HALF: f64 = 0.5;

/// What is known of the slowest link: T, the time that a full packet takes there.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    packet: Bytes,
    /// Zero while unknown.
    transmission: Duration,
    /// Whether it is that of the link. What is not may be longer, as far apart as packets left.
    dispersed: bool,
}

impl Link {
    /// A link on which a `packet` takes so long; zero is unknown.
    pub fn new(packet: Bytes, transmission: Duration, dispersed: bool) -> Self {
        Self {
            packet,
            transmission,
            dispersed,
        }
    }

    /// Size of a full packet.
    pub fn packet(&self) -> Bytes {
        self.packet
    }

    /// T, zero while unknown.
    pub fn transmission(&self) -> Duration {
        self.transmission
    }

    /// P / T.
    pub fn rate(&self) -> Option<Rate> {
        (!self.transmission.is_zero()).then(|| self.packet.per(self.transmission))
    }

    /// The same, where the link carries no more than that.
    pub fn dispersed_rate(&self) -> Option<Rate> {
        self.rate().filter(|_| self.dispersed)
    }

    /// Whether a flow with this rate uses half of it: one that uses less may be sharing the link.
    /// None where that is unknown.
    pub fn is_half_used(&self, rate: Rate) -> Option<bool> {
        match rate < self.rate()? * HALF {
            true => Some(false),
            false => self.dispersed.then_some(true),
        }
    }

    /// The part of it that a flow with this rate leaves to competing flows.
    pub fn left(&self, rate: Rate) -> Option<f64> {
        let used = rate.bps() * self.transmission.as_secs_f64() / (self.packet.0 as f64 * 8.0);
        (!self.transmission.is_zero()).then_some(1.0 - used)
    }
}
