//! DEVIATION: whether what a flow sends beside competing flows comes back. Where it joins competing
//! flows that keep a buffer filled, it holds about half of the link, so that at least 1 / 1.54 of
//! what it sends comes back within a round trip. Where much less does, the queue is its own: the
//! link has become slower, as cellular links do.

use std::time::Duration;

use super::super::model::seen::Seen;
use crate::units::{Bytes, Rate, Time};

/// Of what was sent, what comes back at least if the queue is that of competing flows.
const LEAST_BACK: f64 = 0.5;
/// Packets that tell: one more or less, where a time is cut, does not matter then.
const TELLING_PACKETS: f64 = 16.0;

/// For how long at least what comes back is counted: competing flows may take most of a link for a
/// few short round trips.
const LEAST_TIME: Duration = Duration::from_millis(200);

/// What was sent and what came back, over a round trip or more.
#[derive(Debug, Clone, Copy)]
pub struct ReturnRatio {
    /// What comes back before says nothing.
    from: Time,
    round_trip: Duration,
    lasted: Duration,
    /// In bits.
    sent: f64,
    came_back: f64,
}

impl ReturnRatio {
    /// From now on.
    pub fn new(now: Time, round_trip: Duration) -> Self {
        Self {
            from: now,
            round_trip,
            lasted: Duration::ZERO,
            sent: 0.0,
            came_back: 0.0,
        }
    }

    /// As soon as packets are back that are sent at a rate which is higher from now on.
    pub fn after_raise(now: Time, round_trip: Duration) -> Self {
        Self::new(now + round_trip, round_trip)
    }

    /// Takes in an epoch, with samples or without, in which the flow sent at `rate`.
    pub fn add(&mut self, seen: &Seen, rate: Rate) {
        if seen.now < self.from + seen.duration || seen.recently_app_limited {
            return;
        }
        // What was found lost does not wait in a queue either.
        let back = seen.arrived + seen.link.packet() * seen.lost_total;
        self.lasted += seen.duration;
        self.sent += rate.bps() * seen.duration.as_secs_f64();
        self.came_back += back.0 as f64 * 8.0;
    }

    /// Whether so little comes back that the queue is the flow's own, if that is known now; what
    /// follows is another time.
    pub fn is_low(&mut self, now: Time, round_trip: Duration, packet: Bytes) -> bool {
        let telling = TELLING_PACKETS * packet.0 as f64 * 8.0;
        if self.lasted < self.round_trip.max(LEAST_TIME) || self.sent < telling {
            return false;
        }
        let low = self.came_back < LEAST_BACK * self.sent;
        *self = Self::new(now, round_trip);
        low
    }
}
