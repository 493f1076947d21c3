//! The spans of an epoch: equal ones, as near to 10 ms as they come.

use std::time::Duration;

use crate::units::{nanos, Time};

/// About how long a span is. A flow that takes minima over longer times sees less of the queue that
/// it shares, and takes more of the path.
const SPAN: Duration = Duration::from_millis(10);

/// How an epoch is cut into spans, and where in it the latest feedback came.
#[derive(Debug, Clone, Copy)]
pub struct Spans {
    start: Time,
    /// When the epoch is as long as L.
    over: Time,
    length: Time,
    width: u64,
    last: u64,
    /// The span of the latest feedback, and when the next one begins: every ACK compares its time
    /// with that, and divides by no width.
    span: u64,
    next: Time,
}

impl Spans {
    /// Those of an epoch of `length` that begins with the origin of time.
    pub fn of(length: Duration) -> Self {
        let spans = ((nanos(length) + nanos(SPAN) / 2) / nanos(SPAN)).max(1);
        let length = Time::from_origin(length);
        Self {
            start: Time::default(),
            over: length,
            length,
            width: (length.as_nanos() / spans).max(1),
            last: spans - 1,
            span: 0,
            next: Time::default(),
        }
    }

    /// L, as a time from the origin.
    pub fn length(&self) -> Time {
        self.length
    }

    /// The epoch under way is to be as long as this.
    pub fn cut(&mut self, length: Duration) {
        let Self { start, span, .. } = *self;
        *self = Self::of(length);
        self.begin(start);
        self.span = span;
    }

    /// An epoch begins.
    pub fn begin(&mut self, start: Time) {
        (self.start, self.span, self.next) = (start, 0, Time::default());
        self.over = self.after(self.length.as_nanos());
    }

    /// Whether a feedback comes in another span than the one before.
    #[inline]
    pub fn change(&mut self, now: Time) -> bool {
        now >= self.next && self.begin_span(now)
    }

    #[cold]
    fn begin_span(&mut self, now: Time) -> bool {
        let span = self.span_at(now);
        self.next = match span < self.last {
            true => self.after((span + 1) * self.width),
            false => Time::LAST,
        };
        span != std::mem::replace(&mut self.span, span)
    }

    fn after(&self, nanos: u64) -> Time {
        self.start + Duration::from_nanos(nanos)
    }

    fn span_at(&self, now: Time) -> u64 {
        let at = now.counted_from(self.start);
        (at.as_nanos() / self.width).min(self.last)
    }

    /// By how much something lasted longer than the epoch.
    pub fn exceeded_by(&self, lasted: Time) -> Time {
        lasted.counted_from(self.length)
    }

    /// Whether the last of them is over.
    pub fn are_over(&self, now: Time) -> bool {
        now >= self.over
    }

    /// Whether they are those of an epoch of this length.
    pub fn fit(&self, length: Duration) -> bool {
        self.length == Time::from_origin(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

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
            let found = Spans::of(length * MILLI).span_at(Time::from_origin(at * MILLI));
            assert_eq!(found, span, "{at} of {length} ms");
        }
        let nothing = Spans::of(Duration::ZERO);
        assert_eq!(nothing.span_at(Time::from_origin(Duration::MAX)), 0);
    }

    #[test]
    fn feedback_is_told_when_it_comes_in_another_span() {
        let at = |millis: u32| Time::from_origin(millis * MILLI);
        let mut spans = Spans::of(40 * MILLI);
        spans.begin(at(1_000));
        for (now, changes) in [
            (1_000, false),
            (1_009, false),
            (1_010, true),
            (1_035, true),
            (1_050, false),
        ] {
            assert_eq!(spans.change(at(now)), changes, "{now}");
        }
        assert!(spans.are_over(at(1_040)) && !spans.are_over(at(1_039)));
        // As long as two spans, of which the first was under way: what comes is in the second.
        spans.begin(at(2_000));
        assert!(!spans.change(at(2_005)));
        spans.cut(20 * MILLI);
        assert!(spans.change(at(2_012)) && !spans.change(at(2_039)));
        assert!(spans.are_over(at(2_020)));
    }
}
