//! The delay under the jitter: what packets meet even when nothing holds them up for a moment.
//!
//! A queue delays all packets of some ten milliseconds alike. Jitter, batches and the wait for a shared medium delay some of
//! them, for shorter. So the smallest delay of such a span is that of the queue, and the mean of these minima follows a
//! queue that comes and goes in longer times, as those of other flows do, which the minimum of a long epoch would not show.

use std::time::Duration;

use super::jitter::Jitter;
use crate::units::{nanos, Owd, Time};

/// Packets of about this time have their minimum taken. A flow that takes minima over longer times sees less of the queue that it
/// shares, and takes more of the path.
const SPAN: Duration = Duration::from_millis(10);

/// Minima of the spans of one epoch, and their jitter over all of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Floor {
    /// Of spans that are over.
    sum: Owd,
    spans: u32,
    /// The span under way and its minimum.
    current: Least,
    /// The span and the delay of the latest feedback. If that ends the epoch, it is the first of the next one.
    newest: Least,
    jitter: Jitter,
}

/// The smallest delay in a span. Smaller than an option, as this is written at every ACK.
#[derive(Debug, Clone, Copy)]
struct Least {
    span: u64,
    delay: Owd,
}

impl Least {
    /// No epoch has so many spans.
    fn is_none(self) -> bool {
        self.span == u64::MAX
    }
}

impl Default for Least {
    fn default() -> Self {
        Self {
            span: u64::MAX,
            delay: Owd::ZERO,
        }
    }
}

/// How an epoch is cut into spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spans {
    length: Time,
    width: u64,
    last: u64,
}

impl Spans {
    /// Those of an epoch of `length`: equal ones, as near to 10 ms as they come.
    pub fn of(length: Duration) -> Self {
        let spans = ((nanos(length) + nanos(SPAN) / 2) / nanos(SPAN)).max(1);
        Self {
            length: Time::from_origin(length),
            width: (nanos(length) / spans).max(1),
            last: spans - 1,
        }
    }

    /// The span of what comes `at` this time of the epoch.
    pub fn span(&self, at: Time) -> u64 {
        (at.as_nanos() / self.width).min(self.last)
    }

    /// By how much something lasted longer than the epoch.
    pub fn exceeded_by(&self, lasted: Time) -> Time {
        lasted.counted_from(self.length)
    }

    /// Whether the last of them is over `at` this time of the epoch.
    pub fn are_over(&self, at: Time) -> bool {
        at >= self.length
    }
}

impl Floor {
    /// What comes is of another feedback.
    #[inline]
    pub fn begin_feedback(&mut self) {
        if self.newest.is_none() {
            return;
        }
        if self.newest.span == self.current.span {
            self.current.delay = self.newest.delay.min(self.current.delay);
        } else {
            self.close();
            self.current = self.newest;
        }
        self.newest = Least::default();
    }

    /// The smallest delay of the latest feedback, in `span`; spans come in their order.
    #[inline]
    pub fn add(&mut self, delay: Owd, span: u64) {
        self.newest = Least { span, delay };
    }

    /// The span under way is over. Apart, so that what adds delays stays short.
    #[inline(never)]
    pub fn close(&mut self) {
        let Least { delay, .. } = self.current;
        if !std::mem::take(&mut self.current).is_none() {
            self.sum = self.sum + delay;
            self.spans += 1;
            self.jitter.add(delay);
        }
    }

    /// Another epoch begins with the latest feedback.
    pub fn next_epoch(&mut self) {
        self.close();
        (self.sum, self.spans) = (Owd::ZERO, 0);
        if !self.newest.is_none() {
            self.newest.span = 0;
        }
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
        self.close();
        let nanos = self.sum.as_nanos().checked_div(i64::from(self.spans))?;
        Some(Owd::from_nanos(nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    fn floor(length: u32, delays_ms: &[(u32, i64)]) -> Option<f64> {
        let mut floor = Floor::default();
        for (at, delay) in delays_ms {
            let span = Spans::of(length * MILLI).span(Time::from_origin(*at * MILLI));
            floor.begin_feedback();
            floor.add(Owd::from_nanos(delay * 1_000_000), span);
        }
        floor.begin_feedback();
        floor.mean().map(Owd::as_millis)
    }

    #[test]
    fn an_epoch_is_cut_into_equal_spans_of_about_10_ms() {
        for (at, length, span) in [
            (0, 5, 0),
            (4, 5, 0),
            (13, 14, 0),
            (7, 16, 0),
            (8, 16, 1),
            (9, 40, 0),
            (10, 40, 1),
            (99, 40, 3),
            (41, 100, 4),
        ] {
            assert_eq!(
                Spans::of(length * MILLI).span(Time::from_origin(at * MILLI)),
                span,
                "{at} of {length} ms"
            );
        }
        assert_eq!(
            Spans::of(Duration::ZERO).span(Time::from_origin(Duration::MAX)),
            0
        );
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
        // A batch of ACKs, of which the first was held back for longest, ends one epoch and begins the other.
        let mut floor = Floor::default();
        let mut add = |delay: i64, ends: bool| {
            floor.begin_feedback();
            floor.add(Owd::from_nanos(delay * 1_000_000), if ends { 3 } else { 0 });
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
        assert_eq!(floor.mean(), None);
    }
}
