//! The zones of the default profile: the paper's, but for which losses count.

use super::thresholds::Thresholds;
use crate::units::Owd;

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
        Zone::Three
    } else if seen.delta > thresholds.d1 {
        Zone::Two
    } else {
        Zone::One
    }
}
