//! Round trips: what is known of the effect of something done to the sending rate or window.

use crate::units::Time;

/// A round trip that began when something was done. It is over when a packet that was sent after
/// that comes back: only then does feedback show what the deed has led to. So reacting at most once
/// per round trip is to react only to packets that [`show`](Self::shows) it (RFC 9002, section
/// 7.3.2: packets sent before the recovery period began do not start another), and updating once
/// per round trip is to update when one does.
#[derive(Debug, Clone, Copy, Default)]
pub struct Round {
    began: Option<Time>,
}

impl Round {
    /// A round trip begins.
    pub fn begin(&mut self, now: Time) {
        self.began = Some(now);
    }

    /// Nothing was done that could still have no effect.
    pub fn clear(&mut self) {
        self.began = None;
    }

    /// Whether a packet sent at `sent` was sent after the round trip began, or none has begun.
    pub fn shows(&self, sent: Time) -> bool {
        self.began.is_none_or(|began| sent > began)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_what_was_sent_later_shows_the_effect() {
        let at = |millis| Time::from_origin(Duration::from_millis(millis));
        let mut round = Round::default();
        assert!(round.shows(at(0)));
        round.begin(at(100));
        assert!(!round.shows(at(99)));
        assert!(!round.shows(at(100)));
        assert!(round.shows(at(101)));
        round.clear();
        assert!(round.shows(at(99)));
    }
}
