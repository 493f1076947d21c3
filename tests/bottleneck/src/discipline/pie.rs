//! PIE.

use std::time::Duration;

use super::{Discipline, QueueView, Verdict};
use crate::random::uniform;
use crate::{Ecn, Stream, Time};

/// RFC 8033 section 4.2: gains of the controller, per second.
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// Section 5.1: above this probability even ECN-capable packets are dropped.
const MARK_BELOW: f64 = 0.1;
/// Section 4.1: two packets of this size in the queue are no reason to drop.
const MEAN_PACKET: u64 = 1500;
/// Section 5.4, derandomisation: no drop before the probabilities sum up to the first, one for sure
/// at the second.
const ACCUMULATED: (f64, f64) = (0.85, 8.5);

/// Proportional integral controller enhanced (RFC 8033): drops arriving packets with a probability that it
/// adapts every `update`, from how far the queueing delay is from `target` and whether it grows; a `burst` after
/// a quiet time passes.
///
/// ECN-capable packets, ECT(0) and ECT(1) alike, are marked instead while the probability is below 10 %
/// (section 5.1). The delay is that of the packet that last left the queue (section 4.3 allows to measure it by
/// time stamps), so that it is right at any rate. Without: turning itself off when the queue is below a third
/// of the buffer (section 5.3, optional), drops in proportion to packet size (section 4.1, "byte mode").
#[derive(Debug, Clone)]
pub struct Pie {
    target: Duration,
    update: Duration,
    burst: Duration,
    next_update: Time,
    delay: Duration,
    delay_before: Duration,
    probability: f64,
    accumulated: f64,
    burst_left: Duration,
}

impl Pie {
    /// RFC 8033 section 4 recommends 15 ms for `target` and `update`, and 150 ms for `burst`.
    pub fn new(target: Duration, update: Duration, burst: Duration) -> Self {
        Self {
            target,
            update,
            burst,
            next_update: Time::ZERO + update,
            delay: Duration::ZERO,
            delay_before: Duration::ZERO,
            probability: 0.0,
            accumulated: 0.0,
            burst_left: burst,
        }
    }

    /// Makes up for the updates until `now`. With nothing to do in between the state soon stops to change, so
    /// that a long pause costs no more than a short one.
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            let at_rest = self.is_quiet() && self.delay == self.delay_before;
            if at_rest && self.probability == 0.0 && self.burst_left == self.burst {
                let periods = now.since(self.next_update).as_nanos() / self.update.as_nanos() + 1;
                let skipped = periods * self.update.as_nanos();
                self.next_update = self.next_update
                    + Duration::from_nanos(u64::try_from(skipped).unwrap_or(u64::MAX));
                return;
            }
            self.adapt();
            self.next_update = self.next_update + self.update;
        }
    }

    /// Section 4.2, `calculate_drop_prob`, with the cap of section 5.5 and the decay for an idle queue.
    fn adapt(&mut self) {
        let seconds = |span: Duration| span.as_secs_f64();
        let delay = seconds(self.delay);
        let error = delay - seconds(self.target);
        let growth = delay - seconds(self.delay_before);
        let mut step = (ALPHA * error + BETA * growth) * self.caution();
        if self.probability >= 0.1 {
            step = step.min(0.02);
        }
        self.probability += step;
        if self.delay.is_zero() && self.delay_before.is_zero() {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_left = self.burst_left.saturating_sub(self.update);
        if self.probability == 0.0 && self.is_quiet() {
            self.burst_left = self.burst;
        }
        self.delay_before = self.delay;
    }

    /// Section 4.4, burst tolerance: no drops, and the delay is below half the target.
    fn is_quiet(&self) -> bool {
        self.delay < self.target / 2 && self.delay_before < self.target / 2
    }

    /// Section 4.2, auto-tuning: small steps while the probability is small.
    fn caution(&self) -> f64 {
        match self.probability {
            p if p < 0.000_001 => 1.0 / 2048.0,
            p if p < 0.000_01 => 1.0 / 512.0,
            p if p < 0.000_1 => 1.0 / 128.0,
            p if p < 0.001 => 1.0 / 32.0,
            p if p < 0.01 => 1.0 / 8.0,
            p if p < 0.1 => 1.0 / 2.0,
            _ => 1.0,
        }
    }

    /// Section 4.1, `drop_early`, with section 5.4.
    fn strikes(&mut self, queue: &QueueView, rng: &mut Stream) -> bool {
        if self.burst_left > Duration::ZERO
            || self.delay_before < self.target / 2 && self.probability < 0.2
            || queue.bytes <= 2 * MEAN_PACKET
        {
            return false;
        }
        self.accumulated = match self.probability {
            0.0 => 0.0,
            p => self.accumulated + p,
        };
        let strikes = self.accumulated >= ACCUMULATED.0
            && (self.accumulated >= ACCUMULATED.1 || uniform(rng) < self.probability);
        if strikes {
            self.accumulated = 0.0;
        }
        strikes
    }
}

impl Discipline for Pie {
    fn on_arrival(&mut self, queue: &QueueView, _: u32, _: Ecn, rng: &mut Stream) -> Verdict {
        self.catch_up(queue.now);
        match self.strikes(queue, rng) {
            false => Verdict::Pass,
            true if self.probability < MARK_BELOW => Verdict::Mark,
            true => Verdict::Drop,
        }
    }

    fn on_departure(
        &mut self,
        queue: &QueueView,
        _size: u32,
        _ecn: Ecn,
        waited: Duration,
        _rng: &mut Stream,
    ) -> Verdict {
        self.catch_up(queue.now);
        self.delay = match queue.bytes {
            0 => Duration::ZERO,
            _ => waited,
        };
        Verdict::Pass
    }
}
