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
