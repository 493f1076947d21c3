//! What had been sent when: totals at the departure of every packet that may still come back.

use std::collections::VecDeque;

use crate::units::{Bytes, Rate, Time};

/// Totals after a departure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Departure {
    /// When the packet left.
    pub at: Time,
    /// Ack-eliciting bytes sent until then, this packet included, in all packet number spaces.
    pub bytes: Bytes,
    /// Ack-eliciting packets, likewise.
    pub packets: u64,
    /// The rate that pacing allowed when it left.
    pub allowed: Rate,
}

/// The departures of ack-eliciting packets. Holds what is in flight: whoever keeps one forgets what
/// has come back.
#[derive(Debug, Clone)]
pub struct SentLog {
    /// The latest that was forgotten.
    before: Departure,
    log: VecDeque<Departure>,
}

impl Default for SentLog {
    fn default() -> Self {
        let before = Departure {
            at: Time::default(),
            bytes: Bytes(0),
            packets: 0,
            allowed: Rate::default(),
        };
        Self {
            before,
            log: VecDeque::new(),
        }
    }
}

impl SentLog {
    /// A packet of `size` has left; zero if it is not ack-eliciting, which leaves no trace.
    pub fn record(&mut self, now: Time, size: Bytes, allowed: Rate) {
        if size > Bytes(0) {
            let last = self.last();
            self.log.push_back(Departure {
                at: now.max(last.at),
                bytes: last.bytes + size,
                packets: last.packets + 1,
                allowed,
            });
        }
    }

    /// The latest departure; of nothing, before the first.
    pub fn last(&self) -> Departure {
        self.log.back().copied().unwrap_or(self.before)
    }

    /// The latest departure at or before `time`; of what was forgotten, the latest.
    pub fn at(&self, time: Time) -> Departure {
        let later = self.log.partition_point(|departure| departure.at <= time);
        later
            .checked_sub(1)
            .map_or(self.before, |place| self.log[place])
    }

    /// Forgets all departures before the one that [`at`](Self::at) gives for `time`, which it
    /// returns.
    pub fn forget_before(&mut self, time: Time) -> Departure {
        let later = self.log.partition_point(|departure| departure.at <= time);
        if let Some(latest) = self.log.drain(..later).next_back() {
            self.before = latest;
        }
        self.before
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_origin(Duration::from_millis(millis))
    }

    fn log() -> SentLog {
        let mut log = SentLog::default();
        for (millis, size) in [(10, 100), (20, 0), (20, 200), (20, 300), (40, 400)] {
            log.record(at(millis), Bytes(size), Rate::from_bps(1.0));
        }
        log
    }

    #[test]
    fn totals_count_everything_sent_until_then() {
        let log = log();
        for (millis, bytes, packets) in [
            (9, 0, 0),
            (10, 100, 1),
            (19, 100, 1),
            (20, 600, 3),
            (99, 1000, 4),
        ] {
            let got = log.at(at(millis));
            assert_eq!(
                (got.bytes, got.packets),
                (Bytes(bytes), packets),
                "{millis} ms"
            );
        }
    }

    #[test]
    fn forgetting_changes_no_total_that_is_still_asked_for() {
        let mut log = log();
        log.forget_before(at(30));
        assert_eq!(log.log.len(), 1);
        assert_eq!(log.at(at(30)).bytes, Bytes(600));
        assert_eq!(log.at(at(40)).bytes, Bytes(1000));
        log.forget_before(at(50));
        log.record(at(60), Bytes(1), Rate::INFINITE);
        assert_eq!(log.last().bytes, Bytes(1001));
    }
}
