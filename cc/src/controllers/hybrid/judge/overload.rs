//! DEVIATION: whether those who hold a share hold more together than the link carries. None of them
//! knows what the others hold.
//!
//! What is too much is lost, for as long as they hold it: with h added up to 1.1 of the link, a
//! tenth. Flows that fill a buffer lower their rate at each loss, and lose less.

use std::time::Duration;

use super::super::model::loss::Background;
use crate::measure::loss_count::LossCount;
use crate::units::Time;

/// For how long losses are counted. Those of a flow that comes to a path with a full buffer are
/// over by then.
const PERIOD: Duration = Duration::from_secs(3);
/// With a larger share of losses a window of CUBIC is six packets or less (RFC 9438, section 5.1),
/// and BBR's is limited (draft-ietf-ccwg-bbr, `LossThresh`).
const MOST: f64 = 0.04;

/// Losses of a flow that holds, over a while.
#[derive(Debug, Clone, Copy)]
pub struct Overload {
    from: Time,
    losses: LossCount,
}

impl Overload {
    /// Others are found to keep a queue: one of them may just have come.
    pub fn new(now: Time) -> Self {
        Self::from(now + PERIOD)
    }

    fn from(from: Time) -> Self {
        Self {
            from,
            losses: LossCount::default(),
        }
    }

    /// The flow holds again: what it lost before says nothing.
    pub fn holds_again(&mut self, now: Time) {
        *self = Self::from(self.from.max(now));
    }

    /// Takes in an epoch in which the flow holds, and tells at the end of a period whether it has
    /// lost too much; then the next begins.
    pub fn shows_with(&mut self, now: Time, losses: LossCount, background: Background) -> bool {
        if now < self.from {
            return false;
        }
        self.losses = self.losses.and(losses);
        if now.since(self.from) < PERIOD {
            return false;
        }
        let heavy = background.is_exceeded_by(self.losses, MOST);
        *self = Self::from(now);
        heavy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tenths: u64) -> Time {
        Time::from_nanos(tenths * 100_000_000)
    }

    /// Of a hundred packets each tenth of a second so many are lost.
    fn shown(overload: &mut Overload, tenths: std::ops::Range<u64>, lost: u64) -> Vec<u64> {
        let losses = LossCount::new(lost, 100 - lost);
        tenths
            .filter(|&tenth| overload.shows_with(at(tenth), losses, Background::default()))
            .collect()
    }

    #[test]
    fn it_shows_after_a_period_without_the_first() {
        let mut overload = Overload::new(at(0));
        assert_eq!(shown(&mut overload, 0..100, 10), [60, 90]);
    }

    #[test]
    fn what_flows_lose_that_fill_a_buffer_is_none() {
        let mut overload = Overload::new(at(0));
        assert!(shown(&mut overload, 0..300, 4).is_empty());
    }

    #[test]
    fn random_losses_are_none() {
        let mut overload = Overload::new(at(0));
        let losses = LossCount::new(10, 90);
        assert!((0..300).all(|tenth| !overload.shows_with(at(tenth), losses, Background::of(0.1))));
    }

    #[test]
    fn it_counts_anew_when_the_flow_holds_again() {
        let mut overload = Overload::new(at(0));
        assert!(shown(&mut overload, 0..55, 10).is_empty());
        overload.holds_again(at(70));
        assert_eq!(shown(&mut overload, 70..110, 10), [100]);
        // The time after contention was found does not become shorter.
        let mut overload = Overload::new(at(0));
        overload.holds_again(at(10));
        assert_eq!(shown(&mut overload, 10..70, 10), [60]);
    }
}
