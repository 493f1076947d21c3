//! What went through a link.

use std::time::Duration;

use crate::LossCause;

/// Packets, and the bytes they occupied on the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Number of packets.
    pub packets: u64,
    /// Sum of their sizes on the link.
    pub bytes: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }
}

/// Totals since the start. `arrived` is always the sum of `delivered`, the lost, and what the link
/// holds ([`crate::Link::held`]).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counters {
    /// Handed in.
    pub arrived: Tally,
    /// Received at the far end.
    pub delivered: Tally,
    /// Of those, with congestion experienced, whoever set it.
    pub delivered_ce: Tally,
    /// Marked by this link's discipline.
    pub marked: Tally,
    /// Lost because the buffer was full.
    pub lost_overflow: Tally,
    /// Dropped by the discipline on purpose.
    pub lost_discipline: Tally,
    /// Lost at random on the wire.
    pub lost_wire: Tally,
    /// The most packets that ever waited.
    pub max_queue_packets: u64,
    /// The most bytes that ever waited.
    pub max_queue_bytes: u64,
    /// Time spent serving, of all packets that have been served or begun.
    pub(crate) busy: Duration,
}

impl Counters {
    /// All lost packets.
    pub fn lost(&self) -> Tally {
        let lost = [self.lost_overflow, self.lost_discipline, self.lost_wire];
        Tally {
            packets: lost.iter().map(|tally| tally.packets).sum(),
            bytes: lost.iter().map(|tally| tally.bytes).sum(),
        }
    }

    pub(crate) fn lost_by(&mut self, cause: LossCause) -> &mut Tally {
        match cause {
            LossCause::Overflow => &mut self.lost_overflow,
            LossCause::Discipline => &mut self.lost_discipline,
            LossCause::Wire => &mut self.lost_wire,
        }
    }
}
