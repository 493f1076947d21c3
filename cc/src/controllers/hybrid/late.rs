//! DEVIATION: losses that overwhelm. The paper ignores losses without delay, and would flood a policer for ever.

use crate::measure::loss::LossCount;

/// The packets of late, of which too many may be lost.
///
/// Where a round trip holds few packets, those of several count: the older half is forgotten whenever there are 128.
#[derive(Debug, Clone, Copy, Default)]
pub struct LatePackets {
    losses: LossCount,
    /// Feedbacks that have told of the losses.
    reports: u64,
    /// Whether too many were lost after the last epoch with samples.
    exceeded_before: bool,
}

impl LatePackets {
    const MOST: u64 = 128;
    /// A burst of losses is told in two or three feedbacks, however long it is.
    const LEAST_REPORTS: u64 = 8;

    /// Takes in those of an epoch, and how many feedbacks told of its losses.
    pub fn add(&mut self, of: LossCount, reports: u64) {
        let kept = self.losses.halved_at(Self::MOST);
        self.reports = self.losses.in_proportion(self.reports, kept) + reports;
        self.losses = kept.and(of);
    }

    /// At the end of an epoch with samples, whether more than `share` were lost, and not in a burst or two. A flow that `competes`
    /// with others, who fill the buffer, waits for a second such epoch: when the buffer overflows, it takes them a round trip to give
    /// way.
    pub fn overwhelm(&mut self, share: f64, competes: bool) -> bool {
        let exceeds = self.losses.exceeds(share);
        let before = std::mem::replace(&mut self.exceeded_before, exceeds);
        exceeds && self.reports >= Self::LEAST_REPORTS && (before || !competes)
    }

    /// There was a decrease: only what is sent from now on says something about the rate.
    pub fn forget(&mut self) {
        self.losses = LossCount::default();
        self.reports = 0;
    }
}
