//! A packet at a link.

use quiche_cc_bottleneck::{Ecn, Fate, LossCause, Time};

/// The end of a flow that a packet goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Data, for the most part.
    Client,
    /// Acknowledgements, for the most part.
    Server,
}

impl Side {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
        }
    }
}

/// One packet at one link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Number of the datagram in the run, the same on every link that it crosses.
    pub packet: u64,
    /// How many links it had crossed before.
    pub hop: usize,
    /// Which link, see [`Names`](crate::Names).
    pub link: usize,
    /// Which flow, see [`Names`](crate::Names).
    pub flow: usize,
    /// Where it goes.
    pub to: Side,
    /// Bytes that it occupies on the link.
    pub size: u32,
    /// Of them, UDP payload.
    pub payload: u32,
    /// When it came to the queue.
    pub arrived: Time,
    /// Bytes that waited when it came, without the packet in service.
    pub queued_bytes: u64,
    /// Its ECN field when it came.
    pub ecn: Ecn,
    /// What became of it; `None`: it was still inside when the run ended.
    pub left: Option<Left>,
}

/// A packet at the end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// When it was delivered at the far end, or lost.
    pub at: Time,
    /// Its ECN field then.
    pub ecn: Ecn,
    /// Whether it was delivered, and what it went through.
    pub fate: Fate,
}

impl Row {
    /// What became of it, in the words of the file.
    pub(crate) const fn fate(&self) -> &'static str {
        match self.left {
            None => "inside",
            Some(left) => match left.fate {
                Fate::Delivered(_) => "delivered",
                Fate::Lost(LossCause::Overflow) => "overflow",
                Fate::Lost(LossCause::Discipline) => "discipline",
                Fate::Lost(LossCause::Wire) => "wire",
            },
        }
    }

    /// When its first bit was sent, if the model says so.
    pub(crate) fn started(&self) -> Option<Time> {
        match self.left?.fate {
            Fate::Delivered(transit) => Some(self.arrived + transit.queueing),
            Fate::Lost(_) => None,
        }
    }
}
