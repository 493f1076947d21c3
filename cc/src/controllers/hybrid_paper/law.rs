//! The paper's zones and equations (3) and (4), as pure functions of one epoch.

use super::params::Params;
use crate::measure::trend::Trend;
use crate::units::{Owd, Rate};

/// Congestion level (section II-A).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Less queueing than wanted: increase.
    Free,
    /// Tolerable queueing: decrease gently.
    Filling,
    /// Too much of it, or on the way there: decrease.
    Congested,
}

impl Zone {
    /// The number in traces.
    pub fn number(self) -> u64 {
        match self {
            Zone::Free => 1,
            Zone::Filling => 2,
            Zone::Congested => 3,
        }
    }

    /// The name of the state of a controller in this zone.
    pub fn state(self) -> &'static str {
        match self {
            Zone::Free => "free",
            Zone::Filling => "filling",
            Zone::Congested => "congested",
        }
    }
}

/// The delays that separate the zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Up to here the increase is `amax`.
    pub d0: Owd,
    /// Up to here the rate increases.
    pub d1: Owd,
    /// This should not be exceeded.
    pub d2: Owd,
    /// From here on the decrease is `bmax`.
    pub d3: Owd,
}

impl From<&Params> for Thresholds {
    fn from(params: &Params) -> Self {
        Self {
            d0: params.d0.into(),
            d1: params.d1.into(),
            d2: params.d2.into(),
            d3: params.d3.into(),
        }
    }
}

/// What an epoch has shown.
#[derive(Debug, Clone, Copy)]
pub struct Observed {
    /// Mean relative one-way delay, not below zero.
    pub delta: Owd,
    /// Its trend.
    pub trend: Trend,
    /// Whether a packet was lost.
    pub lost: bool,
}

impl Observed {
    fn rising(&self) -> bool {
        self.trend == Trend::Increasing
    }

    /// A loss counts only together with delay, so random loss does not.
    fn losing(&self, thresholds: &Thresholds) -> bool {
        self.lost && self.delta > thresholds.d1
    }
}

/// Section II-A.
pub fn zone(thresholds: &Thresholds, seen: &Observed) -> Zone {
    if seen.losing(thresholds) || seen.rising() || seen.delta > thresholds.d2 {
        Zone::Congested
    } else if seen.delta > thresholds.d1 {
        Zone::Filling
    } else {
        Zone::Free
    }
}

/// Equation (3), the increase in zone 1: `amax` up to d0, then convex down to `amin` at d1.
///
/// ```text
///     alpha = amin amax (d1 - d0) / (amax (delta - d0) + amin (d1 - delta))
/// ```
pub fn alpha((d0, d1): (Owd, Owd), (amin, amax): (Rate, Rate), delta: Owd) -> Rate {
    let (d0, d1, delta) = (d0.as_secs(), d1.as_secs(), delta.as_secs());
    let (amin, amax) = (amin.bps(), amax.bps());
    if delta <= d0 {
        return Rate::from_bps(amax);
    }
    let delta = delta.min(d1);
    Rate::from_bps(amin * amax * (d1 - d0) / (amax * (delta - d0) + amin * (d1 - delta)))
}

/// Equation (4), the share of the rate that zones 2 and 3 take away; `None` in zone 1.
///
/// ```text
///     loss, or delta > d3    bmax
///     delays rise            bmin + (bmax - bmin) delta / d3
///     zone 2                 bmin + (bmid - bmin) (delta - d1) / (d2 - d1)
///     zone 3                 bmid + (bmax - bmid) (delta - d2) / (d3 - d2)
/// ```
///
/// DEVIATION: the printed last line starts at bmin, which would jump down from bmid at d2; the
/// prose says that beta goes on from bmid to bmax.
pub fn beta(params: &Params, seen: &Observed) -> Option<f64> {
    let thresholds = Thresholds::from(params);
    let Params {
        bmin, bmid, bmax, ..
    } = *params;
    let [d1, d2, d3] = [thresholds.d1, thresholds.d2, thresholds.d3].map(Owd::as_secs);
    let delta = seen.delta.as_secs();
    let beta = match zone(&thresholds, seen) {
        Zone::Free => return None,
        _ if seen.losing(&thresholds) || seen.delta > thresholds.d3 => bmax,
        _ if seen.rising() => bmin + (bmax - bmin) / d3 * delta,
        Zone::Filling => bmin + (bmid - bmin) / (d2 - d1) * (delta - d1),
        Zone::Congested => bmid + (bmax - bmid) / (d3 - d2) * (delta - d2),
    };
    Some(beta)
}
