//! Who may wait, who is marked, who is dropped.

mod codel;
mod drop_tail;
mod l4s;
mod pie;
mod policer;
mod proportional;
mod queue;

use std::time::Duration;

pub use codel::CoDel;
pub use drop_tail::{DropTail, Limited};
pub use l4s::Ramp;
pub use pie::Pie;
pub use policer::Policer;
pub use proportional::Proportional;
pub use queue::{Capable, Queue};

use crate::{Ecn, Rate, Stream, Time};

/// What a discipline sees of the queue. The packet in service is not part of it.
#[derive(Debug, Clone, Copy)]
pub struct QueueView {
    /// The present.
    pub now: Time,
    /// Packets that wait, without the one that is being judged.
    pub packets: u64,
    /// Bytes that wait, without the one that is being judged.
    pub bytes: u64,
    /// Whether the link is idle: nothing waits and nothing is in service. A packet that comes now
    /// is served at once.
    pub idle: bool,
    /// The rate at which the queue drains, `None` if it takes no time.
    pub rate: Option<Rate>,
}

/// What a discipline decides about a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Let it be.
    Pass,
    /// Set congestion experienced. A packet that is not ECN-capable is dropped instead
    /// (RFC 3168 section 5: a router that would mark must treat others as if it dropped).
    Mark,
    /// Drop it on purpose.
    Drop,
    /// Drop it because there is no room.
    Overflow,
}

/// Decides about each packet of one queue, on arrival and when its turn comes. The order is always first in, first out; several queues
/// are a [`Scheduler`](crate::Scheduler).
pub trait Discipline: Send {
    /// Decides about a packet of `size` bytes that arrives.
    fn on_arrival(&mut self, queue: &QueueView, size: u32, ecn: Ecn, rng: &mut Stream) -> Verdict;

    /// Decides about a packet whose turn to be served has come after it `waited`. The packet is no longer
    /// part of `queue`. (For disciplines such as CoDel that act on the sojourn time.)
    fn on_departure(
        &mut self,
        queue: &QueueView,
        size: u32,
        ecn: Ecn,
        waited: Duration,
        rng: &mut Stream,
    ) -> Verdict {
        let _ = (queue, size, ecn, waited, rng);
        Verdict::Pass
    }
}
