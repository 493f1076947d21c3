//! The delays that separate the zones.

use std::time::Duration;

use super::params::Params;
use crate::units::{Bytes, Owd, Rate, Time};

/// d1 scales between these where it is not given. Below the first it would be noise; the second, the paper's, it exceeds only
/// as far as a single packet at the flow's own rate takes longer; the last it never exceeds.
const LEAST: Duration = Duration::from_micros(200);
const LOW: Duration = Duration::from_millis(12);
const MOST: Duration = Duration::from_millis(100);
/// d0, d2 and d3 where they are not given, by d1; d2 and d3 as in the paper.
const D0_DIVISOR: u64 = 8;
const D2_FACTOR: u64 = 2;
const D3_FACTOR: u64 = 4;
/// A queue below d1 divided by this is never full.
const FULL_DIVISOR: u64 = 4;
/// A queueing delay above d1 divided by this ends start-up, and one up to it means that a queue has drained.
const SHORT_DIVISOR: u64 = 2;
/// Above a standing queue by its share of this.
const STANDING_MARGIN: u32 = 8;

/// The thresholds of one epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Up to here the increase is the largest.
    pub d0: Duration,
    /// Up to here the rate increases.
    pub d1: Duration,
    /// This should not be exceeded.
    pub d2: Duration,
    /// From here on the decrease is the largest.
    pub d3: Duration,
    /// Beyond this a loss is one of a full queue.
    pub full: Duration,
    /// Up to here a queue is hardly one.
    pub short: Duration,
}

impl Thresholds {
    /// For a flow that sends packets of `size` at `rate`, where the longest queue of late was `longest`.
    ///
    /// DEVIATION: where d1 is not given, it is the time in which the flow sends `queue` packets. A flow that has
    /// more than its share then has the lower threshold, whatever its RTT, and gives way to the others.
    pub fn new(
        params: &Params,
        rate: Rate,
        size: Bytes,
        jitter: Duration,
        longest: Option<Owd>,
    ) -> Self {
        let d1 = params
            .d1
            .map_or_else(|| following(params.queue, rate, size, jitter), nanos);
        let full = longest
            .filter(|_| params.full > 0.0)
            .map(|longest| scaled(longest.as_nanos().max(0) as u64, params.full))
            .map_or(d1, |full| full.clamp(d1 / FULL_DIVISOR, d1));
        let or = |given: Option<Duration>, follows: u64| {
            given.unwrap_or_else(|| Duration::from_nanos(follows))
        };
        Self {
            d0: or(params.d0, d1 / D0_DIVISOR),
            d1: Duration::from_nanos(d1),
            d2: or(params.d2, D2_FACTOR * d1),
            d3: or(params.d3, D3_FACTOR * d1),
            full: Duration::from_nanos(full),
            short: Duration::from_nanos(d1 / SHORT_DIVISOR),
        }
    }

    /// The same above a queue that others keep filled, and a part of it more, so that its own fluctuations do not count.
    #[must_use]
    pub fn above(self, standing: Duration) -> Self {
        if standing.is_zero() {
            return self;
        }
        let raised = standing + standing / STANDING_MARGIN;
        Self {
            d0: self.d0 + raised,
            d1: self.d1 + raised,
            d2: self.d2 + raised,
            d3: self.d3 + raised,
            ..self
        }
    }
}

/// d1 where it is not given, in nanoseconds.
fn following(packets: f64, rate: Rate, size: Bytes, jitter: Duration) -> u64 {
    let most = nanos(MOST);
    let packet = rounded(size.0 as f64 * 8e9 / rate.bps().max(1.0)).min(most);
    let queue = scaled(packet, packets).clamp(nanos(LEAST), nanos(LOW).max(packet));
    queue.min(most) + nanos(jitter) / 2
}

/// Nanoseconds take a fraction of what arithmetic with seconds and nanoseconds does.
fn nanos(duration: Duration) -> u64 {
    Time::from_origin(duration).as_nanos()
}

fn scaled(nanos: u64, factor: f64) -> u64 {
    rounded(nanos as f64 * factor)
}

/// `f64::round` of what is not negative, which is a function of the C library on many processors.
fn rounded(nanos: f64) -> u64 {
    let whole = nanos as i64;
    whole as u64 + u64::from(nanos - whole as f64 >= 0.5)
}
