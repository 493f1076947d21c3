//! The time, as every process of this machine sees it.

use std::time::{Duration, Instant};

use nix::time::{clock_gettime, ClockId};
use quiche_cc_bottleneck::Time;

/// Nanoseconds of the monotonic clock. Both ends run on one machine, so that a frame's delay is a difference of two readings.
pub fn now() -> Time {
    let read = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has this clock");
    Time::from(Duration::from(read))
}

/// The same point in time for those who sleep.
pub fn instant(at: Time) -> Instant {
    Instant::now() + at.since(now())
}
