//! Propagation.

use std::time::Duration;

use super::Wire;
use crate::{Schedule, Stream, Time};

/// Propagation delay, constant or changing at known times, as when a route changes. A packet takes the delay of the
/// instant at which its last bit was sent, so packets overtake each other when the delay falls.
#[derive(Debug, Clone)]
pub struct Delay {
    delays: Schedule<Duration>,
    min: Duration,
}

impl Delay {
    /// These delays; a single [`Duration`] is one of them.
    pub fn new(delays: impl Into<Schedule<Duration>>) -> Self {
        let delays = delays.into();
        let min = delays.steps().iter().map(|step| step.1).min();
        Self {
            delays,
            min: min.unwrap_or_default(),
        }
    }
}

impl Wire for Delay {
    fn deliver(&mut self, sent: Time, _size: u32, _rng: &mut Stream) -> Option<Time> {
        Some(sent + self.delays.at(sent))
    }

    fn min_delay(&self) -> Duration {
        self.min
    }
}
