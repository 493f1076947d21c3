//! Which packets say something about the present rate.

use std::time::Duration;

use crate::feedback::{Feedback, Space};
use crate::units::Time;

/// After a decrease only what is sent at the new rate counts. DEVIATION: the paper counts all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counting {
    /// Packets count that were sent from then on: after the rate was last lowered.
    from: Time,
    /// Whether nothing has come back yet that was sent after it.
    waits: bool,
}

impl Counting {
    /// Only what is sent from now on counts.
    pub fn begin(&mut self, now: Time) {
        *self = Self {
            from: now + Duration::from_nanos(1),
            waits: true,
        };
    }

    /// Whether nothing that counts has come back yet, this feedback included.
    #[inline]
    pub fn waits_beyond(&self, feedback: &Feedback<'_>) -> bool {
        self.waits && !self.ends_with(feedback)
    }

    /// Whether the first packet comes back that was sent since. The epoch that waited for it is
    /// over then, and the next one has samples of its whole length.
    pub fn ends_with(&self, feedback: &Feedback<'_>) -> bool {
        let shows = || feedback.acked.iter().any(|p| p.sent >= self.from);
        self.waits && feedback.space == Space::Application && shows()
    }

    /// From now on what comes back counts.
    pub fn end(&mut self) {
        self.waits = false;
    }

    /// The time from which on packets count that were sent.
    pub fn from(&self) -> Time {
        self.from
    }
}
