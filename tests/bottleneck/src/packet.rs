//! Packets on their way through a link.

use std::time::Duration;

use crate::{Header, Time};

/// The ECN field of the IP header (RFC 3168 section 5, with ECT(1) as in RFC 9331).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Ecn {
    /// `00`: the transport does not understand marks.
    #[default]
    NotEct = 0b00,
    /// `01`: ECN-capable, asking for low-latency (L4S) treatment.
    Ect1 = 0b01,
    /// `10`: ECN-capable.
    Ect0 = 0b10,
    /// `11`: congestion was experienced.
    Ce = 0b11,
}

impl Ecn {
    /// The codepoint in the two low bits of `field`; the DSCP above them is ignored.
    pub const fn from_bits(field: u8) -> Self {
        match field & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// The two bits of the codepoint.
    pub const fn bits(self) -> u8 {
        self as u8
    }

    /// Whether the packet may be marked instead of dropped (RFC 3168 section 5).
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }
}

/// A packet as the link sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet<P> {
    /// Bytes it occupies on the link and in the queue, headers included as the caller
    /// counts them (see [`crate::Overhead`]).
    pub size: u32,
    /// Its ECN field.
    pub ecn: Ecn,
    /// Of which flow it is, as a router tells by addresses and ports: queues that keep flows apart go by it, all others ignore it.
    pub flow: u64,
    /// What the caller needs to recognise or forward it.
    pub payload: P,
}

impl<P> Packet<P> {
    pub(crate) fn header(&self) -> Header {
        Header {
            flow: self.flow,
            size: self.size,
            ecn: self.ecn,
        }
    }
}

/// A packet that leaves the model, one way or the other. Every packet handed in leaves exactly once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit<P> {
    /// When it left: delivered at the far end, or lost.
    pub at: Time,
    /// When it had come to the queue.
    pub arrived: Time,
    /// The packet; its ECN field may have been changed to CE.
    pub packet: Packet<P>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It reached the far end.
    Delivered(Transit),
    /// It did not.
    Lost(LossCause),
}

/// The milestones of a delivered packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transit {
    /// Time from arrival until its first bit was sent.
    pub queueing: Duration,
    /// Time from its first to its last bit on the link.
    pub serialisation: Duration,
    /// Time from its last bit sent until it was delivered.
    pub propagation: Duration,
}

impl Transit {
    /// Time from arrival until its last bit had left the link: queueing and serialisation.
    pub fn sojourn(&self) -> Duration {
        self.queueing + self.serialisation
    }
}

/// Why a packet was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LossCause {
    /// The buffer was full.
    Overflow,
    /// The discipline chose to drop it (active queue management).
    Discipline,
    /// Random loss on the wire.
    Wire,
}
