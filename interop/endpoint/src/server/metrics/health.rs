//! Whether the server serves.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Between two signs of life.
const BEAT: Duration = Duration::from_secs(1);

/// A loop that has given no sign of life for so long stands.
const SILENCE: Duration = Duration::from_secs(10);

/// The last signs of life of all workers; clones share them.
#[derive(Clone, Debug)]
pub struct Pulses(Arc<[Health]>);

impl Pulses {
    /// Of so many workers.
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| Health::default()).collect())
    }

    /// When a worker has to show that its loop still turns.
    pub fn due(&self, worker: usize) -> Instant {
        self.0[worker].due()
    }

    /// Gives a sign, if one is due or the worker drains since the last one. Returns whether it was.
    pub fn beat(&self, worker: usize, now: Instant, draining: bool) -> bool {
        self.0[worker].beat(now, draining)
    }

    /// The worker has ended as it should.
    pub fn end(&self, worker: usize) {
        self.0[worker].over.store(true, Ordering::Relaxed);
    }

    /// Whether no worker stands.
    pub fn all_live(&self, now: Instant) -> bool {
        self.verdict(now) != Verdict::Stalled
    }

    /// What the worst of them is.
    pub fn verdict(&self, now: Instant) -> Verdict {
        let verdicts = self.0.iter().map(|health| health.verdict(now));
        verdicts.max().unwrap_or(Verdict::Serving)
    }
}

/// A loop's last sign of life.
#[derive(Debug)]
struct Health {
    start: Instant,
    /// Milliseconds from `start`.
    beat: AtomicU64,
    draining: AtomicBool,
    over: AtomicBool,
}

/// What is told of it, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
            over: AtomicBool::new(false),
        }
    }
}

impl Health {
    /// When the next sign is due.
    fn due(&self) -> Instant {
        self.last() + BEAT
    }

    /// Gives a sign, if one is due or the server drains since the last one. Returns whether it was.
    fn beat(&self, now: Instant, draining: bool) -> bool {
        let changed = self.draining.swap(draining, Ordering::Relaxed) != draining;
        let due = now >= self.due();
        if due {
            let passed = now.duration_since(self.start).as_millis();
            let passed = u64::try_from(passed).unwrap_or(u64::MAX);
            self.beat.store(passed, Ordering::Relaxed);
        }
        due || changed
    }

    /// Whether it serves, as far as its signs tell.
    fn verdict(&self, now: Instant) -> Verdict {
        if self.over.load(Ordering::Relaxed) {
            return Verdict::Draining;
        }
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
    fn of_several_the_worst_counts_but_not_one_that_has_ended() {
        let pulses = Pulses::new(2);
        let silent = pulses.0[1].start + SILENCE;
        pulses.beat(0, silent, false);
        assert_eq!(pulses.verdict(silent), Verdict::Stalled);
        pulses.beat(1, silent, true);
        assert_eq!(pulses.verdict(silent), Verdict::Draining);
        pulses.end(1);
        pulses.beat(0, silent + SILENCE, false);
        assert_eq!(pulses.verdict(silent + SILENCE), Verdict::Draining);
    }

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
