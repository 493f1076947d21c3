//! Losses that are congestion whatever the delay. DEVIATION: the paper ignores losses without
//! delay, and would flood a policer for ever.

use super::super::params::Params;
use crate::measure::loss_count::LossCount;

/// A burst of losses is reported in two or three feedbacks, however long it is.
const LEAST_REPORTS: u64 = 8;

/// Packets, and how many feedbacks have told of their losses.
#[derive(Debug, Clone, Copy, Default)]
struct Reported {
    losses: LossCount,
    reports: u64,
}

impl Reported {
    fn add(&mut self, of: LossCount, reports: u64) {
        self.losses = self.losses.and(of);
        self.reports += reports;
    }

    /// The same of so many packets, in proportion.
    fn scaled_to(self, packets: u64) -> Self {
        let losses = self.losses.scaled_to(packets);
        let reports = self.losses.in_proportion(self.reports, losses);
        Self { losses, reports }
    }

    /// Whether they were not lost in a burst or two.
    fn is_often(&self) -> bool {
        self.reports >= LEAST_REPORTS
    }
}

/// The recent packets, of which too many may be lost.
///
/// Where a round trip holds few packets or ACKs, those of several count: whenever there are 128
/// packets and 16 ACKs all counts are scaled down, to 64 packets or 8 ACKs, whichever leaves more.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecentLosses {
    reported: Reported,
    /// Feedbacks that have acknowledged packets.
    acks: u64,
    /// Whether too many were lost after the last epoch with samples.
    exceeded_before: bool,
}

impl RecentLosses {
    const MOST: u64 = 128;
    const MOST_ACKS: u64 = 16;

    /// Takes in those of an epoch, and how many feedbacks acknowledged packets and told of losses.
    pub fn add(&mut self, of: LossCount, acks: u64, reports: u64) {
        let packets = self.reported.losses.packets();
        if packets >= Self::MOST && self.acks >= Self::MOST_ACKS {
            let of_acks = packets * (Self::MOST_ACKS / 2) / self.acks;
            let kept = self.reported.scaled_to((Self::MOST / 2).max(of_acks));
            self.acks = (self.reported.losses).in_proportion(self.acks, kept.losses);
            self.reported = kept;
        }
        self.reported.add(of, reports);
        self.acks += acks;
    }

    /// At the end of an epoch with samples, whether more than `share` were lost, and not in a burst
    /// or two. A flow that holds its share beside competing flows, who fill the buffer, waits for a
    /// second such epoch: when the buffer overflows, it takes them a round trip to give way.
    pub fn take_verdict(&mut self, share: f64, holds: bool) -> bool {
        let exceeds = self.reported.losses.exceeds(share);
        let before = std::mem::replace(&mut self.exceeded_before, exceeds);
        exceeds && self.reported.is_often() && (before || !holds)
    }

    /// Begins anew.
    #[must_use]
    pub fn anew(self) -> Self {
        Self {
            exceeded_before: self.exceeded_before,
            ..Self::default()
        }
    }
}

/// Packets at rates that the path has not been found to carry, since the last decrease.
///
/// What is lost by chance does not depend on the rate: as much of them is lost as of others. A
/// policer, or a buffer of few packets, drops what is too much.
#[derive(Debug, Clone, Copy, Default)]
pub struct LossesBeyond {
    reported: Reported,
}

impl LossesBeyond {
    /// More than so many are scaled down to half.
    const MOST_BEYOND: u64 = 1_024;

    /// Takes in those of an epoch.
    pub fn add(&mut self, of: LossCount, reports: u64) {
        self.reported.add(of, reports);
        if self.reported.losses.packets() > Self::MOST_BEYOND {
            self.reported = self.reported.scaled_to(Self::MOST_BEYOND / 2);
        }
    }

    /// Whether more were lost than chance explains where so many are lost at rates that the path
    /// carries, and more than a little. Counts of bursts of random length `m` vary by about `2 m`,
    /// and two or three feedbacks report one: by about the square of what one reports.
    pub fn are_excessive(&self, params: &Params, background: LossCount) -> bool {
        let Reported { losses, reports } = self.reported;
        let told_at_once = losses.lost() as f64 / reports.max(1) as f64;
        self.reported.is_often()
            && losses.exceeds(params.excessive_share_beyond())
            && losses.exceeds_in_bursts(background, told_at_once.max(1.0).powi(2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many packets, one in `one_in` lost and reported alone.
    fn beyond(packets: u64, one_in: u64) -> LossesBeyond {
        let mut beyond = LossesBeyond::default();
        for _ in 0..packets / one_in {
            beyond.add(LossCount::new(1, one_in - 1), 1);
        }
        beyond
    }

    #[test]
    fn what_a_policer_drops_beyond_its_rate_is_excessive() {
        let none = LossCount::new(0, 10_000);
        let params = Params::default();
        assert!(beyond(400, 20).are_excessive(&params, none));
        // One in a hundred is little, and seven reports are two or three bursts.
        assert!(!beyond(1_000, 100).are_excessive(&params, none));
        assert!(!beyond(140, 20).are_excessive(&params, none));
    }

    #[test]
    fn what_is_lost_at_rates_that_the_path_carries_is_chance_beyond_them() {
        let params = Params::default();
        assert!(!beyond(1_000, 20).are_excessive(&params, LossCount::new(500, 9_500)));
        assert!(beyond(1_000, 20).are_excessive(&params, LossCount::new(200, 9_800)));
    }

    #[test]
    fn a_few_long_bursts_are_not_told_from_chance() {
        let (params, usual) = (Params::default(), LossCount::new(300, 9_700));
        let in_bursts_of = |burst| {
            let mut beyond = LossesBeyond::default();
            (0..48 / burst).for_each(|_| beyond.add(LossCount::new(burst, 20 * burst), 1));
            beyond.are_excessive(&params, usual)
        };
        assert!(in_bursts_of(1));
        assert!(!in_bursts_of(6));
    }

    #[test]
    fn the_count_is_bounded() {
        let mut counted = beyond(100_000, 20);
        assert!(counted.reported.losses.packets() <= LossesBeyond::MOST_BEYOND);
        counted.add(LossCount::new(u64::from(u32::MAX), 0), 1);
        assert!(counted.reported.losses.packets() <= LossesBeyond::MOST_BEYOND);
    }
}
