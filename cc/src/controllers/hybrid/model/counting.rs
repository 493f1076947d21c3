//! Which packets say something about the present rate.

use std::time::Duration;

use crate::feedback::{Feedback, Space};
use crate::units::Time;

/// After a decrease only what is sent at the new rate counts. DEVIATION: the paper counts all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counting {
    /// When the rate was last lowered.
    since: Option<Time>,
    /// Whether nothing has come back yet that was sent after it.
    waits: bool,
}

impl Counting {
    /// Only what is sent from now on counts.
    pub fn begin(&mut self, now: Time) {
        *self = Self {
            since: Some(now),
            waits: true,
        };
    }

    /// Whether nothing that counts has come back yet.
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// Whether the first packet comes back that was sent since. The epoch that waited for it is over then, and the next one
    /// has samples of its whole length.
    pub fn ends_with(&self, feedback: &Feedback<'_>) -> bool {
        let shows = |since| feedback.acked.iter().any(|packet| packet.sent > since);
        self.waits && feedback.space == Space::Application && self.since.is_some_and(shows)
    }

    /// From now on what comes back counts.
    pub fn end(&mut self) {
        self.waits = false;
    }

    /// The time from which on packets count that were sent.
    pub fn from(&self) -> Time {
        let after = |since: Time| since + Duration::from_nanos(1);
        self.since.map_or(Time::default(), after)
    }
}
