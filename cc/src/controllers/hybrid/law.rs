//! The paper's zones and equations (2) to (4), as pure functions of one epoch.

use super::params::Params;
use super::thresholds::Thresholds;
use crate::measure::trend::Trend;
use crate::units::{Owd, Rate};

/// Congestion level (section II-A).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Less queueing than wanted: increase.
    One,
    /// Tolerable queueing: decrease gently.
    Two,
    /// Too much of it, or on the way there: decrease.
    Three,
}

impl Zone {
    /// The number in traces.
    pub fn number(self) -> u64 {
        match self {
            Zone::One => 1,
            Zone::Two => 2,
            Zone::Three => 3,
        }
    }
}

/// What an epoch has shown.
#[derive(Debug, Clone, Copy)]
pub struct Observed {
    /// Mean relative one-way delay.
    pub delta: Owd,
    /// Its trend.
    pub trend: Trend,
    /// Whether a packet was lost.
    pub lost: bool,
    /// Whether so much was lost that delay does not matter.
    pub overwhelmed: bool,
}

impl Observed {
    fn rising(&self) -> bool {
        self.trend == Trend::Increasing
    }

    /// Loss from congestion: with delay, or (DEVIATION) beyond what random loss explains.
    pub fn losing(&self, thresholds: &Thresholds) -> bool {
        self.overwhelmed || (self.lost && self.above(thresholds.full))
    }

    fn above(&self, threshold: Owd) -> bool {
        self.delta > threshold
    }
}

/// Section II-A. A loss counts only together with delay, so random loss does not.
pub fn zone(thresholds: &Thresholds, seen: &Observed) -> Zone {
    if seen.losing(thresholds) || seen.rising() || seen.above(thresholds.d2) {
        Zone::Three
    } else if seen.above(thresholds.d1) {
        Zone::Two
    } else {
        Zone::One
    }
}

/// Equation (3): `amax` up to d0, then convex down to `amin` at d1.
///
/// alpha = amin amax (d1 - d0) / (amax (delta - d0) + amin (d1 - delta))
pub fn alpha(thresholds: &Thresholds, amin: Rate, amax: Rate, delta: Owd) -> Rate {
    let (d0, d1) = (thresholds.d0.as_secs(), thresholds.d1.as_secs());
    let (amin, amax, delta) = (amin.bps(), amax.bps(), delta.as_secs());
    if delta <= d0 {
        return Rate::from_bps(amax);
    }
    let delta = delta.min(d1);
    Rate::from_bps(amin * amax * (d1 - d0) / (amax * (delta - d0) + amin * (d1 - delta)))
}

/// Equation (4): the share of the rate that zones 2 and 3 take away; `None` in zone 1.
pub fn beta(params: &Params, thresholds: &Thresholds, seen: &Observed) -> Option<f64> {
    let Params {
        bmin, bmid, bmax, ..
    } = *params;
    let (d1, d2, d3) = (
        thresholds.d1.as_secs(),
        thresholds.d2.as_secs(),
        thresholds.d3.as_secs(),
    );
    let delta = seen.delta.as_secs();
    let zone = zone(thresholds, seen);
    if zone == Zone::One {
        return None;
    }
    let beta = if seen.losing(thresholds) || seen.above(thresholds.d3) {
        bmax
    } else if seen.rising() {
        bmin + (bmax - bmin) / d3 * delta
    } else if zone == Zone::Two {
        bmin + (bmid - bmin) / (d2 - d1) * (delta - d1)
    } else {
        // DEVIATION: the printed equation starts at bmin, which would jump down from bmid at
        // d2; the prose says that beta goes on from bmid to bmax.
        bmid + (bmax - bmid) / (d3 - d2) * (delta - d2)
    };
    Some(beta)
}
