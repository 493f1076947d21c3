//! DEVIATION: what media do to delays and ACKs although there is no queue. Wi-Fi and cellular links hold packets and ACKs back and
//! let them go together; most peers report no receive times, so that the way back is in every delay.

use std::time::Duration;

use super::summary::Summary;
use super::Hybrid;
use crate::measure::epoch::Epoch;
use crate::units::Rate;

/// Packets that a receiver acknowledges together (RFC 9000, section 13.2.2).
const ACKED_TOGETHER: u64 = 2;
/// A longer gap counts as this.
const MOST_GAP: Duration = Duration::from_millis(50);
/// G follows by this share per epoch.
const FOLLOWS: u32 = 8;

impl Hybrid {
    /// G: for how long nothing is acknowledged, beyond the time between ACKs of a steady flow with this `rate`.
    pub(super) fn learn_gap(&mut self, epoch: &Epoch, app_limited: bool, rate: Rate) {
        if app_limited || epoch.acked_packets == 0 {
            return;
        }
        let usual = rate.delay_of(self.limits.max_datagram_size * ACKED_TOGETHER);
        let gap = epoch.gap().saturating_sub(usual.to_duration());
        self.gap = ((FOLLOWS - 1) * self.gap + gap.min(MOST_GAP)) / FOLLOWS;
    }

    /// N: what delays have above their minimum although there is no queue. To be called once it is known what the epoch leads to.
    pub(super) fn learn_noise(&mut self, summary: &Summary) {
        for floor in &mut self.floors {
            floor.close();
            if self.awaits {
                floor.interrupt();
            }
        }
        self.noise = self.floors[summary.source as usize].noise();
    }
}
