//! What happens to a packet after its last bit was sent.

mod aggregate;
mod chain;
mod delay;
mod jitter;
mod loss;
mod outages;
mod reorder;
mod retries;
mod wifi;

use std::time::Duration;

pub use aggregate::{Aggregate, Aggregator};
pub use chain::WireChain;
pub use delay::Delay;
pub use jitter::{Jitter, Order};
pub use loss::{GilbertElliott, Loss};
pub use outages::Outages;
pub use reorder::Reorder;
pub use retries::Retries;
pub use wifi::{InLongWaits, Wifi, WifiAccess};

use crate::{Stream, Time};

/// Carries packets from the end of the service to the far end.
///
/// Called once per packet, in the order of service. Packets may overtake each other: the link
/// delivers in the order of the times returned.
pub trait Wire: Send {
    /// When a packet of `size` bytes whose last bit was sent at `sent` is delivered; `None` if it is lost.
    /// Not before `sent` plus [`min_delay`](Wire::min_delay).
    fn deliver(&mut self, sent: Time, size: u32, rng: &mut Stream) -> Option<Time>;

    /// The shortest delay of any packet.
    fn min_delay(&self) -> Duration {
        Duration::ZERO
    }
}
