//! NewReno's window (RFC 9002, section 7), for controllers that keep its slow start and its
//! reaction to loss.
//!
//! ```text
//!                  loss: w = w / 2, once per round trip
//!   slow start ────────────────────────────────────► recovery ──► congestion avoidance
//!    w += acked      ▲                                w stands      the controller's own law
//!                    └────── nothing came through for 3 probe timeouts: w = 2 packets
//! ```
//!
//! The window is a real number of bytes here, as the laws want it; [`NewReno::bytes`] is what may
//! be in flight.

use crate::controller::{Start, MIN_WINDOW_PACKETS};
use crate::estimate::State;
use crate::feedback::Feedback;
use crate::measure::persistent::PersistentCongestion;
use crate::measure::round::Round;
use crate::measure::rtt::Rtt;
use crate::measure::used::Used;
use crate::spec::{Kind, Parameter};
use crate::units::{Bytes, Rate, Time};

/// The first slow start threshold, as an option.
pub const THRESHOLD: Parameter = Parameter {
    name: "ssthresh",
    kind: Kind::NumberOrOff(0.0, 1e6),
    default: "off",
    help: "first slow start threshold in packets; 0 or off is none",
};

/// RFC 9002, section 7.3.2.
const LOSS_REDUCTION: f64 = 0.5;

/// Where the window stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Below the slow start threshold.
    SlowStart,
    /// Nothing that was sent since the last reaction to a loss has come back.
    Recovery,
    /// At or above the threshold.
    CongestionAvoidance,
}

impl Phase {
    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::SlowStart => "slow_start",
            Phase::Recovery => "recovery",
            Phase::CongestionAvoidance => "congestion_avoidance",
        }
    }

    /// What a source is told.
    pub fn of_estimate(self) -> State {
        match self {
            Phase::SlowStart => State::Startup,
            Phase::Recovery | Phase::CongestionAvoidance => State::Steady,
        }
    }
}

/// What losses have done to the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// Halved (section 7.3.2).
    Halved,
    /// Taken back to the minimum, after persistent congestion (section 7.6).
    Collapsed,
}

impl Reaction {
    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Reaction::Halved => "loss",
            Reaction::Collapsed => "persistent_congestion",
        }
    }
}

/// What of a feedback may change the window: packets that were sent after the last reaction to a
/// loss.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Packets acknowledged.
    pub packets: u64,
    /// Their bytes, for growth: none while the window is not used (section 7.8).
    pub bytes: u64,
}

/// The window.
#[derive(Debug, Clone)]
pub struct NewReno {
    packet: f64,
    window: f64,
    threshold: f64,
    /// The recovery period, and what ends it.
    recovery: Round,
    recovering: bool,
    used: Used,
    persistent: PersistentCongestion,
}

impl NewReno {
    /// The initial window, with a slow start threshold of so many packets (none is no threshold).
    pub fn new(start: Start, threshold_packets: Option<f64>) -> Self {
        let packet = start.max_datagram_size.0.max(1) as f64;
        let initial = start.initial_window_packets.max(MIN_WINDOW_PACKETS) as f64;
        Self {
            packet,
            window: initial * packet,
            threshold: threshold_packets.map_or(f64::INFINITY, |packets| packets * packet),
            recovery: Round::default(),
            recovering: false,
            used: Used::default(),
            persistent: PersistentCongestion::default(),
        }
    }

    /// m: bytes of a full packet.
    pub fn packet(&self) -> f64 {
        self.packet
    }

    /// w, in bytes.
    pub fn window(&self) -> f64 {
        self.window
    }

    /// The slow start threshold in bytes; infinite before it is first set.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// What may be in flight: the whole packets in w. quiche fills whatever room there is, so a
    /// fraction would make it send small packets.
    pub fn bytes(&self) -> Bytes {
        Bytes((self.window / self.packet) as u64 * self.packet as u64)
    }

    /// `gain` windows per RTT (RFC 9002, section 7.7).
    pub fn pacing(&self, gain: f64, rtt: &Rtt) -> Rate {
        self.rate(rtt) * gain
    }

    /// A window per RTT.
    pub fn rate(&self, rtt: &Rtt) -> Rate {
        Rate::from_bps(self.window * 8.0 / rtt.smoothed().as_secs_f64())
    }

    /// Where it stands.
    pub fn phase(&self) -> Phase {
        if self.recovering {
            Phase::Recovery
        } else if self.in_slow_start() {
            Phase::SlowStart
        } else {
            Phase::CongestionAvoidance
        }
    }

    /// Whether the window is below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    /// U: the most that was in flight recently.
    pub fn used(&self) -> Bytes {
        self.used.most()
    }

    /// Whether the window is used, so that it may grow (section 7.8).
    pub fn is_used(&self) -> bool {
        if self.in_slow_start() {
            self.used.may_double(self.window)
        } else {
            self.used.may_grow(self.window, self.packet)
        }
    }

    /// The maximum datagram size has changed.
    pub fn set_packet(&mut self, size: Bytes) {
        self.packet = size.0.max(1) as f64;
        self.change(0.0);
    }

    /// Reacts to the losses in `feedback`, at most once per round trip. To be called for every
    /// feedback.
    pub fn on_losses(&mut self, feedback: &Feedback<'_>, rtt: &Rtt) -> Option<Reaction> {
        self.used.record(feedback);
        let returned = |sent: Time| self.recovery.shows(sent);
        if feedback.acked.iter().any(|packet| returned(packet.sent)) {
            self.recovering = false;
        }
        let counts = feedback.lost.iter().any(|packet| returned(packet.sent));
        let persistent = self.persistent.record(feedback, rtt);
        if counts {
            self.window *= LOSS_REDUCTION;
            self.change(0.0);
            self.threshold = self.window;
            self.recovery.begin(feedback.now);
            self.recovering = true;
        }
        if persistent {
            self.window = 0.0;
            self.change(0.0);
            self.recovery.clear();
            self.recovering = false;
            return Some(Reaction::Collapsed);
        }
        counts.then_some(Reaction::Halved)
    }

    /// What of `feedback` may change the window.
    pub fn counted(&self, feedback: &Feedback<'_>) -> Counted {
        let mut counted = Counted::default();
        for packet in feedback.acked {
            if self.recovery.shows(packet.sent) {
                counted.packets += 1;
                counted.bytes += packet.size.0;
            }
        }
        if !self.is_used() {
            counted.bytes = 0;
        }
        counted
    }

    /// Slow start: grows by what was acknowledged, up to the threshold (section 7.3.1).
    pub fn grow(&mut self, acked: u64) {
        self.window = (self.window + acked as f64).min(self.threshold.max(self.window));
    }

    /// Adds `delta` bytes, which may be negative, down to the minimum window.
    pub fn change(&mut self, delta: f64) {
        self.window = (self.window + delta).max(MIN_WINDOW_PACKETS as f64 * self.packet);
    }

    /// Ends slow start at the present window, or at less if it has ended already.
    pub fn leave_slow_start(&mut self) {
        self.threshold = self.threshold.min(self.window);
    }
}

#[cfg(test)]
mod tests;
