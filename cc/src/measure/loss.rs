//! How often packets are lost, from the intervals between loss events.

use std::collections::VecDeque;

/// The average loss interval of RFC 5348, section 5.4, in packets.
///
/// What an interval is, its owner decides: it [closes](Self::close) one at every loss event.
#[derive(Debug, Clone)]
pub struct LossIntervals {
    /// Closed intervals, the latest first.
    closed: VecDeque<u64>,
    /// How many count.
    depth: usize,
}

impl LossIntervals {
    /// `depth` closed intervals count, at least one: 8 in RFC 5348.
    pub fn new(depth: usize) -> Self {
        Self {
            closed: VecDeque::new(),
            depth: depth.max(1),
        }
    }

    /// A loss event ends an interval of so many packets, the lost one included.
    pub fn close(&mut self, packets: u64) {
        self.closed.truncate(self.depth - 1);
        self.closed.push_front(packets.max(1));
    }

    /// Whether there has been a loss event.
    pub fn any(&self) -> bool {
        !self.closed.is_empty()
    }

    /// The loss event rate, in (0, 1], with `open` packets since the last event.
    ///
    /// The open interval counts if that lowers the rate (section 5.4). Before the first event it is
    /// all there is: the rate is then the bound 1 / (1 + open) that a loss now would show.
    pub fn rate(&self, open: u64) -> f64 {
        if self.closed.is_empty() {
            return 1.0 / (1.0 + open as f64);
        }
        let closed = self.closed.iter().copied();
        let with_open = std::iter::once(open).chain(closed.clone());
        1.0 / self.mean(closed).max(self.mean(with_open)).max(1.0)
    }

    fn mean(&self, intervals: impl Iterator<Item = u64>) -> f64 {
        let weighted = intervals.take(self.depth).enumerate();
        let (sum, weights) = weighted.fold((0.0, 0.0), |(sum, weights), (place, packets)| {
            let weight = self.weight(place);
            (sum + weight * packets as f64, weights + weight)
        });
        sum / weights
    }

    /// 1 for the newer half, then falling linearly: 0.8, 0.6, 0.4, 0.2 for a depth of 8.
    fn weight(&self, place: usize) -> f64 {
        let half = self.depth as f64 / 2.0;
        (1.0 - (place as f64 + 1.0 - half) / (half + 1.0)).min(1.0)
    }
}

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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_weights_of_rfc_5348() {
        let intervals = LossIntervals::new(8);
        for (place, weight) in [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2]
            .into_iter()
            .enumerate()
        {
            assert!((intervals.weight(place) - weight).abs() < 1e-12, "{place}");
        }
    }

    #[test]
    fn before_any_loss_the_rate_is_a_bound_that_falls() {
        let intervals = LossIntervals::new(8);
        assert!(!intervals.any());
        assert_eq!(intervals.rate(0), 1.0);
        assert_eq!(intervals.rate(999), 0.001);
    }

    #[test]
    fn a_long_time_without_loss_lowers_the_rate_and_a_short_one_does_not_raise_it() {
        let mut intervals = LossIntervals::new(8);
        (0..20).for_each(|_| intervals.close(100));
        assert!((intervals.rate(0) - 0.01).abs() < 1e-12);
        assert!((intervals.rate(100) - 0.01).abs() < 1e-12);
        // Weights sum to 6: (1000 + 5 * 100) / 6.
        assert!((intervals.rate(1000) - 6.0 / 1500.0).abs() < 1e-12);
    }

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

    proptest! {
        #[test]
        fn the_rate_is_that_of_random_loss(seed in any::<u64>(), loss in 1e-3..0.3f64) {
            // A multiplicative generator is random enough for geometric intervals.
            let mut state = seed | 1;
            let mut intervals = LossIntervals::new(2000);
            let mut since = 0;
            for _ in 0..(1000.0 / loss) as u64 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                since += 1;
                if (state >> 11) as f64 / (1u64 << 53) as f64 <= loss {
                    intervals.close(since);
                    since = 0;
                }
            }
            let got = intervals.rate(since);
            prop_assert!((got / loss - 1.0).abs() < 0.2, "{got} for {loss}");
        }

        #[test]
        fn the_rate_is_a_probability(closed in prop::collection::vec(any::<u64>(), 0..40), open in any::<u64>(), depth in 0usize..40) {
            let mut intervals = LossIntervals::new(depth);
            closed.iter().for_each(|packets| intervals.close(*packets));
            let rate = intervals.rate(open);
            prop_assert!(rate > 0.0 && rate <= 1.0, "{rate}");
        }
    }
}
