//! Whether the receive timestamps that a peer reports can be believed.
//!
//! They are claims. A peer that wants more than its share reports that nothing queues. What it
//! cannot fake is the RTT, downwards, and that what is lost stays unacknowledged. So
//!
//! - a relative one-way delay is never longer than the RTT has grown, and never far below its
//!   minimum while the RTT is not; samples that are do not count, and several in a row mean that a
//!   clock was set ([`Trust::check`]);
//! - packets are lost from full buffers while the RTT says that there is a queue: if the receive
//!   times say that there is none, again and again, they lose their authority for good
//!   ([`Trust::end_epoch`]). Random loss beside a congested return path looks alike when it is
//!   heavy; falling back to ACK arrivals is then the safe side.

use crate::units::Owd;

/// Disagreement that noise, ACK delay and a drift of 200 ppm over the window explain.
const SLACK: Owd = Owd::from_nanos(5_000_000);
/// Implausible samples in a row that mean a clock step.
const STEP_SAMPLES: u32 = 3;
/// Clock steps after which nothing is believed any more.
const MAX_STEPS: u32 = 8;
/// Queueing that only the RTT shows, from which on a loss contradicts the receive timestamps.
const HIDDEN: Owd = Owd::from_nanos(10_000_000);
/// Contradicting losses, decayed by an eighth per epoch, that take the authority away.
const MAX_CONTRADICTIONS: f64 = 3.0;
/// The least share of packets that they must be, so that rare random loss does not add up.
const MIN_LOSS_SHARE: f64 = 0.02;
/// What is left of the counts after an epoch.
const DECAY: f64 = 7.0 / 8.0;

/// What one sample is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plausibility {
    /// It counts.
    Plausible,
    /// It does not.
    Implausible,
    /// It is the latest of several that agree on other clocks.
    ClockStep,
}

/// What one epoch says about the receive timestamps.
#[derive(Debug, Clone, Copy)]
pub struct Evidence {
    /// Packets acknowledged.
    pub acked: u64,
    /// Packets lost.
    pub lost: u64,
    /// Mean relative one-way delay by receive timestamps.
    pub by_timestamp: Option<Owd>,
    /// The same by ACK arrivals.
    pub by_ack: Option<Owd>,
}

/// The standing of a peer's receive timestamps.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    implausible: u32,
    steps: u32,
    packets: f64,
    contradictions: f64,
    lost: bool,
}

impl Trust {
    /// Whether they are not to be used any more.
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// Whether a one-way delay that is so much `above` the minimum of its size agrees with the
    /// `excess` of its RTT: almost every one does, and is above the lowest of any size then. Of the
    /// others [`check`](Self::check) says what they are worth.
    #[inline]
    pub fn agrees(&mut self, above: Owd, excess: Owd) -> bool {
        let agrees = Owd::ZERO <= above && above <= longest(excess);
        if agrees {
            self.implausible = 0;
        }
        agrees
    }

    /// Holds a one-way delay against the minimum of its size, and the lowest of any size.
    ///
    /// `excess` is what the packet's RTT has beyond the smallest RTT; `fall` is by how much the
    /// ACK's RTT is below what was the smallest.
    pub fn check(
        &mut self,
        owd: Owd,
        (minimum, lowest): (Option<Owd>, Option<Owd>),
        excess: Owd,
        fall: Owd,
    ) -> Plausibility {
        let longest = longest(excess);
        let too_long = minimum.is_some_and(|minimum| owd > minimum + longest);
        let deepest = fall.max(Owd::ZERO) + SLACK;
        let too_short = lowest.is_some_and(|lowest| owd + deepest < lowest);
        if !too_long && !too_short {
            self.implausible = 0;
            return Plausibility::Plausible;
        }
        self.implausible += 1;
        if self.implausible < STEP_SAMPLES {
            return Plausibility::Implausible;
        }
        self.implausible = 0;
        self.steps += 1;
        self.lost = self.lost || self.steps > MAX_STEPS;
        Plausibility::ClockStep
    }

    /// Takes in what an epoch has shown.
    pub fn end_epoch(&mut self, evidence: &Evidence) {
        let hidden = match (evidence.by_ack, evidence.by_timestamp) {
            (Some(by_ack), Some(by_timestamp)) => by_ack - by_timestamp > HIDDEN,
            _ => false,
        };
        let contradicting = if hidden { evidence.lost } else { 0 };
        self.contradictions = self.contradictions * DECAY + contradicting as f64;
        self.packets = self.packets * DECAY + (evidence.acked + evidence.lost) as f64;
        self.lost = self.lost
            || (self.contradictions >= MAX_CONTRADICTIONS
                && self.contradictions >= MIN_LOSS_SHARE * self.packets);
    }
}

/// The most that a delay can have above its minimum, by what its RTT has.
fn longest(excess: Owd) -> Owd {
    excess.max(Owd::ZERO) + SLACK
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(value: i64) -> Owd {
        Owd::from_nanos(value * 1_000_000)
    }

    fn check(trust: &mut Trust, owd: i64, minimum: i64, rtt_excess: i64) -> Plausibility {
        let minimum = Some(millis(minimum));
        let excess = millis(rtt_excess);
        trust.check(millis(owd), (minimum, minimum), excess, Owd::ZERO - excess)
    }

    #[test]
    fn a_delay_within_what_the_rtt_shows_is_plausible_whatever_the_offset() {
        for offset in [0, -7_200_000, 7_200_000] {
            let mut trust = Trust::default();
            for rowd in [0, 5, 40, 45] {
                let got = check(&mut trust, offset + rowd, offset, 40);
                assert_eq!(got, Plausibility::Plausible, "{rowd} at {offset}");
            }
        }
    }

    #[test]
    fn times_from_the_future_or_long_before_do_not_count() {
        let mut trust = Trust::default();
        assert_eq!(check(&mut trust, 46, 0, 40), Plausibility::Implausible);
        assert_eq!(check(&mut trust, 45, 0, 40), Plausibility::Plausible);
        assert_eq!(check(&mut trust, -6, 0, 40), Plausibility::Implausible);
        // The RTT has fallen as well: a shorter path.
        assert_eq!(check(&mut trust, -26, 0, -20), Plausibility::Implausible);
        assert_eq!(check(&mut trust, -25, 0, -20), Plausibility::Plausible);
    }

    #[test]
    fn without_a_minimum_of_its_size_a_packet_may_be_slower() {
        let mut trust = Trust::default();
        let small = Some(millis(50));
        for _ in 0..STEP_SAMPLES {
            let got = trust.check(millis(60), (None, small), Owd::ZERO, Owd::ZERO);
            assert_eq!(got, Plausibility::Plausible);
        }
    }

    #[test]
    fn a_clock_that_was_set_is_recognised_but_not_for_ever() {
        let mut trust = Trust::default();
        for step in 0..=MAX_STEPS {
            assert!(!trust.is_lost(), "step {step}");
            assert_eq!(check(&mut trust, 1_000, 0, 3), Plausibility::Implausible);
            assert_eq!(check(&mut trust, 1_000, 0, 3), Plausibility::Implausible);
            assert_eq!(check(&mut trust, 1_000, 0, 3), Plausibility::ClockStep);
        }
        assert!(trust.is_lost());
    }

    fn epochs(count: u32, lost: u64, by_timestamp: i64, by_ack: i64) -> Trust {
        let mut trust = Trust::default();
        let by_timestamp = Some(millis(by_timestamp));
        let by_ack = Some(millis(by_ack));
        let evidence = Evidence {
            acked: 10,
            lost,
            by_timestamp,
            by_ack,
        };
        (0..count).for_each(|_| trust.end_epoch(&evidence));
        trust
    }

    #[test]
    fn denying_a_queue_that_drops_packets_loses_all_authority() {
        assert!(!epochs(2, 1, 0, 400).is_lost());
        assert!(epochs(4, 1, 0, 400).is_lost());
    }

    #[test]
    fn a_congested_return_path_without_loss_or_loss_without_one_does_not() {
        assert!(!epochs(1000, 0, 0, 400).is_lost());
        assert!(!epochs(1000, 2, 3, 9).is_lost());
        // Where both agree that there is a queue.
        assert!(!epochs(1000, 2, 395, 400).is_lost());
    }
}
