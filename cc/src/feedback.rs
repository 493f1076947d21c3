//! What comes back from the network, as measurement and controllers are told.

use std::time::Duration;

use crate::units::{Bytes, Time};

/// The packet number spaces of RFC 9000, section 12.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Initial packets.
    Initial,
    /// Handshake packets.
    Handshake,
    /// 0-RTT and 1-RTT packets.
    Application,
}

/// A packet that was newly acknowledged.
#[derive(Debug, Clone, Copy)]
pub struct Acked {
    /// When it was sent.
    pub sent: Time,
    /// Its size; zero if it was not ack-eliciting.
    pub size: Bytes,
    /// When the peer received it, on the peer's clock, if the peer said so.
    pub received: Option<Duration>,
}

/// A packet that was declared lost.
#[derive(Debug, Clone, Copy)]
pub struct Lost {
    /// When it was sent.
    pub sent: Time,
    /// Its size.
    pub size: Bytes,
}

/// An ACK, or a loss detection without one.
#[derive(Debug)]
pub struct Feedback<'a> {
    /// When it happened.
    pub now: Time,
    /// The packet number space that it is about.
    pub space: Space,
    /// Newly acknowledged packets, in the order of their numbers.
    pub acked: &'a [Acked],
    /// Packets declared lost, in the order of their numbers.
    pub lost: &'a [Lost],
    /// Bytes in flight before it, of all packet number spaces (RFC 9002, appendix B.2).
    pub in_flight: Bytes,
    /// Whether the ACK gave an RTT sample (RFC 9002, section 5.1): its largest packet is newly
    /// acknowledged and one of the newly acknowledged is ack-eliciting.
    pub rtt_sampled: bool,
    /// The ACK delay that the peer reported.
    pub ack_delay: Duration,
    /// The most that the peer may delay an ACK; zero while unknown.
    pub max_ack_delay: Duration,
    /// The smallest RTT of the path as loss recovery knows it.
    pub min_rtt: Option<Duration>,
    /// Increase of the peer's ECT(0) and ECT(1) counts, told only if the counts were validated (RFC
    /// 9000, section 13.4.2.1). Where packets are acknowledged with neither this nor
    /// [`ecn_ce`](Self::ecn_ce), ECN can't be used.
    pub ecn_ect: u64,
    /// Increase of the peer's validated ECN-CE count.
    pub ecn_ce: u64,
}

impl Feedback<'_> {
    /// Bytes newly acknowledged.
    pub fn acked_bytes(&self) -> Bytes {
        let mut sizes = self.acked.iter().map(|packet| packet.size.0);
        let sum = sizes.try_fold(0, u64::checked_add);
        Bytes(sum.unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
impl<'a> Feedback<'a> {
    /// One of the application space as most of them are, for tests: with an RTT sample if it
    /// acknowledges something, and a full window.
    pub(crate) fn of(now: Time, acked: &'a [Acked], lost: &'a [Lost]) -> Self {
        Self {
            now,
            space: Space::Application,
            acked,
            lost,
            in_flight: Bytes(u64::MAX),
            rtt_sampled: !acked.is_empty(),
            ack_delay: Duration::ZERO,
            max_ack_delay: Duration::from_millis(25),
            min_rtt: None,
            ecn_ect: 0,
            ecn_ce: 0,
        }
    }
}
