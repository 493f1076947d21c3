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
pub struct CameBack {
    /// What comes back before says nothing.
    from: Time,
    round_trip: Duration,
    lasted: Duration,
    /// In bits.
    sent: f64,
    returned: f64,
}

impl CameBack {
    /// From now on.
    pub fn new(now: Time, round_trip: Duration) -> Self {
        Self {
            from: now,
            round_trip,
            lasted: Duration::ZERO,
            sent: 0.0,
            returned: 0.0,
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
        self.returned += back.0 as f64 * 8.0;
    }

    /// Whether so little comes back that the queue is the flow's own, if that is known now; what
    /// follows is another time.
    pub fn is_low(&mut self, now: Time, round_trip: Duration, packet: Bytes) -> bool {
        let telling = TELLING_PACKETS * packet.0 as f64 * 8.0;
        if self.lasted < self.round_trip.max(LEAST_TIME) || self.sent < telling {
            return false;
        }
        let low = self.returned < LEAST_BACK * self.sent;
        *self = Self::new(now, round_trip);
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::hybrid::tests::epochs::{seen, PACKET};

    const MILLI: Duration = Duration::from_millis(1);

    fn at(millis: u32) -> Time {
        Time::from_origin(millis * MILLI)
    }

    /// How many epochs of 40 ms at this rate it takes until it is known that less than half comes
    /// back; `change` says what of an epoch is otherwise.
    fn known_after(rate: f64, round_trip: u32, change: impl Fn(Seen) -> Seen) -> Option<u32> {
        let mut back = CameBack::new(at(1_000), round_trip * MILLI);
        (1..=20).find(|epochs| {
            let now = at(1_000 + 40 * epochs);
            back.add(&change(Seen { now, ..seen() }), Rate::from_bps(rate));
            back.is_low(now, round_trip * MILLI, PACKET)
        })
    }

    #[test]
    fn it_takes_a_round_trip_of_200_ms_at_least_and_sixteen_packets() {
        let nothing = |seen| seen;
        assert_eq!(known_after(10e6, 50, nothing), Some(5));
        assert_eq!(known_after(10e6, 400, nothing), Some(10));
        // 16 packets of 10,000 bits: 0.8 Mbit/s for 200 ms.
        assert_eq!(known_after(0.81e6, 50, nothing), Some(5));
        assert_eq!(known_after(0.79e6, 50, nothing), Some(6));
    }

    #[test]
    fn what_is_lost_is_back_and_an_epoch_of_a_source_with_little_to_send_tells_nothing() {
        // 40 packets are sent in an epoch at 10 Mbit/s.
        let back = |arrived, lost_total| {
            known_after(10e6, 50, |seen| Seen {
                arrived: PACKET * arrived,
                lost_total,
                ..seen
            })
        };
        assert_eq!(back(19, 0), Some(5));
        assert_eq!(back(20, 0), None);
        assert_eq!(back(10, 9), Some(5));
        assert_eq!(back(10, 10), None);
        let limited = |seen| Seen {
            recently_app_limited: true,
            ..seen
        };
        assert_eq!(known_after(10e6, 50, limited), None);
    }

    #[test]
    fn after_a_raise_it_counts_from_the_first_epoch_that_begins_a_round_trip_later() {
        let mut back = CameBack::after_raise(at(1_000), 100 * MILLI);
        let mut known = (1..=20).filter(|epochs| {
            let now = at(1_000 + 40 * epochs);
            // All before that is back, and nothing after it.
            let arrived = if *epochs < 4 {
                PACKET * 1_000
            } else {
                Bytes(0)
            };
            let seen = Seen {
                now,
                arrived,
                ..seen()
            };
            back.add(&seen, Rate::from_bps(10e6));
            back.is_low(now, 100 * MILLI, PACKET)
        });
        // The fourth begins at 1,120 ms, and five tell; so do the next five.
        assert_eq!(known.next(), Some(8));
        assert_eq!(known.next(), Some(13));
    }
}
