//! What a round trip does to the window, as pure functions.

use std::time::Duration;

use super::params::Params;

/// What a round trip has shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// The RTT that it stands for.
    pub rtt: Duration,
    /// The smallest RTT of the path.
    pub base: Duration,
}

impl Seen {
    /// The part of the window that waits in the queue: `(expected - actual) * base`, with
    /// `expected = w / base` and `actual = w / rtt`, is `w (rtt - base) / rtt`, in the unit of
    /// `window`.
    pub fn queued(&self, window: f64) -> f64 {
        if self.rtt.is_zero() {
            return 0.0;
        }
        window * self.rtt.saturating_sub(self.base).as_secs_f64() / self.rtt.as_secs_f64()
    }
}

/// Congestion avoidance: packets that the window gains or loses.
pub fn step(params: &Params, queued: f64) -> f64 {
    if queued < params.alpha {
        1.0
    } else if queued > params.beta {
        -1.0
    } else {
        0.0
    }
}
