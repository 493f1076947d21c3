//! One direction of the relay: a link with its statistics.

use std::time::Duration;

use quiche_cc_bottleneck::{
    Counters, Ecn, Exit, Fate, Link, LinkConfig, Packet, Rate, Time, TraceError,
};

use crate::spread::{millis, round};
use crate::{Direction, DirectionSummary, PacketRecord, Sample, Spread};

/// What one direction may hold, payload only, so that an unlimited buffer cannot eat the machine.
const MAX_HELD: usize = 256 << 20;

/// A datagram inside a link.
#[derive(Debug)]
pub(crate) struct Parcel {
    pub flow: usize,
    pub payload: Vec<u8>,
    /// Which datagram of the run it is, from 1.
    pub number: u64,
}

/// A link and what is known about it.
pub(crate) struct Lane {
    which: Direction,
    link: Link<Parcel>,
    nominal_rate: Option<Rate>,
    held_bytes: usize,
    payload_bytes: u64,
    first_arrival: Option<Time>,
    last_activity: Time,
    queueing: Spread,
    lateness_max: Duration,
}

impl Lane {
    pub(crate) fn new(
        which: Direction,
        config: &LinkConfig,
        seed: u64,
    ) -> Result<Self, TraceError> {
        let id = match which {
            Direction::Down => 0,
            Direction::Up => 1,
        };
        let link = config.build(seed, id)?;
        Ok(Self {
            which,
            nominal_rate: link.rate(),
            link,
            held_bytes: 0,
            payload_bytes: 0,
            first_arrival: None,
            last_activity: Time::ZERO,
            queueing: Spread::default(),
            lateness_max: Duration::ZERO,
        })
    }

    /// The rate at the start, a mean if it varies; `None`: unlimited.
    pub(crate) fn nominal_rate(&self) -> Option<Rate> {
        self.nominal_rate
    }

    /// Hands a datagram to the link; `false` if there is no memory for it.
    pub(crate) fn send(&mut self, at: Time, size: u32, ecn: Ecn, parcel: Parcel) -> bool {
        if self.held_bytes + parcel.payload.len() > MAX_HELD {
            return false;
        }
        self.held_bytes += parcel.payload.len();
        self.first_arrival.get_or_insert(at);
        self.last_activity = self.last_activity.max(at);
        self.link.send(
            at,
            Packet {
                size,
                ecn,
                flow: parcel.flow as u64,
                payload: parcel,
            },
        );
        true
    }

    /// Bytes that wait at `now`.
    pub(crate) fn waiting(&mut self, now: Time) -> u64 {
        self.link.advance(now);
        self.link.backlog().bytes
    }

    /// The next datagram that leaves the link until `now`.
    pub(crate) fn receive(&mut self, now: Time) -> Option<Exit<Parcel>> {
        let exit = self.link.receive(now)?;
        let length = exit.packet.payload.payload.len();
        self.held_bytes -= length;
        self.last_activity = self.last_activity.max(exit.at);
        if let Fate::Delivered(transit) = exit.fate {
            self.payload_bytes += length as u64;
            self.queueing.add(transit.queueing);
        }
        Some(exit)
    }

    pub(crate) fn released_late_by(&mut self, lateness: Duration) {
        self.lateness_max = self.lateness_max.max(lateness);
    }

    /// When to wake up for this direction.
    pub(crate) fn next_delivery(&self) -> Option<Time> {
        self.link.next_delivery()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.link.held() == 0
    }

    /// The state at `now`; everything that leaves until then must have been received.
    pub(crate) fn sample(&mut self, now: Time) -> Sample {
        self.link.advance(now);
        let backlog = self.link.backlog();
        let counters = self.link.counters();
        Sample {
            time: now.as_secs_f64(),
            direction: self.which,
            queue_bytes: backlog.bytes,
            queue_packets: backlog.packets,
            queue_delay_ms: millis(backlog.delay),
            arrived_packets: counters.arrived.packets,
            forwarded_packets: counters.delivered.packets,
            forwarded_bytes: counters.delivered.bytes,
            dropped_overflow: counters.lost_overflow.packets,
            dropped_discipline: counters.lost_discipline.packets,
            dropped_random: counters.lost_wire.packets,
            ecn_ce: counters.delivered_ce.packets,
            lateness_max_ms: millis(std::mem::take(&mut self.lateness_max)),
        }
    }

    pub(crate) fn packet_record(&self, exit: &Exit<Parcel>) -> PacketRecord {
        let (queue_delay_ms, lost) = match exit.fate {
            Fate::Delivered(transit) => (Some(millis(transit.queueing)), None),
            Fate::Lost(cause) => (None, Some(PacketRecord::lost(cause))),
        };
        PacketRecord {
            time: exit.at.as_secs_f64(),
            direction: self.which,
            flow: exit.packet.payload.flow,
            size: exit.packet.size,
            ecn: exit.packet.ecn.bits(),
            arrived: exit.arrived.as_secs_f64(),
            queue_delay_ms,
            lost,
        }
    }

    pub(crate) fn summary(&self) -> DirectionSummary {
        let Counters {
            arrived,
            delivered,
            delivered_ce,
            marked,
            lost_overflow,
            lost_discipline,
            lost_wire,
            max_queue_packets,
            max_queue_bytes,
            ..
        } = *self.link.counters();
        let active = self
            .first_arrival
            .map_or(0.0, |first| self.last_activity.since(first).as_secs_f64());
        let share = |part: f64, whole: f64| {
            if whole > 0.0 {
                round(part / whole)
            } else {
                0.0
            }
        };
        let lost = self.link.counters().lost().packets;
        let busy = self.link.busy_time().as_secs_f64();
        DirectionSummary {
            arrived_packets: arrived.packets,
            arrived_bytes: arrived.bytes,
            forwarded_packets: delivered.packets,
            forwarded_bytes: delivered.bytes,
            forwarded_payload_bytes: self.payload_bytes,
            dropped_overflow: lost_overflow.packets,
            dropped_discipline: lost_discipline.packets,
            dropped_random: lost_wire.packets,
            loss: share(lost as f64, arrived.packets as f64),
            ecn_ce: delivered_ce.packets,
            ecn_marked: marked.packets,
            active: round(active),
            utilisation: self.nominal_rate.map(|_| share(busy, active)),
            queue_delay_ms: self.queueing.percentiles(),
            max_queue_bytes,
            max_queue_packets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(which: Direction, loss: &str) -> Lane {
        let config = LinkConfig {
            loss: loss.parse().unwrap(),
            ..LinkConfig::default()
        };
        Lane::new(which, &config, 1).unwrap()
    }

    fn send(lane: &mut Lane, length: usize) -> bool {
        let parcel = Parcel {
            flow: 1,
            payload: vec![0; length],
            number: 1,
        };
        lane.send(Time::ZERO, length as u32, Ecn::NotEct, parcel)
    }

    #[test]
    fn memory_is_bounded_and_comes_back() {
        let mut lane = lane(Direction::Down, "0%");
        assert!(send(&mut lane, MAX_HELD - 1));
        assert!(send(&mut lane, 1));
        assert!(!send(&mut lane, 1));
        assert!(lane.receive(Time::ZERO).is_some());
        assert!(send(&mut lane, MAX_HELD - 1));
        assert_eq!(lane.summary().arrived_packets, 3);
    }

    #[test]
    fn the_two_directions_lose_different_packets() {
        let fates = |which| {
            let mut lane = lane(which, "50%");
            (0..64).for_each(|_| assert!(send(&mut lane, 100)));
            let exits = std::iter::from_fn(|| lane.receive(Time::ZERO));
            exits
                .map(|exit| matches!(exit.fate, Fate::Lost(_)))
                .collect::<Vec<_>>()
        };
        assert_ne!(fates(Direction::Down), fates(Direction::Up));
    }
}
