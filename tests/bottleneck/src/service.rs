//! How long the link is busy with a packet.

use std::time::Duration;

use crate::{Rate, Time};

/// Serves one packet after the other.
///
/// [`finish`](Service::finish) is called once per packet, in order, each with a `start` not before the
/// time returned for the packet before it. A service with a varying rate or recorded delivery
/// opportunities integrates from `start`.
pub trait Service: Send {
    /// When the last bit of a packet of `size` bytes has left if its turn comes at `start`.
    /// Never before `start`.
    fn finish(&mut self, start: Time, size: u32) -> Time;

    /// The rate at which a backlog drains from `at` on, to express it as a delay; an
    /// average where the rate varies. `None` if the service takes no time.
    fn rate(&self, at: Time) -> Option<Rate>;
}

/// A constant bit rate, exact over any number of packets.
///
/// Times are whole nanoseconds. Each packet's time is rounded up, and what was rounded up is taken off
/// the packet after it, so the link is never faster than its rate and never falls behind it.
#[derive(Debug, Clone)]
pub struct ConstantRate {
    rate: Rate,
    last_finish: Time,
    /// By how much `last_finish` was rounded up, in units of 1 / rate nanoseconds.
    ahead: u128,
}

impl ConstantRate {
    /// A service at `rate`.
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            last_finish: Time::ZERO,
            ahead: 0,
        }
    }
}

impl Service for ConstantRate {
    fn finish(&mut self, start: Time, size: u32) -> Time {
        const NANOS_PER_SEC: u128 = 1_000_000_000;
        if start > self.last_finish {
            self.ahead = 0;
        }
        let rate = u128::from(self.rate.bits_per_sec());
        let work = u128::from(size) * 8 * NANOS_PER_SEC;
        let nanos = work.saturating_sub(self.ahead).div_ceil(rate);
        self.ahead = nanos * rate + self.ahead - work;
        // A u32 of bytes at 1 bit/s is 2^35 s: it fits into 64 bits of nanoseconds almost twice.
        self.last_finish = start + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.last_finish
    }

    fn rate(&self, _at: Time) -> Option<Rate> {
        Some(self.rate)
    }
}

/// Takes no time at all: a link that is never the bottleneck.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unlimited;

impl Service for Unlimited {
    fn finish(&mut self, start: Time, _size: u32) -> Time {
        start
    }

    fn rate(&self, _at: Time) -> Option<Rate> {
        None
    }
}
