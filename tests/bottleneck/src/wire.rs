//! What happens to a packet after its last bit was sent.

use std::time::Duration;

use crate::{Probability, Stream, Time};

/// Carries packets from the end of the service to the far end.
///
/// Called once per packet, in the order of service. Packets may overtake each other: the link
/// delivers in the order of the times returned.
pub trait Wire: Send {
    /// When a packet of `size` bytes whose last bit was sent at `sent` is delivered; `None` if it is lost.
    /// Not before `sent` plus [`min_delay`](Wire::min_delay).
    fn deliver(&mut self, sent: Time, size: u32, rng: &mut Stream) -> Option<Time>;

    /// The shortest delay of any packet.
    fn min_delay(&self) -> Duration;
}

/// The same propagation delay for every packet, and independent random loss.
#[derive(Debug, Clone, Copy, Default)]
pub struct FixedWire {
    /// Propagation delay.
    pub delay: Duration,
    /// Probability that a packet is lost.
    pub loss: Probability,
}

impl Wire for FixedWire {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        let lost = self.loss.draw(rng);
        (!lost).then(|| sent + self.delay)
    }

    fn min_delay(&self) -> Duration {
        self.delay
    }
}
