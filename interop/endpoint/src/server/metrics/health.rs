//! Whether the server serves.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Between two signs of life.
const BEAT: Duration = Duration::from_secs(1);

/// A loop that has given no sign of life for so long stands.
const SILENCE: Duration = Duration::from_secs(10);

/// The loop's last sign of life.
#[derive(Debug)]
pub struct Health {
    start: Instant,
    /// Milliseconds from `start`.
    beat: AtomicU64,
    draining: AtomicBool,
}

/// What is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Serving,
    Draining,
    Stalled,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            beat: AtomicU64::new(0),
            draining: AtomicBool::new(false),
        }
    }
}

impl Health {
    /// When the next sign is due.
    pub fn due(&self) -> Instant {
        self.last() + BEAT
    }

    /// Gives a sign, if one is due or the server drains since the last one. Returns whether it was.
    pub fn beat(&self, now: Instant, draining: bool) -> bool {
        let changed = self.draining.swap(draining, Ordering::Relaxed) != draining;
        let due = now >= self.due();
        if due {
            let passed = now.duration_since(self.start).as_millis();
            let passed = u64::try_from(passed).unwrap_or(u64::MAX);
            self.beat.store(passed, Ordering::Relaxed);
        }
        due || changed
    }

    /// Whether the server serves, as far as its signs tell.
    pub fn verdict(&self, now: Instant) -> Verdict {
        if now.saturating_duration_since(self.last()) >= SILENCE {
            return Verdict::Stalled;
        }
        match self.draining.load(Ordering::Relaxed) {
            false => Verdict::Serving,
            true => Verdict::Draining,
        }
    }

    fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.beat.load(Ordering::Relaxed))
    }
}

impl Verdict {
    /// The word in the answer.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serving => "serving",
            Self::Draining => "draining",
            Self::Stalled => "stalled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_gives_no_sign_stands_and_one_that_drains_says_so() {
        let health = Health::default();
        let start = health.start;
        assert_eq!(health.verdict(start), Verdict::Serving);
        assert!(!health.beat(start + BEAT / 2, false), "not due");
        assert!(health.beat(start + BEAT, false));
        assert_eq!(health.due(), start + 2 * BEAT);
        let silent = start + BEAT + SILENCE;
        assert_eq!(health.verdict(silent - BEAT), Verdict::Serving);
        assert_eq!(health.verdict(silent), Verdict::Stalled);
        assert!(health.beat(silent, true));
        assert_eq!(health.verdict(silent), Verdict::Draining);
    }
}
