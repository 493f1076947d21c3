//! How many packets of how many were lost, and whether chance explains it.

/// Of so many packets so many were lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LossCount {
    lost: u64,
    packets: u64,
}

impl LossCount {
    /// Fewer losses than this say nothing about a share.
    const LEAST: u64 = 4;
    /// Standard deviations within which chance explains a count.
    const DEVIATIONS: f64 = 2.0;

    /// `lost` packets were, and `acked` were not.
    pub fn new(lost: u64, acked: u64) -> Self {
        Self {
            lost,
            packets: lost + acked,
        }
    }

    /// Both together.
    pub fn and(self, more: Self) -> Self {
        Self {
            lost: self.lost + more.lost,
            packets: self.packets + more.packets,
        }
    }

    /// Of how many packets it is.
    pub fn packets(self) -> u64 {
        self.packets
    }

    /// The same share of so many packets, rounded down.
    #[must_use]
    pub fn scaled_to(self, packets: u64) -> Self {
        Self {
            lost: self.lost * packets / self.packets.max(1),
            packets,
        }
    }

    /// What `fewer` of these packets have of `count`, in proportion, rounded down.
    pub fn in_proportion(self, count: u64, fewer: Self) -> u64 {
        count * fewer.packets / self.packets.max(1)
    }

    /// Whether more than `share` were lost, and more than a handful.
    pub fn exceeds(self, share: f64) -> bool {
        self.lost >= Self::LEAST && self.lost as f64 > share * self.packets as f64
    }

    /// How many were lost.
    pub fn lost(self) -> u64 {
        self.lost
    }

    /// Whether chance does not explain that more were lost of these than of `others`. Of all that
    /// were lost these have their part of the packets, give or take a binomial deviation.
    pub fn exceeds_that_of(self, others: Self) -> bool {
        self.exceeds_in_bursts(others, 1.0)
    }

    /// The same where counts of losses vary so many times as much, because they come in bursts.
    pub fn exceeds_in_bursts(self, others: Self, more: f64) -> bool {
        let all = self.and(others);
        let part = self.packets as f64 / all.packets.max(1) as f64;
        let mean = part * all.lost as f64;
        self.lost as f64 > mean + Self::DEVIATIONS * (mean * (1.0 - part) * more).sqrt()
    }

    /// Whether chance does not explain so many where `share` is always lost: they are a Poisson
    /// count.
    pub fn exceeds_chance(self, share: f64) -> bool {
        let mean = share * self.packets as f64;
        self.lost as f64 > mean + Self::DEVIATIONS * mean.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_packets_of_others_leave_much_to_chance() {
        let losses = LossCount::new(10, 9_990);
        // Nothing was lost of them; one in a thousand would be one of 1,000, and ten of 10,000.
        assert!(!losses.exceeds_that_of(LossCount::new(0, 500)));
        assert!(losses.exceeds_that_of(LossCount::new(0, 10_000)));
        assert!(!losses.exceeds_that_of(LossCount::new(10, 9_990)));
        assert!(!LossCount::new(17, 9_983).exceeds_that_of(LossCount::new(10, 9_990)));
        assert!(LossCount::new(22, 9_978).exceeds_that_of(LossCount::new(10, 9_990)));
        assert!(!LossCount::default().exceeds_that_of(LossCount::default()));
    }

    #[test]
    fn losses_in_bursts_leave_more_to_chance() {
        let (losses, others) = (LossCount::new(22, 9_978), LossCount::new(10, 9_990));
        assert!(losses.exceeds_in_bursts(others, 1.0));
        assert!(!losses.exceeds_in_bursts(others, 3.0));
    }
}
