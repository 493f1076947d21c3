//! When a client acknowledges: with every packet, or with every so many.

use std::time::{Duration, Instant};

/// The longest that an acknowledgement waits: what quiche tells its peer in `max_ack_delay` (RFC 9000, section 18.2).
const LONGEST: Duration = Duration::from_millis(25);

/// What has come and is not acknowledged yet. The host waits whatever the packets are: also where some are missing.
#[derive(Debug)]
pub struct DelayedAcks {
    /// Packets of an acknowledgement.
    packets: u32,
    /// Packets that wait.
    waiting: u32,
    /// When the first of these came.
    since: Option<Instant>,
}

impl DelayedAcks {
    /// An acknowledgement for every so many packets.
    pub fn every(packets: u32) -> Self {
        Self {
            packets,
            waiting: 0,
            since: None,
        }
    }

    /// A packet has come.
    pub fn on_arrival(&mut self, now: Instant) {
        self.waiting += 1;
        self.since.get_or_insert(now);
    }

    /// A packet leaves, and with it the acknowledgement.
    pub fn on_departure(&mut self) {
        self.waiting = 0;
        self.since = None;
    }

    /// Until when nothing leaves, unless more arrives.
    pub fn held_until(&self, now: Instant) -> Option<Instant> {
        let until = self.since? + LONGEST;
        (self.waiting < self.packets && now < until).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::virtual_time::VirtualTime;
    use quiche_cc_bottleneck::Time;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    fn the_last_packet_or_the_longest_wait_lets_an_acknowledgement_go() {
        let time = VirtualTime::start();
        time.set(Time::ZERO + Duration::from_secs(1));
        let now = Instant::now();
        let mut acks = DelayedAcks::every(2);
        assert_eq!(acks.held_until(now), None);
        acks.on_arrival(now);
        assert_eq!(acks.held_until(now), Some(now + LONGEST));
        assert_eq!(acks.held_until(now + LONGEST), None);
        acks.on_arrival(now + LONGEST / 2);
        assert_eq!(acks.held_until(now + LONGEST / 2), None);
        acks.on_departure();
        assert_eq!(acks.held_until(now + LONGEST / 2), None);
        acks.on_arrival(now + LONGEST);
        assert_eq!(acks.held_until(now + LONGEST), Some(now + 2 * LONGEST));
    }
}
