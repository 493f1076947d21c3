//! CUBIC (RFC 9438) over QUIC's loss detection (RFC 9002), with HyStart++ and without pacing.

use std::time::Duration;

use quiche_cc::controller::{
    Burst, Controller, Decision, Ecn, Event, Start, CATCH_UP, MIN_WINDOW_PACKETS,
};
use quiche_cc::feedback::Feedback;
use quiche_cc::measure::persistent::PersistentCongestion;
use quiche_cc::measure::round::Round;
use quiche_cc::measure::rtt::Rtt;
use quiche_cc::measure::used::Used;
use quiche_cc::units::{Bytes, Rate, Time};

use super::hystart::HyStart;
use super::window::{Phase, BETA};

/// The controller of one path. Windows are in packets.
#[derive(Debug)]
pub struct Cubic {
    packet: Bytes,
    window: f64,
    threshold: f64,
    /// W_max of the last loss.
    most: f64,
    /// Congestion avoidance since a loss or the end of slow start, and when it began: at the first ACK that counts.
    phase: Phase,
    began: Option<Time>,
    /// When the last feedback came. Time in which the window is not used does not count (section 5.8).
    latest: Time,
    slow_start: Option<HyStart>,
    rtt: Rtt,
    used: Used,
    /// Since the last answer to a loss.
    recovery: Round,
    persistent: PersistentCongestion,
}

impl Cubic {
    /// A controller for a new path.
    pub fn new(start: Start) -> Self {
        let window = start.initial_window_packets.max(MIN_WINDOW_PACKETS) as f64;
        Self {
            packet: start.max_datagram_size,
            window,
            threshold: f64::INFINITY,
            most: 0.0,
            phase: Phase::without_loss(window),
            began: None,
            latest: Time::default(),
            slow_start: None,
            rtt: Rtt::new(start.initial_rtt),
            used: Used::default(),
            recovery: Round::default(),
            persistent: PersistentCongestion::default(),
        }
    }

    fn in_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    fn on_loss(&mut self, now: Time) {
        self.phase = Phase::after_loss(self.window, self.most);
        self.most = self.phase.most();
        self.set_window(self.window * BETA);
        self.threshold = self.window;
        self.began = None;
        self.recovery.begin(now);
    }

    /// Nothing came through: slow start from the minimum window (RFC 9002, section 7.6.2).
    fn on_persistent_congestion(&mut self, now: Time) {
        self.set_window(0.0);
        self.slow_start = Some(HyStart::new(now));
        self.began = None;
        self.recovery.clear();
    }

    fn set_window(&mut self, window: f64) {
        self.window = window.max(MIN_WINDOW_PACKETS as f64);
    }

    /// Whether the window is used, so that it may grow.
    fn is_used(&self) -> bool {
        let packet = self.packet.0 as f64;
        let window = self.window * packet;
        match self.in_slow_start() {
            true => self.used.may_double(window),
            false => self.used.may_grow(window, packet),
        }
    }

    /// Packets that were sent after the last answer to a loss.
    fn counted(&self, feedback: &Feedback<'_>) -> f64 {
        let counts = |sent| self.recovery.shows(sent);
        let sizes = feedback.acked.iter().filter(|packet| counts(packet.sent));
        sizes.map(|packet| packet.size.0).sum::<u64>() as f64 / self.packet.0 as f64
    }

    fn grow(&mut self, feedback: &Feedback<'_>, sample: Option<Duration>) {
        let acked = self.counted(feedback);
        if !self.is_used() {
            let idle = feedback.now.since(self.latest);
            self.began = self.began.map(|began| began + idle);
        } else if self.in_slow_start() {
            self.slow_start(feedback, sample, acked);
        } else if acked > 0.0 {
            let began = *self.began.get_or_insert(feedback.now);
            let (age, rtt) = (feedback.now.since(began), self.rtt.smoothed());
            let (age, rtt) = (age.as_secs_f64(), rtt.as_secs_f64());
            self.window = self.phase.grown(self.window, acked, age, rtt);
        }
    }

    fn slow_start(&mut self, feedback: &Feedback<'_>, sample: Option<Duration>, acked: f64) {
        let slow_start = self.slow_start.get_or_insert(HyStart::new(feedback.now));
        let newest = feedback.acked.last().zip(sample);
        let over = newest
            .is_some_and(|(packet, sample)| slow_start.ends(packet.sent, feedback.now, sample));
        self.window = (self.window + acked * slow_start.gain()).min(self.threshold);
        if over {
            self.threshold = self.window;
        }
        if !self.in_slow_start() {
            self.phase = Phase::without_loss(self.window);
        }
    }
}

impl Controller for Cubic {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let sample = self.rtt.record(feedback);
        self.used.record(feedback);
        let persistent = self.persistent.record(feedback, &self.rtt);
        if feedback
            .lost
            .iter()
            .any(|packet| self.recovery.shows(packet.sent))
        {
            self.on_loss(feedback.now);
        }
        match persistent {
            true => self.on_persistent_congestion(feedback.now),
            false => self.grow(feedback, sample),
        }
        self.latest = feedback.now;
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        let bytes = self.window * self.packet.0 as f64;
        self.packet = size;
        self.set_window(bytes / size.0.max(1) as f64);
    }

    /// Whole packets: quiche fills whatever room there is.
    fn decision(&self) -> Decision {
        let window = Bytes(self.window as u64 * self.packet.0);
        Decision {
            window,
            pacing: Rate::INFINITE,
            bandwidth: window.per(self.rtt.smoothed()),
            burst: Burst {
                after_idle: 10,
                together: 1,
                catch_up: CATCH_UP,
            },
            ecn: Ecn::NotEct,
        }
    }

    fn state(&self) -> &'static str {
        match self.in_slow_start() {
            true => "slow_start",
            false => "congestion_avoidance",
        }
    }

    fn next_event(&mut self) -> Option<Event> {
        None
    }
}
