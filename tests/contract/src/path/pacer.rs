//! quiche's pacer, with the exceptions that a controller allows.

use std::time::Duration;

use quiche_cc::controller::Decision;
use quiche_cc::units::Bytes;

/// Below this rate quiche never lets packets leave together.
const TOGETHER_ABOVE_BPS: f64 = 1.2e6;

/// When the next packet may leave.
#[derive(Debug, Clone, Default)]
pub struct Pacer {
    release: Duration,
    unpaced: usize,
    together: usize,
    limited: bool,
}

/// What a packet found when it left.
#[derive(Debug, Clone, Copy)]
pub struct Departure {
    /// When it left.
    pub now: Duration,
    /// Its size.
    pub size: Bytes,
    /// Bytes in flight before it.
    pub in_flight: Bytes,
    /// Size of a full packet.
    pub max_datagram_size: Bytes,
}

impl Pacer {
    /// The pacer of a new path.
    pub fn new(decision: &Decision) -> Self {
        Self {
            unpaced: decision.burst.after_idle,
            ..Self::default()
        }
    }

    /// The earliest departure.
    pub fn release(&self, now: Duration) -> Duration {
        if self.unpaced > 0 || self.together > 0 {
            now
        } else {
            self.release.max(now)
        }
    }

    /// Losses end a burst.
    pub fn on_lost(&mut self) {
        self.unpaced = 0;
    }

    /// There is no data although there is room.
    pub fn on_app_limited(&mut self) {
        self.limited = false;
    }

    /// A packet has left.
    pub fn on_sent(&mut self, decision: &Decision, sent: &Departure) {
        let size = sent.max_datagram_size.0.max(1);
        let window = usize::try_from(decision.window.0 / size).unwrap_or(usize::MAX);
        if sent.in_flight == Bytes(0) {
            self.unpaced = decision.burst.after_idle.min(window);
        }
        if self.unpaced > 0 {
            self.unpaced -= 1;
            self.release = Duration::ZERO;
            self.limited = false;
            return;
        }
        let can_send = sent.in_flight + sent.size < decision.window;
        if !self.limited || self.together == 0 {
            let slow = decision.bandwidth.bps() < TOGETHER_ABOVE_BPS;
            self.together = if slow || !can_send {
                1
            } else {
                decision.burst.together.min(window / 4).max(1)
            };
        }
        self.together -= 1;
        let gap = Duration::from_secs_f64(sent.size.0 as f64 * 8.0 / decision.pacing.bps());
        let earliest = sent.now.saturating_sub(decision.burst.catch_up);
        self.release = self.release.max(earliest) + gap;
        self.limited = can_send;
    }
}
