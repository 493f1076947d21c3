//! How long media and receivers hold ACKs back. Wi-Fi and cellular links hold packets and ACKs and
//! let them go together.

use std::time::Duration;

use crate::measure::epoch::Epoch;
use crate::units::{Bytes, Rate};

/// Packets that a receiver acknowledges together (RFC 9000, section 13.2.2).
const ACKED_TOGETHER: u64 = 2;
/// A longer gap counts as this: what collisions on a busy Wi-Fi hold packets back. What is longer
/// is an outage.
const MOST_GAP: Duration = Duration::from_millis(120);
/// An epoch of this length counts as much as all before it.
const REMEMBERED: Duration = Duration::from_millis(320);
/// One that is longer counts as this, which leaves nothing of those before it.
const LONGEST: Duration = Duration::from_secs(60);

/// G: for how long nothing is acknowledged, beyond the time between ACKs of a steady flow.
#[derive(Debug, Clone, Copy, Default)]
pub struct AckGap(Duration);

impl AckGap {
    /// One that is known.
    #[cfg(test)]
    pub fn of(gap: Duration) -> Self {
        Self(gap)
    }

    /// G.
    pub fn get(self) -> Duration {
        self.0
    }

    /// Takes in an epoch at this rate that the application has not limited.
    pub fn learn(&mut self, epoch: &Epoch, lasted: Duration, rate: Rate, packet: Bytes) {
        if epoch.acked_packets == 0 {
            return;
        }
        let usual = rate.delay_of(packet * ACKED_TOGETHER);
        let gap = epoch.gap().saturating_sub(usual.to_duration());
        self.add(gap, lasted);
    }

    /// A mean over time, not over epochs: where L is short, most epochs fall between two gaps, and
    /// most of the time passes in gaps.
    fn add(&mut self, gap: Duration, lasted: Duration) {
        let lasted = lasted.min(LONGEST);
        let nanos = |duration: Duration| duration.as_nanos() as u64;
        let sum = nanos(self.0) * nanos(REMEMBERED) + nanos(gap.min(MOST_GAP)) * nanos(lasted);
        self.0 = Duration::from_nanos(sum / nanos(REMEMBERED + lasted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G after ten seconds in which epochs with these gaps and durations, in ms, take turns.
    fn settled(epochs: &[(u64, u64)]) -> f64 {
        let mut gap = AckGap::default();
        let round: u64 = epochs.iter().map(|(_, lasted)| lasted).sum();
        for (held, lasted) in epochs.repeat((10_000 / round) as usize) {
            gap.add(Duration::from_millis(held), Duration::from_millis(lasted));
        }
        gap.get().as_secs_f64() * 1e3
    }

    #[test]
    fn it_is_the_gap_in_which_most_of_the_time_passes() {
        let steady = settled(&[(20, 40)]);
        assert!((steady - 20.0).abs() < 0.01, "{steady}");
        // On a path of 3 ms whose packets are held back for 100 ms once in ten epochs.
        let short = [vec![(100, 103)], vec![(0, 3); 9]].concat();
        let mostly = settled(&short);
        assert!((70.0..95.0).contains(&mostly), "{mostly}");
    }

    #[test]
    fn it_follows_as_fast_on_short_paths_as_on_long_ones() {
        let after = |lasted| {
            let mut gap = AckGap::default();
            for _ in 0..400 / lasted {
                gap.add(Duration::from_millis(50), Duration::from_millis(lasted));
            }
            gap.get().as_secs_f64() * 1e3
        };
        assert!((after(4) - after(40)).abs() < 2.0);
    }

    #[test]
    fn an_outage_is_none() {
        assert!(settled(&[(2_000, 2_000)]) <= 120.0);
    }
}
