//! The zones of the default profile, which are the paper's but for which losses count, and its increase.

use std::time::Duration;

use super::params::Params;
use super::thresholds::Thresholds;
use crate::units::{Bytes, Owd, Rate};

/// Increase at d1 in packets per L, per epoch: the paper's.
const AMIN: f64 = 0.01;
/// Increase at d0 likewise; less than the paper's 0.5, because it grows.
const AMAX: f64 = 0.02;
/// With a shorter L a path is short: what delays and spaces packets there is hosts as much as links.
pub const SHORT_PATH: Duration = Duration::from_micros(2_500);

/// The increase at d1 and at d0 on a path with packets of `size` and epochs of `length`.
///
/// The paper's 800 bit/s and 40 kbit/s are 0.01 and 0.5 of its 1000-byte packets per epoch of 100 ms, added to the rate every epoch;
/// in such units they scale with the path.
pub fn increase_ends(size: Bytes, length: Duration) -> (Rate, Rate) {
    let packet = size.per(length);
    (packet * AMIN, packet * AMAX)
}

/// The period of growth at `rate` on a path with packets of `size` and epochs of `length`, in seconds: whole nanoseconds would
/// show in powers.
///
/// DEVIATION: what a decrease costs comes back in as many round trips on a short path as on a long one. On loopback, where
/// the hosts' schedulers look like a queue a hundred times a second, it would hardly come back in 40 ms. Where packets are
/// further apart than L, they are the round trips that count.
pub fn growth_period(params: &Params, size: Bytes, rate: Rate, length: Duration) -> f64 {
    let length = length.as_secs_f64();
    let packet = size.0 as f64 * 8.0 / rate.bps().max(1.0);
    let spacing = length.max(packet);
    let share = (spacing / SHORT_PATH.as_secs_f64()).min(1.0);
    (params.growth_period.as_secs_f64() * share).max(length)
}

pub use crate::controllers::hybrid_paper::law::{alpha, Zone};

/// What an epoch has shown.
#[derive(Debug, Clone, Copy)]
pub struct Observed {
    /// Its relative one-way delay.
    pub delta: Owd,
    /// Whether a packet was lost.
    pub lost: bool,
    /// Whether so much was lost that delay does not matter.
    pub overwhelmed: bool,
}

impl Observed {
    /// Loss from congestion: with delay, or (DEVIATION) beyond what random loss explains.
    pub fn losing(&self, thresholds: &Thresholds) -> bool {
        self.overwhelmed || (self.lost && self.delta > thresholds.full)
    }
}

/// Section II-A. DEVIATION: the trend of delays does not count.
pub fn zone(thresholds: &Thresholds, seen: &Observed) -> Zone {
    if seen.losing(thresholds) || seen.delta > thresholds.d2 {
        Zone::Congested
    } else if seen.delta > thresholds.d1 {
        Zone::Filling
    } else {
        Zone::Free
    }
}
