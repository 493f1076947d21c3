//! What quiche's adapter calls.

use std::time::Duration;

use super::report;
use super::Hybrid;
use crate::controller::{Controller, Decision, Ecn, Event, Measured};
use crate::feedback::Feedback;
use crate::measure::floor::{Floor, Spans};
use crate::measure::owd::Source;
use crate::units::{Bytes, Time};

/// What of the path L and the decision depend on. It rarely changes within an epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Basis {
    rtt: Option<Duration>,
    transmission: Duration,
    source: Option<Source>,
}

impl Hybrid {
    fn basis(&self) -> Basis {
        Basis {
            rtt: self.known_rtt(),
            transmission: self.transmission.get(),
            source: Some(self.meter.source()),
        }
    }

    /// Takes in what has changed of the path.
    pub(super) fn follow_path(&mut self) {
        let basis = self.basis();
        if basis != self.basis {
            self.basis = basis;
            self.spans = Spans::of(self.length());
            self.decision = None;
        }
    }

    /// What the flow is doing, as traces and statistics tell it.
    pub(super) fn doing(&self) -> &'static str {
        match (self.in_startup(), self.contended) {
            (true, _) => "startup",
            (_, Some(others)) if others.probes() => "probing",
            (_, Some(others)) if others.holds() => "holding",
            _ if self.drain.is_some() => "draining",
            _ => "growing",
        }
    }

    pub(super) fn decide(&mut self) {
        let decision = self.decision_now();
        let packet = self.limits.max_datagram_size;
        self.room_up_to = Bytes(decision.window.0.saturating_sub(packet.0));
        self.decision = Some(decision);
    }

    fn decision_now(&self) -> Decision {
        Decision {
            window: self.window(),
            pacing: self.pacing(),
            bandwidth: self.rate,
            burst: self.burst(),
            ecn: Ecn::NotEct,
        }
    }
}

impl Controller for Hybrid {
    fn on_sent(&mut self, _now: Time, size: Bytes) {
        if let Some(epoch) = &mut self.epoch {
            epoch.sent = epoch.sent + size;
        }
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.limits.max_ack_delay = Some(feedback.max_ack_delay);
        if feedback.min_rtt.is_some() && feedback.min_rtt != self.handshake_rtt {
            self.handshake_rtt = feedback.min_rtt;
            self.follow_path();
        }
        self.blackout.record(feedback);
        if self.in_startup() {
            self.used.record(feedback);
        }
        self.collect(feedback);
        self.follow_path();
        match &self.epoch {
            Some(_) if self.shows_decrease(feedback) => {
                self.awaits = false;
                self.count();
                self.finish_epoch(feedback);
            }
            Some(epoch) if self.is_over(epoch, feedback.now) => self.finish_epoch(feedback),
            Some(_) => {}
            None => self.rate = self.initial_rate(),
        }
        if self.decision.is_none() {
            self.decide();
        }
    }

    fn on_app_limited(&mut self) {
        if let Some(epoch) = &mut self.epoch {
            epoch.app_limited = true;
        }
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.limits.max_datagram_size = size;
        self.meter.set_max_datagram_size(size);
        self.transmission.restart();
        self.floors.iter_mut().for_each(Floor::interrupt);
        self.decide();
    }

    fn decision(&self) -> Decision {
        debug_assert!(self.decision.is_none_or(|kept| kept == self.decision_now()));
        self.decision.unwrap_or_else(|| self.decision_now())
    }

    fn state(&self) -> &'static str {
        self.doing()
    }

    fn measured(&self) -> Measured {
        self.measured
    }

    fn next_event(&mut self) -> Option<Event> {
        if self.limits.to_tell(&mut self.told_limits) {
            return Some(report::parameters_set(
                &self.spec,
                &self.params,
                self.limits,
            ));
        }
        self.report
            .take()
            .map(|epoch| report::epoch_updated(&epoch))
    }
}
