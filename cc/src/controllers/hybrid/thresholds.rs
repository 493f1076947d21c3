//! The delays that separate the zones.

use super::mechanism::Mechanism;
use super::params::Params;
use crate::units::{Bytes, Owd, Rate};

/// d1 scales between these where it is not given. Below the first it would be noise; the second,
/// the paper's, it exceeds only as far as a single packet at the flow's own rate takes longer; the
/// last it never exceeds.
const LEAST: Owd = Owd::from_nanos(200_000);
const LOW: Owd = Owd::from_nanos(12_000_000);
const MOST: Owd = Owd::from_nanos(100_000_000);
/// d0, d2 and d3 follow d1; d2 and d3 as in the paper.
const D0_DIVISOR: u32 = 8;
const D2_FACTOR: u32 = 2;
const D3_FACTOR: u32 = 4;
/// Share of the longest recent queue from which on losses count although the delay is below d1.
const FULL_SHARE: f64 = 0.75;
/// A queue below d1 divided by this is never full.
const FULL_DIVISOR: u32 = 4;
/// A queueing delay up to d1 divided by this means that a queue has drained; start-up meets none up
/// to it.
const SHORT_DIVISOR: u32 = 2;

/// The thresholds of one epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Up to here the increase is the largest.
    pub d0: Owd,
    /// Up to here the rate increases.
    pub d1: Owd,
    /// This should not be exceeded.
    pub d2: Owd,
    /// As much queueing as the window allows for.
    pub d3: Owd,
    /// Beyond this a loss is one of a full queue.
    pub full: Owd,
    /// Up to here a queue is hardly one.
    pub short: Owd,
}

impl Thresholds {
    /// For a flow that sends packets of `size` at `rate`, where the longest recent queue was
    /// `longest`.
    ///
    /// DEVIATION: where d1 is not given, it is the time in which the flow sends `target_packets`
    /// packets. A flow that has more than its share then has the lower threshold, whatever its RTT,
    /// and gives way to the others.
    #[inline]
    pub fn new(params: &Params, rate: Rate, size: Bytes, longest: Option<Owd>) -> Self {
        let following = || following(params.target_packets, rate, size);
        let d1 = params.target_delay.map_or_else(following, Owd::from);
        let full = longest
            .filter(|_| params.has(Mechanism::FullBuffer))
            .map_or(d1, |longest| {
                (longest * FULL_SHARE).clamp(d1 / FULL_DIVISOR, d1)
            });
        Self {
            d0: d1 / D0_DIVISOR,
            d1,
            d2: d1 * D2_FACTOR,
            d3: d1 * D3_FACTOR,
            full,
            short: d1 / SHORT_DIVISOR,
        }
    }

    /// Whether a queue is hardly one.
    pub fn is_short(&self, queue: Owd) -> bool {
        queue <= self.short
    }
}

/// d1 where it is not given.
fn following(packets: f64, rate: Rate, size: Bytes) -> Owd {
    let packet = rate.delay_of(size);
    let queue = (packet * packets).clamp(LEAST, LOW.max(packet));
    queue.min(MOST)
}
