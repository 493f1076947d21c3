//! DEVIATION: a path that vanishes for a while. What was in flight is lost, and what comes back then may come over another path:
//! start-up begins again, with the window that RFC 9002 leaves after persistent congestion (section 7.6.2), and the first delay is
//! that of the path (section 5.2). Persistent congestion itself is answered likewise, whatever the application does.

use std::time::Duration;

use super::dips::{stalls, Dips};
use super::params::Params;
use super::summary::Summary;
use super::update::Phase;
use super::Hybrid;
use crate::controller::MIN_WINDOW_PACKETS;
use crate::measure::epoch::Epoch;
use crate::measure::loss::LossCount;
use crate::measure::used::Used;
use crate::measure::window_min::WindowMin;
use crate::units::Time;

/// The names in traces.
pub const INTERRUPTED: &str = "interrupted";
pub const NEW_PATH: &str = "new_path";

/// Whether nothing came back for much longer than it takes as a rule, and then much was lost.
pub fn interrupts(params: &Params, duration: Duration, usual: Duration, losses: LossCount) -> bool {
    losses.exceeds(params.most_loss()) && stalls(duration, usual)
}

impl Hybrid {
    /// Whether the path has been interrupted. All losses count: those of packets sent before a decrease as well.
    pub(super) fn is_interrupted(&self, epoch: &Epoch, summary: &Summary) -> bool {
        if self.blackout.seen() {
            return true;
        }
        if summary.app_limited || epoch.lost_total == 0 {
            return false;
        }
        let max_ack_delay = self.limits.max_ack_delay.unwrap_or_default();
        let usual = self.usual() + 2 * self.gap + max_ack_delay;
        let losses = LossCount::new(epoch.lost_total, epoch.acked_packets);
        interrupts(&self.params, summary.duration, usual, losses)
    }

    /// Begins again with the minimum window.
    pub(super) fn restart(&mut self, now: Time) -> &'static str {
        let window = self.limits.max_datagram_size * MIN_WINDOW_PACKETS;
        self.rate = self.bounded(self.rate.min(window.per(self.length())));
        self.phase = Phase::Startup;
        self.path_is_new = true;
        self.drain = None;
        self.undisturbed = Duration::ZERO;
        self.forget_others();
        self.largest = WindowMin::new(self.params.base_delay_window);
        self.dips = Dips::default();
        self.queueing_since = None;
        self.used = Used::default();
        self.floors = Default::default();
        (self.noise, self.gap) = (Duration::ZERO, Duration::ZERO);
        self.expect(now);
        INTERRUPTED
    }

    /// After an interruption the first delays are not those of a queue: hardly anything has been sent.
    pub(super) fn meet_path(&mut self, summary: &Summary) -> Option<&'static str> {
        if !self.path_is_new || summary.seen.is_none() {
            return None;
        }
        self.take_for_path();
        self.path_is_new = false;
        Some(NEW_PATH)
    }
}
