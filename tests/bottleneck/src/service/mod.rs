//! How long the link is busy with a packet.

mod model;
mod scheduled;
mod stopping;
mod trace;

pub use model::RateModel;
pub use scheduled::{ConstantRate, ScheduledRate};
pub(crate) use stopping::Stopping;
pub use trace::{Trace, TraceError, TraceService};

use crate::{Rate, Time};

/// Serves one packet after the other.
///
/// [`finish`](Service::finish) is called once per packet, in order, each with a `start` not before the
/// time returned for the packet before it. A service with a varying rate or recorded delivery
/// opportunities integrates from `start`.
pub trait Service: Send {
    /// When the last bit of a packet of `size` bytes has left if its turn comes at `start`.
    /// Never before `start`.
    fn finish(&mut self, start: Time, size: u32) -> Time;

    /// The rate at which a backlog drains from `at` on, to express it as a delay; an
    /// average where the rate varies. `None` if the service takes no time.
    fn rate(&self, at: Time) -> Option<Rate>;

    /// Bytes that could have been sent from `from` until `until` (rounded down), for a utilisation. `None` if
    /// the service takes no time.
    fn capacity(&self, from: Time, until: Time) -> Option<u64>;
}

/// Takes no time at all: a link that is never the bottleneck.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unlimited;

impl Service for Unlimited {
    fn finish(&mut self, start: Time, _size: u32) -> Time {
        start
    }

    fn rate(&self, _at: Time) -> Option<Rate> {
        None
    }

    fn capacity(&self, _from: Time, _until: Time) -> Option<u64> {
        None
    }
}
