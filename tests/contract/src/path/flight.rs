//! Packets that are neither acknowledged nor lost (RFC 9002, section 6.1).

use std::collections::VecDeque;
use std::time::Duration;

use quiche_cc::units::Bytes;

/// RFC 9002, section 6.1.1.
const PACKET_THRESHOLD: u64 = 3;

/// A packet in flight.
#[derive(Debug, Clone, Copy)]
pub struct Sent {
    /// Its number.
    pub number: u64,
    /// When it left.
    pub at: Duration,
    /// Its size.
    pub size: Bytes,
}

/// Packets in flight, by number.
#[derive(Debug, Default)]
pub struct Flight {
    packets: VecDeque<Sent>,
    bytes: u64,
    largest_acked: Option<u64>,
}

impl Flight {
    /// Bytes in flight.
    pub fn bytes(&self) -> Bytes {
        Bytes(self.bytes)
    }

    /// When the latest left.
    pub fn latest(&self) -> Option<Duration> {
        self.packets.back().map(|packet| packet.at)
    }

    /// Adds a packet, whose number is the highest so far.
    pub fn push(&mut self, packet: Sent) {
        self.bytes += packet.size.0;
        self.packets.push_back(packet);
    }

    /// Takes out what was acknowledged; `None` if it was lost or acknowledged before.
    pub fn take(&mut self, number: u64) -> Option<Sent> {
        let place = self
            .packets
            .binary_search_by_key(&number, |packet| packet.number)
            .ok()?;
        let packet = self.packets.remove(place)?;
        self.bytes -= packet.size.0;
        Some(packet)
    }

    /// Notes the largest of the newly acknowledged; says whether it is the largest ever.
    pub fn on_largest(&mut self, number: u64) -> bool {
        let is_largest = self.largest_acked.is_none_or(|largest| number > largest);
        if is_largest {
            self.largest_acked = Some(number);
        }
        is_largest
    }

    /// Takes out the next packet that is lost by its number or, sent before `too_old`, by its age.
    pub fn take_lost(&mut self, too_old: Option<Duration>) -> Option<Sent> {
        let largest = self.largest_acked?;
        let first = self.packets.front()?;
        let by_number = first.number + PACKET_THRESHOLD <= largest;
        let by_age = too_old.is_some_and(|too_old| first.at <= too_old);
        if first.number > largest || !(by_number || by_age) {
            return None;
        }
        let packet = self.packets.pop_front()?;
        self.bytes -= packet.size.0;
        Some(packet)
    }

    /// When the oldest packet that a later one has overtaken is lost by its age.
    pub fn loss_time(&self, loss_delay: Duration) -> Option<Duration> {
        let first = self.packets.front()?;
        let overtaken = self.largest_acked.is_some_and(|n| first.number < n);
        overtaken.then(|| first.at + loss_delay)
    }
}
