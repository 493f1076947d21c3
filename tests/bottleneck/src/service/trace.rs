//! Recorded delivery opportunities, in mahimahi's format.

use std::path::Path;
use std::sync::Arc;

use super::Service;
use crate::{Rate, Time};

/// What one opportunity delivers: an IP packet of this many bytes (mahimahi counts 1504 and 4 of them for the
/// header of its virtual device).
const OPPORTUNITY: u32 = 1500;
const NANOS_PER_MS: u64 = 1_000_000;
/// Eleven days: a number beyond it is no recording but a mistake.
const MAX_MS: u64 = 1_000_000_000;

/// A recording of a link (mahimahi, `mm-link`): each line is the time in whole milliseconds since the start at which
/// 1500 bytes could be delivered. Times never fall; several lines may be equal. The recording repeats: the last time
/// is its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Nanoseconds since the start of each round.
    opportunities: Arc<[u64]>,
}

/// A recording that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read.
    #[error("cannot read the trace {path}: {error}")]
    Unreadable {
        /// Which file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A line is wrong.
    #[error("trace {path}, line {line}: `{text}` {wrong}")]
    Line {
        /// Which file.
        path: String,
        /// Which line, from 1.
        line: usize,
        /// What it says.
        text: String,
        /// What is wrong with it, and what is allowed.
        wrong: &'static str,
    },
    /// The recording has no length.
    #[error("trace {path}: no delivery opportunity after 0 ms; allowed: one time in milliseconds per line, \
        the last of them above 0")]
    Empty {
        /// Which file.
        path: String,
    },
}

impl Trace {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or a line is wrong: it is named.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text, &name),
            Err(error) => Err(TraceError::Unreadable { path: name, error }),
        }
    }

    /// Reads a recording that errors call `path`.
    ///
    /// # Errors
    /// A line is wrong, or there is none.
    pub fn parse(text: &str, path: &str) -> Result<Self, TraceError> {
        let mut opportunities: Vec<u64> = Vec::new();
        for (number, text) in text.lines().enumerate() {
            let wrong = |wrong| TraceError::Line {
                path: path.to_owned(),
                line: number + 1,
                text: text.to_owned(),
                wrong,
            };
            let millis = match text.trim().parse() {
                Ok(millis @ 0..=MAX_MS) => millis,
                _ => {
                    return Err(wrong(
                        "is no time; allowed: 0 to 1000000000, whole milliseconds",
                    ))
                }
            };
            let nanos = millis * NANOS_PER_MS;
            if opportunities.last().is_some_and(|&before| nanos < before) {
                return Err(wrong(
                    "is before the line above; allowed: times that never fall",
                ));
            }
            opportunities.push(nanos);
        }
        match opportunities.last() {
            Some(1..) => Ok(Self {
                opportunities: opportunities.into(),
            }),
            _ => Err(TraceError::Empty {
                path: path.to_owned(),
            }),
        }
    }

    /// The length of one round, nanoseconds.
    fn period(&self) -> u64 {
        self.opportunities[self.opportunities.len() - 1]
    }

    /// Mean rate over one round.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.opportunities.len() as u128 * u128::from(OPPORTUNITY) * 8;
        let rate = bits * 1_000_000_000 / u128::from(self.period());
        let highest = Rate::MAX;
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        Rate::from_bits_per_sec(rate.clamp(1, highest.bits_per_sec())).unwrap_or(highest)
    }

    /// Bytes that all opportunities after the start until `time`, included, deliver.
    pub fn bytes_until(&self, time: Time) -> u64 {
        let (round, place) = self.after(time);
        let at_start = self.after(Time::ZERO).1;
        let count = round * self.opportunities.len() as u64 + place as u64 - at_start as u64;
        count * u64::from(OPPORTUNITY)
    }

    /// The first opportunity after `time`: in which round, and its place there.
    fn after(&self, time: Time) -> (u64, usize) {
        let (round, offset) = (
            time.as_nanos() / self.period(),
            time.as_nanos() % self.period(),
        );
        // Never past the end: the last opportunity is at the period, above the offset.
        (
            round,
            self.opportunities.partition_point(|&at| at <= offset),
        )
    }
}

/// Serves at the opportunities of a [`Trace`], as mahimahi does: a packet leaves at the opportunity that
/// delivers its last byte; what an opportunity has left goes to the packets that wait behind, and is lost if
/// none does.
#[derive(Debug, Clone)]
pub struct TraceService {
    trace: Trace,
    mean: Rate,
    /// The next opportunity.
    round: u64,
    place: usize,
    /// When the latest opportunity was, and what is left of it.
    at: Time,
    left: u32,
}

impl TraceService {
    /// A service that follows `trace` from its beginning.
    pub fn new(trace: Trace) -> Self {
        let (round, place) = trace.after(Time::ZERO);
        Self {
            mean: trace.mean_rate(),
            trace,
            round,
            place,
            at: Time::ZERO,
            left: 0,
        }
    }

    fn take_next(&mut self) {
        let start = self.round.saturating_mul(self.trace.period());
        self.at = Time::from_nanos(start.saturating_add(self.trace.opportunities[self.place]));
        self.left = OPPORTUNITY;
        self.place += 1;
        if self.place == self.trace.opportunities.len() {
            (self.round, self.place) = (self.round + 1, 0);
        }
    }
}

impl Service for TraceService {
    fn finish(&mut self, start: Time, size: u32) -> Time {
        if start > self.at {
            (self.round, self.place) = self.trace.after(start);
            self.at = start;
            self.left = 0;
        }
        let mut need = size;
        while need > self.left {
            need -= self.left;
            self.take_next();
        }
        self.left -= need;
        self.at
    }

    fn rate(&self, _at: Time) -> Option<Rate> {
        Some(self.mean)
    }

    fn capacity(&self, from: Time, until: Time) -> Option<u64> {
        let bytes = |time| self.trace.bytes_until(time);
        Some(bytes(until).saturating_sub(bytes(from)))
    }
}
