//! CoDel.

use std::time::Duration;

use super::{Discipline, QueueView, Verdict};
use crate::{Ecn, Stream, Time};

/// Controlled delay (RFC 8289): once the time packets wait has stayed above `target` for an `interval`, drops at the
/// head, at first one per interval, then ever more often: the n-th comes interval / sqrt(n) after the one before.
///
/// ECN-capable packets, ECT(0) and ECT(1) alike, are marked instead, as RFC 3168 allows where a queue would drop.
#[derive(Debug, Clone)]
pub struct CoDel {
    target: Duration,
    interval: Duration,
    /// The largest packet seen: with less than that behind it, a packet shows no standing queue.
    max_packet: u32,
    /// When the delay will have been above the target for an interval, if it is above it now.
    above_until: Option<Time>,
    dropping: bool,
    drop_next: Time,
    count: u32,
    /// `count` when it last began to drop.
    last_count: u32,
}

impl CoDel {
    /// Recommended are a target of 5 ms and an interval of 100 ms, which is not zero (RFC 8289 section 5.3).
    pub fn new(target: Duration, interval: Duration) -> Self {
        Self {
            target,
            interval,
            max_packet: 0,
            above_until: None,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// Section 5.6, the test in `dodequeue`: whether the delay has been above the target for an interval.
    fn stands(&mut self, queue: &QueueView, waited: Duration) -> bool {
        if waited < self.target || queue.bytes <= u64::from(self.max_packet) {
            self.above_until = None;
            return false;
        }
        let until = *self.above_until.get_or_insert(queue.now + self.interval);
        queue.now >= until
    }

    /// Section 5.6, `control_law`.
    fn next_after(&self, time: Time) -> Time {
        time + self.interval.div_f64(f64::from(self.count).sqrt())
    }

    /// Section 5.5: begins to drop at the rate at which it left off, if that was not long ago.
    fn begin(&mut self, now: Time) {
        let delta = self.count - self.last_count;
        let recently = now.since(self.drop_next) < 16 * self.interval;
        self.count = if delta > 1 && recently { delta } else { 1 };
        self.last_count = self.count;
        self.dropping = true;
        self.drop_next = self.next_after(now);
    }
}

impl Discipline for CoDel {
    fn on_arrival(&mut self, _: &QueueView, size: u32, _: Ecn, _: &mut Stream) -> Verdict {
        self.max_packet = self.max_packet.max(size);
        Verdict::Pass
    }

    /// The RFC's `dequeue`, one packet per call: after a drop the link asks again at the same instant.
    fn on_departure(
        &mut self,
        queue: &QueueView,
        _size: u32,
        _ecn: Ecn,
        waited: Duration,
        _rng: &mut Stream,
    ) -> Verdict {
        let stands = self.stands(queue, waited);
        match (self.dropping, stands) {
            (_, false) => {
                self.dropping = false;
                Verdict::Pass
            }
            (true, true) if queue.now < self.drop_next => Verdict::Pass,
            (true, true) => {
                self.count += 1;
                self.drop_next = self.next_after(self.drop_next);
                Verdict::Mark
            }
            (false, true) => {
                self.begin(queue.now);
                Verdict::Mark
            }
        }
    }
}
