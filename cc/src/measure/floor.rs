//! The delay under the jitter: what packets meet even when nothing holds them up for a moment.
//!
//! A queue delays all packets of some ten milliseconds alike. Jitter, batches and the wait for a
//! shared medium delay some of them, for shorter. So the smallest delay of such a span is that of
//! the queue, and the mean of these minima follows a queue that comes and goes in longer times, as
//! those of other flows do, which the minimum of a long epoch would not show.

use std::time::Duration;

use super::jitter::Jitter;
use crate::units::Owd;

/// Minima of the [`spans`](super::spans) of one epoch, and their jitter over all of them.
///
/// Some delays are not yet those of the rate that was set last. The mean leaves them out. Jitter is
/// the path's, whatever is sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Floor {
    /// Of spans that are over.
    sum: Owd,
    spans: u32,
    /// The minimum of the span under way, and of the latest feedback. If that ends the epoch, it is
    /// the first of the next one.
    least: Least,
    newest: Least,
    /// The last delay of the latest feedback with any.
    last: Owd,
    jitter: Jitter,
}

/// The smallest of some delays, or longer than any if there are none: every ACK compares some,
/// which is cheaper than an option.
#[derive(Debug, Clone, Copy)]
struct Least(Owd);

impl Default for Least {
    fn default() -> Self {
        Self(Owd::LONGEST)
    }
}

impl Least {
    #[inline]
    fn take_in(&mut self, Least(delay): Least) {
        self.0 = self.0.min(delay);
    }

    fn get(self) -> Option<Owd> {
        (self.0 < Owd::LONGEST).then_some(self.0)
    }
}

impl Floor {
    /// What comes is of another feedback.
    #[inline]
    pub fn begin_feedback(&mut self) {
        self.least.take_in(std::mem::take(&mut self.newest));
    }

    /// A delay of the latest feedback.
    #[inline]
    pub fn add(&mut self, delay: Owd) {
        self.newest.take_in(Least(delay));
        self.last = delay;
    }

    /// The last delay of the latest feedback.
    pub fn last(&self) -> Option<Owd> {
        self.newest.get().map(|_| self.last)
    }

    /// The span is over that was under way before the latest feedback; it may be one that does not
    /// count. Apart, so that what adds delays stays short.
    #[inline(never)]
    pub fn close(&mut self, counts: bool) {
        if let Some(delay) = std::mem::take(&mut self.least).get() {
            if counts {
                self.sum = self.sum + delay;
                self.spans += 1;
            }
            self.jitter.add(delay);
        }
    }

    /// Another epoch begins with the latest feedback.
    pub fn next_epoch(&mut self) {
        self.close(false);
        (self.sum, self.spans) = (Owd::ZERO, 0);
    }

    /// The latest feedback says nothing.
    pub fn forget_newest(&mut self) {
        self.newest = Least::default();
    }

    /// The next span does not follow the last one.
    pub fn interrupt(&mut self) {
        self.jitter.interrupt();
    }

    /// The clock was set: what was seen of this epoch no longer counts.
    #[cold]
    pub fn restart_clock(&mut self) {
        self.newest = Least::default();
        self.next_epoch();
        self.interrupt();
    }

    /// What delays have above their minimum although there is no queue.
    pub fn jitter(&self) -> Duration {
        self.jitter.level()
    }

    /// The mean of the minima of the spans that had samples, without the latest feedback.
    pub fn mean(mut self) -> Option<Owd> {
        self.close(true);
        let nanos = self.sum.as_nanos().checked_div(i64::from(self.spans))?;
        Some(Owd::from_nanos(nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::spans::Spans;
    use crate::units::Time;

    const MILLI: Duration = Duration::from_millis(1);

    fn floor(length: u32, delays_ms: &[(u32, i64)]) -> Option<f64> {
        let (mut floor, mut spans) = (Floor::default(), Spans::of(length * MILLI));
        for (at, delay) in delays_ms {
            floor.begin_feedback();
            if spans.change(Time::from_origin(*at * MILLI)) {
                floor.close(true);
            }
            floor.add(Owd::from_nanos(delay * 1_000_000));
        }
        floor.begin_feedback();
        floor.mean().map(Owd::as_millis)
    }

    #[test]
    fn what_holds_packets_up_for_a_moment_does_not_count_and_a_queue_does() {
        assert_eq!(floor(40, &[]), None);
        assert_eq!(
            floor(20, &[(0, 9), (3, 0), (6, 50), (12, 1), (18, 70)]),
            Some(0.5)
        );
        assert_eq!(
            floor(20, &[(0, 30), (6, 35), (12, 32), (18, 37)]),
            Some(31.0)
        );
        // The queue of others, which is there half of the time of a long epoch.
        assert_eq!(floor(40, &[(0, 0), (10, 8), (20, 0), (30, 8)]), Some(4.0));
    }

    #[test]
    fn the_feedback_that_ends_an_epoch_is_the_first_of_the_next_one() {
        // A batch of ACKs, of which the first was held back for longest, ends one epoch and begins
        // the other.
        let mut floor = Floor::default();
        let mut add = |delay: i64, ends: bool| {
            floor.begin_feedback();
            floor.add(Owd::from_nanos(delay * 1_000_000));
            let mean = floor.mean().map(Owd::as_millis);
            if ends {
                floor.next_epoch();
            }
            mean
        };
        add(50, false);
        add(1, false);
        assert_eq!(add(50, true), Some(1.0));
        add(3, false);
        assert_eq!(add(50, true), Some(3.0));
        floor.forget_newest();
        floor.begin_feedback();
        assert_eq!(floor.mean(), None);
    }
}
