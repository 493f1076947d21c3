//! What quiche's adapter calls.

use super::{initial_rate, report, Hybrid};
use crate::controller::{Controller, Decision, Event, Measured};
use crate::estimate::Estimate;
use crate::feedback::Feedback;
use crate::units::{Bytes, Time};

impl Controller for Hybrid {
    fn on_sent(&mut self, _now: Time, size: Bytes) {
        self.model.on_sent(size);
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.decided = false;
        self.trace.record(feedback);
        if self.model.delay.follow_recovery(feedback) {
            self.follow_path();
        }
        let (starts, first) = (
            self.control.state.is_startup(),
            self.model.epoch().is_none(),
        );
        self.startup.record(feedback);
        self.model
            .record(feedback, self.control.rate, self.room_up_to);
        if starts && !first {
            self.grow(feedback);
        }
        self.follow_path();
        if first {
            self.control.rate = initial_rate(&self.params, &self.model, self.start);
            self.decision = None;
        } else if self.ends_epoch(feedback) {
            self.end_epoch(feedback);
        }
        if self.decision.is_none() {
            self.decide();
        }
    }

    fn on_app_limited(&mut self) {
        self.model.on_app_limited();
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.trace.set_max_datagram_size(size);
        self.model.on_max_datagram_size(size);
        self.decide();
    }

    fn decision(&self) -> Decision {
        debug_assert!(self.decision.is_none_or(|kept| kept == self.decision_now()));
        self.decision.unwrap_or_else(|| self.decision_now())
    }

    fn has_decided(&self) -> bool {
        self.decided
    }

    fn state(&self) -> &'static str {
        self.control.state.name()
    }

    fn measured(&self) -> Measured {
        self.measured
    }

    fn estimate(&self, now: Time) -> Estimate {
        let remembered = self.params.base_delay_window;
        self.estimator
            .estimate(&self.model, &self.control, remembered, now)
    }

    fn next_event(&mut self) -> Option<Event> {
        let set = |spec: &str, limits| report::parameters_set(spec, &self.params, limits);
        self.trace.next_event(set, report::epoch_updated)
    }
}
