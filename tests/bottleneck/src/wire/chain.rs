//! Wires one behind the other.

use std::time::Duration;

use super::Wire;
use crate::random::Purpose;
use crate::{Stream, Time};

/// Wires in a row: what one delivers is sent into the next, and each draws from a random stream of its own, so
/// that adding or changing one does not shift what the others draw.
pub struct WireChain {
    seed: u64,
    link: u64,
    wires: Vec<(Box<dyn Wire>, Stream)>,
}

impl WireChain {
    /// An empty chain, which delivers at once, for link number `link` of a run with `seed`.
    pub fn new(seed: u64, link: u64) -> Self {
        Self {
            seed,
            link,
            wires: Vec::new(),
        }
    }

    /// The chain with `wire` behind it, which draws from the stream for `purpose`.
    #[must_use]
    pub fn then(mut self, purpose: Purpose, wire: Box<dyn Wire>) -> Self {
        let stream = purpose.stream(self.seed, self.link);
        self.wires.push((wire, stream));
        self
    }
}

impl Wire for WireChain {
    fn deliver(&mut self, sent: Time, size: u32, _rng: &mut Stream) -> Option<Time> {
        let wires = &mut self.wires;
        wires
            .iter_mut()
            .try_fold(sent, |at, (wire, stream)| wire.deliver(at, size, stream))
    }

    fn min_delay(&self) -> Duration {
        self.wires.iter().map(|(wire, _)| wire.min_delay()).sum()
    }
}
