//! A link that stops in long waits.

use super::Service;
use crate::long_waits::{LongWaits, Spans};
use crate::{Rate, Stream, Time};

/// A service that sends nothing in the long waits of its station: a packet that one interrupts goes on at its end, and all that
/// wait behind it wait as well.
pub(crate) struct Stopping {
    inner: Box<dyn Service>,
    waits: LongWaits,
    /// As they were at the start: what could have been sent is asked for any time, also for one that is over.
    from_start: LongWaits,
}

impl Stopping {
    pub(crate) fn new(inner: Box<dyn Service>, spans: Spans, rng: Stream) -> Self {
        let waits = LongWaits::new(spans, rng);
        Self {
            inner,
            from_start: waits.clone(),
            waits,
        }
    }
}

impl Service for Stopping {
    fn finish(&mut self, start: Time, size: u32) -> Time {
        let mut now = self.waits.over(start);
        let mut finish = self.inner.finish(now, size);
        loop {
            let (begin, end) = self.waits.first_after(now);
            if begin >= finish {
                return finish;
            }
            finish = finish + end.since(begin);
            now = end;
        }
    }

    fn rate(&self, at: Time) -> Option<Rate> {
        self.inner.rate(at)
    }

    fn capacity(&self, from: Time, until: Time) -> Option<u64> {
        let mut waits = self.from_start.clone();
        let (mut bytes, mut now) = (0, from);
        loop {
            let (start, end) = waits.first_after(now);
            let stop = start.clamp(now, until.max(now));
            bytes += self.inner.capacity(now, stop)?;
            if end >= until {
                return Some(bytes);
            }
            now = end;
        }
    }
}
