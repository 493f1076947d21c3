//! Losses: those without a queue, which are no congestion, and excessive ones, which are whatever
//! the delay.

use super::super::params::Params;
use super::excessive::{LossesBeyond, RecentLosses};
use crate::measure::epoch::Epoch;
use crate::measure::loss_count::LossCount;

/// The share of losses without a queue follows by this part per epoch.
const WEIGHT: f64 = 1.0 / 8.0;
/// So many times the background loss of an epoch is no sign of congestion.
const UNUSUAL: f64 = 2.0;

/// What is lost although there is hardly a queue, at rates that the path carries: B, a share that
/// follows at once, and a count, which tells how well a share is known.
#[derive(Debug, Clone, Copy)]
pub struct Background {
    share: f64,
    count: LossCount,
}

impl Default for Background {
    fn default() -> Self {
        Self {
            share: 0.0,
            count: LossCount::new(0, Self::LEAST_KNOWN),
        }
    }
}

impl Background {
    /// Before so many packets are known, those that are not were not lost.
    const LEAST_KNOWN: u64 = 1_024;
    /// More than so many are scaled down to half.
    const MOST_KNOWN: u64 = 16_384;

    /// B.
    pub fn share(self) -> f64 {
        self.share
    }

    /// Of so many packets so many were lost.
    pub fn count(self) -> LossCount {
        self.count
    }

    /// Whether losses at a queue may be no more than those without.
    pub fn explains(self, losses: LossCount) -> bool {
        !losses.exceeds_that_of(self.count)
    }

    /// Whether losses are more than chance makes of a share, and more than it makes of those
    /// without a queue.
    pub fn is_exceeded_by(self, losses: LossCount, share: f64) -> bool {
        losses.exceeds_chance(share) && !self.explains(losses)
    }

    /// Of 10,000 packets this share, and B alike.
    #[cfg(test)]
    pub fn of(share: f64) -> Self {
        let lost = (share * 1e4) as u64;
        Self {
            share,
            count: LossCount::new(lost, 10_000 - lost),
        }
    }

    fn learn(&mut self, epoch: &Epoch) {
        let packets = epoch.losses().packets().max(1);
        let share = epoch.lost as f64 / packets as f64;
        self.share += (share - self.share) * WEIGHT;
        self.count = self.count.and(epoch.losses());
        if self.count.packets() > Self::MOST_KNOWN {
            self.count = self.count.scaled_to(Self::MOST_KNOWN / 2);
        }
    }
}

/// What is lost.
#[derive(Debug, Clone, Copy, Default)]
pub struct Losses {
    background: Background,
    recent: RecentLosses,
    beyond: LossesBeyond,
}

impl Losses {
    /// What is lost without a queue.
    pub fn background(&self) -> Background {
        self.background
    }

    /// Takes in the losses of an epoch, and whether its rate was beyond what the path has been
    /// found to carry.
    pub fn add(&mut self, epoch: &Epoch, beyond: bool) {
        self.recent
            .add(epoch.losses(), epoch.acks, epoch.loss_reports);
        if beyond {
            self.beyond.add(epoch.losses(), epoch.loss_reports);
        }
    }

    /// At the end of an epoch with samples, whether losses are excessive: many of the recent
    /// packets, or more than chance explains beyond what the path has been found to carry.
    pub fn take_verdict(&mut self, params: &Params, holds: bool) -> bool {
        let many = self.recent.take_verdict(params.excessive_share(), holds);
        let background = self.background.count();
        let beyond = || !holds && self.beyond.are_excessive(params, background);
        many || beyond()
    }

    /// Whether an epoch lost more than is always lost.
    pub fn are_unusual(&self, epoch: &Epoch) -> bool {
        let packets = epoch.losses().packets() as f64;
        epoch.lost as f64 > UNUSUAL * self.background.share * packets
    }

    /// What an epoch lost in which there was hardly a queue, and the rate one that the path
    /// carries, is lost elsewhere.
    pub fn learn_background(&mut self, epoch: &Epoch) {
        self.background.learn(epoch);
    }

    /// There was a decrease: only what is sent from now on says something about the rate.
    pub fn forget_recent(&mut self) {
        self.recent = self.recent.anew();
        self.beyond = LossesBeyond::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;

    fn epoch(lost: u64, acked_packets: u64) -> Epoch {
        let mut epoch = Epoch::new(Time::default());
        (epoch.lost, epoch.acked_packets) = (lost, acked_packets);
        epoch
    }

    #[test]
    fn losses_without_a_queue_are_learnt_by_an_eighth_per_epoch() {
        let mut losses = Losses::default();
        losses.learn_background(&epoch(1, 9));
        assert!((losses.background().share() - 0.1 / 8.0).abs() < 1e-12);
        losses.learn_background(&epoch(0, 0));
        assert!((losses.background().share() - 0.1 / 8.0 * 7.0 / 8.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_known_of_few_packets_explains_much() {
        let mut losses = Losses::default();
        // Of 1,024 that are not known yet none was lost; of 16,384 one in a thousand.
        assert!(losses.background().explains(LossCount::new(2, 998)));
        assert!(!losses.background().explains(LossCount::new(5, 995)));
        (0..30).for_each(|_| losses.learn_background(&epoch(1, 999)));
        assert!(losses.background().explains(LossCount::new(3, 997)));
        assert!(!losses.background().explains(LossCount::new(25, 9_975)));
        assert!(losses.background().count().packets() <= 16_384);
    }

    #[test]
    fn more_than_twice_of_what_is_always_lost_is_unusual() {
        let mut losses = Losses::default();
        losses.learn_background(&epoch(1, 9));
        // 1.25 %: of 80 packets two are usual, of 79 they are not.
        assert!(!losses.are_unusual(&epoch(2, 78)));
        assert!(losses.are_unusual(&epoch(2, 77)));
        assert!(!losses.are_unusual(&epoch(0, 80)));
    }
}
