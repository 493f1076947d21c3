//! How long media and receivers hold ACKs back. Wi-Fi and cellular links hold packets and ACKs and let them go together.

use std::time::Duration;

use crate::measure::epoch::Epoch;
use crate::units::{Bytes, Rate};

/// Packets that a receiver acknowledges together (RFC 9000, section 13.2.2).
const ACKED_TOGETHER: u64 = 2;
/// A longer gap counts as this.
const MOST_GAP: Duration = Duration::from_millis(50);
/// G follows by this share per epoch.
const FOLLOWS: u32 = 8;

/// G: for how long nothing is acknowledged, beyond the time between ACKs of a steady flow.
#[derive(Debug, Clone, Copy, Default)]
pub struct AckGap(Duration);

impl AckGap {
    /// G.
    pub fn get(self) -> Duration {
        self.0
    }

    /// Takes in an epoch at this rate that the application has not limited.
    pub fn learn(&mut self, epoch: &Epoch, rate: Rate, packet: Bytes) {
        if epoch.acked_packets == 0 {
            return;
        }
        let usual = rate.delay_of(packet * ACKED_TOGETHER);
        let gap = epoch.gap().saturating_sub(usual.to_duration());
        self.0 = ((FOLLOWS - 1) * self.0 + gap.min(MOST_GAP)) / FOLLOWS;
    }
}
