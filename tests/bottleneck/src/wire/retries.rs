//! The delays of a Wi-Fi hop whose frames collide.

use std::time::Duration;

use super::Wire;
use crate::random::{poisson, uniform, uniform_span};
use crate::{Schedule, Stream, Time};

/// One wait for the medium.
const SLOT: Duration = Duration::from_millis(1);
/// One retransmission of a frame.
const RETRY: Duration = Duration::from_micros(7500);
/// Retransmissions of a frame that collided, on average.
const RETRIES: f64 = 12.0;

/// Collisions with other networks on the same channel (draft-huitema-ccwg-c4-test-04, section 2.3).
///
/// Every packet waits for a number of slots of 1 ms that is Poisson distributed with mean 1, less a uniform part of a slot
/// if there is any. Some packets collide as well: they take a number of retransmissions of 7.5 ms each that is Poisson
/// distributed with mean 12. How many collide follows from the mean: none up to 1 ms, all from 91 ms on, and in between
/// (mean - 1 ms) / 90 ms. Order is kept: what is behind a packet that collided waits for it, so that the delay of a busy
/// link is mostly that of its collisions, and lasts longer than the mean says.
#[derive(Debug, Clone)]
pub struct Retries {
    /// Means over time; a packet takes that of the instant at which it was sent.
    means: Schedule<Duration>,
    /// The latest delivery so far.
    latest: Time,
}

impl Retries {
    /// With these means; a single [`Duration`] is one of them.
    pub fn new(means: impl Into<Schedule<Duration>>) -> Self {
        Self {
            means: means.into(),
            latest: Time::ZERO,
        }
    }

    /// The share of packets that collide at `time`.
    fn colliding(&self, time: Time) -> f64 {
        let collisions = self.means.at(time).saturating_sub(SLOT);
        (collisions.as_secs_f64() / RETRY.mul_f64(RETRIES).as_secs_f64()).min(1.0)
    }
}

impl Wire for Retries {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        let slots = poisson(1.0, rng);
        let mut delay = SLOT * slots;
        if slots > 0 {
            delay -= uniform_span(Duration::ZERO, SLOT, rng);
        }
        if uniform(rng) < self.colliding(sent) {
            delay += RETRY * poisson(RETRIES, rng);
        }
        self.latest = self.latest.max(sent + delay);
        Some(self.latest)
    }
}
