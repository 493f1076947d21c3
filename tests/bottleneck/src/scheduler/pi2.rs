//! The proportional integral controller of DualPI2.

use std::time::Duration;

use super::SubQueue;
use crate::Time;

/// Adapts the base probability p' every `tupdate` to how far the queueing delay is from the target and how it changes (RFC 9332
/// appendix A.1, `dualpi2_update`). Both queues' probabilities come from it, so that a Scalable flow and a Classic one
/// reach about the same rate (section 2.1).
#[derive(Debug, Clone)]
pub(super) struct Pi2 {
    target: f64,
    /// Integral and proportional gain, Hz.
    alpha: f64,
    beta: f64,
    tupdate: Duration,
    next_update: Time,
    delay_before: f64,
    base: f64,
}

impl Pi2 {
    /// Gains and interval follow from the target and the worst round trip to expect (appendix A.1, `dualpi2_params_init`).
    pub(super) fn new(target: Duration, rtt_max: Duration) -> Self {
        let tupdate = target.min(rtt_max / 3).max(Duration::from_nanos(1));
        let worst = rtt_max.as_secs_f64();
        Self {
            target: target.as_secs_f64(),
            alpha: 0.1 * tupdate.as_secs_f64() / (worst * worst),
            beta: 0.3 / worst,
            tupdate,
            next_update: Time::ZERO + tupdate,
            delay_before: 0.0,
            base: 0.0,
        }
    }

    /// p', 0 to 1.
    pub(super) fn base(&self) -> f64 {
        self.base
    }

    /// Makes up for the updates until `now`, since when the queues have been as they are. The delay is that of the packet that has waited
    /// longest: Classic's alone would not see an overload of L4S (appendix A.2).
    pub(super) fn catch_up(&mut self, now: Time, queues: &[SubQueue]) {
        let head = queues.iter().filter_map(|queue| queue.head).min();
        while self.next_update <= now {
            let at = self.next_update;
            let Some(head) = head else {
                if self.delay_before == 0.0 {
                    return self.rest(now);
                }
                self.update(0.0);
                self.next_update = at + self.tupdate;
                continue;
            };
            self.update(at.since(head).as_secs_f64());
            self.next_update = at + self.tupdate;
        }
    }

    fn update(&mut self, delay: f64) {
        let step = self.alpha * (delay - self.target) + self.beta * (delay - self.delay_before);
        self.base = (self.base + step).clamp(0.0, 1.0);
        self.delay_before = delay;
    }

    /// The updates of a pause at once: each of them takes the same off.
    fn rest(&mut self, now: Time) {
        let (tupdate, left) = (
            self.tupdate.as_nanos(),
            now.since(self.next_update).as_nanos(),
        );
        let updates = left / tupdate + 1;
        self.base = (self.base - updates as f64 * self.alpha * self.target).max(0.0);
        let span = u64::try_from(updates * tupdate).unwrap_or(u64::MAX);
        self.next_update = self.next_update + Duration::from_nanos(span);
    }
}
