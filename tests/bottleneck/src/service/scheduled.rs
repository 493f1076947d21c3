//! A bit rate, constant or changing at known times.

use std::time::Duration;

use super::Service;
use crate::{Rate, Schedule, Time};

/// Nanoseconds per second: work is counted in bits times this, which a rate does off per nanosecond.
const NANOS_PER_SEC: u128 = 1_000_000_000;

/// A rate over time, exact over any number of packets and changes: a packet in service while the rate changes is
/// sent partly at the one and partly at the other.
///
/// Times are whole nanoseconds. Each packet's time is rounded up, and what was rounded up is taken off
/// the packet after it, so the link is never faster than its rate and never falls behind it.
#[derive(Debug, Clone)]
pub struct ScheduledRate {
    rates: Schedule<Rate>,
    /// The step that holds at `last_finish`.
    step: usize,
    last_finish: Time,
    /// Work that the time until `last_finish`, being rounded up, would have done beyond what was asked.
    ahead: u128,
}

/// A constant rate is a schedule of one.
pub type ConstantRate = ScheduledRate;

impl ScheduledRate {
    /// A service at these rates; a single [`Rate`] is one of them.
    pub fn new(rates: impl Into<Schedule<Rate>>) -> Self {
        Self {
            rates: rates.into(),
            step: 0,
            last_finish: Time::ZERO,
            ahead: 0,
        }
    }

    /// Bit nanoseconds per second from `from` until `until`.
    fn work(&self, from: Time, until: Time) -> u128 {
        let mut work = 0;
        for index in self.rates.index_at(from)..self.rates.steps().len() {
            let (begin, rate) = self.rates.steps()[index];
            let end = self.rates.end_of(index).min(until);
            work += end.since(begin.max(from)).as_nanos() * u128::from(rate.bits_per_sec());
        }
        work
    }
}

impl Service for ScheduledRate {
    fn finish(&mut self, start: Time, size: u32) -> Time {
        if start > self.last_finish {
            self.ahead = 0;
        }
        let mut work = u128::from(size) * 8 * NANOS_PER_SEC;
        let used = work.min(self.ahead);
        work -= used;
        self.ahead -= used;
        let mut now = start;
        loop {
            let rate = u128::from(self.rates.steps()[self.step].1.bits_per_sec());
            let end = self.rates.end_of(self.step);
            let nanos = work.div_ceil(rate);
            let left = end.since(now).as_nanos();
            // The last step has no end: what takes longer than time lasts ends with it.
            if nanos <= left || self.step + 1 == self.rates.steps().len() {
                self.ahead += nanos * rate - work;
                let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
                self.last_finish = now + Duration::from_nanos(nanos);
                return self.last_finish;
            }
            work = work.saturating_sub(left * rate);
            now = now.max(end);
            self.step += 1;
        }
    }

    fn rate(&self, at: Time) -> Option<Rate> {
        Some(self.rates.at(at))
    }

    fn capacity(&self, from: Time, until: Time) -> Option<u64> {
        let bytes = self.work(from, until) / (8 * NANOS_PER_SEC);
        Some(u64::try_from(bytes).unwrap_or(u64::MAX))
    }
}
