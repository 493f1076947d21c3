//! Times in which a station does not get the medium.

use std::time::Duration;

use crate::random::{exponential, uniform_span};
use crate::{Stream, Time};

/// More long waits than this in a pause are not played through: what is left of the pause is forgotten, which a process
/// without memory does not notice.
const MOST_AT_ONCE: usize = 1 << 16;

/// How long the long waits last, and how often they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spans {
    pub shortest: Duration,
    pub longest: Duration,
    /// Mean time from the end of one to the begin of the next.
    pub every: Duration,
}

/// The long waits of a station, one after another. They are drawn from a stream of their own, so that they come at the same
/// times whatever is sent.
#[derive(Debug, Clone)]
pub(crate) struct LongWaits {
    spans: Spans,
    rng: Stream,
    /// Begin and end of the latest one.
    latest: (Time, Time),
}

impl LongWaits {
    pub(crate) fn new(spans: Spans, rng: Stream) -> Self {
        let mut waits = Self {
            spans,
            rng,
            latest: (Time::ZERO, Time::ZERO),
        };
        waits.draw(Time::ZERO);
        waits
    }

    fn draw(&mut self, after: Time) {
        let start = after + exponential(self.spans.every, &mut self.rng);
        let span = uniform_span(self.spans.shortest, self.spans.longest, &mut self.rng);
        self.latest = (start, start + span);
    }

    /// Begin and end of the first one that ends after `time`; times do not fall from call to call.
    pub(crate) fn first_after(&mut self, time: Time) -> (Time, Time) {
        for _ in 0..MOST_AT_ONCE {
            if self.latest.1 > time {
                return self.latest;
            }
            self.draw(self.latest.1);
        }
        self.draw(time);
        self.latest
    }

    /// `time`, or the end of the long wait that it falls into.
    pub(crate) fn over(&mut self, time: Time) -> Time {
        let (start, end) = self.first_after(time);
        if start <= time {
            end
        } else {
            time
        }
    }
}
