//! The relay's time: nanoseconds since it started, and the kernel's receive timestamps on the same scale.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quiche_cc_bottleneck::Time;

/// Kernel receive timestamps that differ more than this from now are not believed: the wall clock was set.
const PLAUSIBLE: Duration = Duration::from_secs(10);

/// Monotonic time since the start of the relay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: Instant,
    start_unix: Duration,
}

/// Both clocks, read together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    /// Time since the start.
    pub now: Time,
    unix: Duration,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            start: Instant::now(),
            start_unix: unix_now(),
        }
    }

    /// The wall clock at the start, since the Unix epoch.
    pub(crate) fn start_unix(&self) -> Duration {
        self.start_unix
    }

    pub(crate) fn now(&self) -> Time {
        Time::from(self.start.elapsed())
    }

    pub(crate) fn read(&self) -> Reading {
        Reading {
            now: self.now(),
            unix: unix_now(),
        }
    }

    /// The instant to hand to the system for `time`.
    pub(crate) fn instant(&self, time: Time) -> Instant {
        self.start + time.since(Time::ZERO)
    }
}

impl Reading {
    /// When a datagram with this kernel receive time (since the Unix epoch) arrived; now, if the
    /// platform gives none or an implausible one.
    pub(crate) fn arrival(&self, kernel: Option<Duration>) -> Time {
        let Some(kernel) = kernel else {
            return self.now;
        };
        match (self.unix.checked_sub(kernel), kernel.checked_sub(self.unix)) {
            (Some(age), _) if age <= PLAUSIBLE => self.now - age,
            // It came in after the clocks were read.
            (_, Some(ahead)) if ahead <= PLAUSIBLE => self.now + ahead,
            _ => self.now,
        }
    }
}

/// The wall clock, since the Unix epoch.
pub(crate) fn unix_now() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading() -> Reading {
        Reading {
            now: Time::from_nanos(60_000_000_000),
            unix: Duration::from_secs(1_000_000),
        }
    }

    #[test]
    fn a_datagram_arrived_when_the_kernel_says() {
        let reading = reading();
        let kernel = reading.unix - Duration::from_micros(250);
        assert_eq!(
            reading.arrival(Some(kernel)),
            reading.now - Duration::from_micros(250)
        );
        let kernel = reading.unix + Duration::from_micros(3);
        assert_eq!(
            reading.arrival(Some(kernel)),
            reading.now + Duration::from_micros(3)
        );
    }

    #[test]
    fn a_datagram_without_a_plausible_time_arrived_now() {
        let reading = reading();
        assert_eq!(reading.arrival(None), reading.now);
        for kernel in [
            reading.unix - Duration::from_secs(11),
            reading.unix + Duration::from_secs(3600),
        ] {
            assert_eq!(reading.arrival(Some(kernel)), reading.now);
        }
    }
}
