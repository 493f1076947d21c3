//! Points in time, in nanoseconds since the start of a run.

use std::ops::{Add, Sub};
use std::time::Duration;

/// A point in time: nanoseconds since the start of the run (584 years fit).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);

    /// The point `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    pub fn as_secs_f64(self) -> f64 {
        self.since(Self::ZERO).as_secs_f64()
    }

    /// The time from `earlier` to `self`; zero if `earlier` is in fact later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl From<Duration> for Time {
    /// The point this long after the start; saturates.
    fn from(since_start: Duration) -> Self {
        Self(nanos(since_start))
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    /// Saturates at the end of time.
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(nanos(span)))
    }
}

impl Sub<Duration> for Time {
    type Output = Self;

    /// Saturates at the start.
    fn sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(nanos(span)))
    }
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}
