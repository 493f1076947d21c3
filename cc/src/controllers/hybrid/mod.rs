//! `hybrid`: a rate and a window, driven by relative one-way delay in three zones.
//!
//! S. Mehrotra, J. Li, S. Sengupta, M. Jain, S. Sen, "Hybrid window and rate based congestion
//! control for delay sensitive applications". Our reading, with every deviation, is
//! `docs/papers/hybrid.md` and the pages that it names; section and equation numbers here are the
//! paper's.
//!
//! This is the profile `default`; the paper's own controller is [`super::hybrid_paper`]. Its
//! skeleton is the paper's: once per epoch of length L, the smallest RTT, the queueing delay `d` of
//! the packets acknowledged in it decides between
//!
//! ```text
//!     free              | filling               | congested
//!     d <= d1           | d1 < d <= d2          | d > d2, or losses that are congestion
//!     R += alpha(d)     | drain the queue       | drain the queue
//! ```
//!
//! and packets are paced at R, but for small bursts, with a window of `R L` and a little more.
//! Delay therefore stays near d1, below what fills a buffer, and loss without delay is not
//! congestion unless it is excessive.
//!
//! Feedback goes into the [`model`] of the path; at the end of an epoch the model says what it has
//! [`model::seen`], and [`control::step`], a pure function, what follows from that.

mod control;
mod drain;
mod estimator;
mod interface;
mod judge;
mod law;
mod mechanism;
mod model;
mod params;
mod report;
mod sending;
mod startup;
mod thresholds;

pub use self::params::{Params, PARAMETERS};

use self::control::{step, Control, State, Step};
use self::estimator::Estimator;
use self::judge::Outcome;
use self::law::Zone;
use self::model::observe::{Doing, Phase};
use self::model::seen::Seen;
use self::model::Model;
use self::report::{Before, Counts, EpochReport};
use self::startup::Startup;
use crate::controller::{Controller, Decision, Measured, Start};
use crate::controllers::bounds;
use crate::controllers::trace::Trace;
use crate::feedback::Feedback;
use crate::measure::epoch::Epoch;
use crate::units::{Bytes, Rate, Time};

/// The controller of one path.
#[derive(Debug)]
pub struct Hybrid {
    params: Params,
    start: Start,
    model: Model,
    startup: Startup,
    control: Control,
    estimator: Estimator,
    /// Epochs that have ended.
    epochs: u64,
    /// The latest, or none where something has changed that it depends on.
    decision: Option<Decision>,
    /// Whether the latest feedback has led to it.
    decided: bool,
    /// With more in flight no packet fits into its window.
    room_up_to: Bytes,
    trace: Trace<EpochReport>,
    measured: Measured,
}

impl Hybrid {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        let model = Model::new(&params, start);
        let control = Control::new(initial_rate(&params, &model, start));
        Self {
            params,
            start,
            model,
            startup: Startup::default(),
            control,
            estimator: Estimator::default(),
            epochs: 0,
            decision: None,
            decided: false,
            room_up_to: Bytes(0),
            trace: Trace::new(spec, start),
            measured: Measured::default(),
        }
    }

    /// Takes in what has changed of the path.
    #[inline]
    fn follow_path(&mut self) {
        if self.model.follow() {
            self.decision = None;
        }
    }

    fn decide(&mut self) {
        let decision = self.decision_now();
        self.room_up_to = Bytes(decision.window.0.saturating_sub(self.model.packet().0));
        self.decision = Some(decision);
        self.decided = true;
    }

    fn decision_now(&self) -> Decision {
        sending::decision(&self.params, &self.model, &self.control, self.epochs)
    }

    /// In start-up the rate grows with every feedback.
    #[inline(never)]
    fn grow(&mut self, feedback: &Feedback<'_>) {
        let (params, model) = (&self.params, &mut self.model);
        let rate = self.control.rate;
        if let Some(grown) = self
            .startup
            .grown(params, model, &self.start, rate, feedback)
        {
            self.control.rate = model.bounded(grown);
            self.decision = None;
        }
        let looks = self.control.state == (State::Startup { path_is_new: false });
        if let Some(newest) = model.delay.newest().filter(|_| looks) {
            let rate = self.control.rate;
            self.startup
                .look_for_queue(params, model, rate, feedback.now, newest);
        }
    }

    /// Whether this feedback ends the epoch: the first that shows what has become of a decrease,
    /// what comes after L, or in start-up one that has shown a queue.
    fn ends_epoch(&mut self, feedback: &Feedback<'_>) -> bool {
        if self.model.shows_decrease(feedback) {
            self.model.end_waiting();
            return true;
        }
        let queues = || self.startup.ends_epoch(&self.model, feedback.now);
        self.model.is_epoch_over(feedback.now) || (self.control.state.is_startup() && queues())
    }

    /// Ends the epoch with this feedback. Apart, so that what every ACK does stays short.
    #[inline(never)]
    fn end_epoch(&mut self, feedback: &Feedback<'_>) {
        let (params, before) = (&self.params, Before::new(&self.control));
        let doing = self.doing(feedback.now);
        let Some((epoch, seen)) = &self.model.end_epoch(params, feedback, doing) else {
            return;
        };
        let step = step(params, seen, &self.control);
        let arrived = self.model.delivery.largest();
        self.estimator.take_in(seen, &self.control, &step, arrived);
        self.follow(&step, seen);
        self.epochs += 1;
        self.decide();
        self.tell(epoch, seen, before, &step);
        self.model.next_epoch(epoch, seen, feedback);
        self.follow_path();
    }

    /// What the flow has done up to now.
    fn doing(&self, now: Time) -> Doing {
        let Control {
            rate,
            carried,
            state,
            ..
        } = self.control;
        let met = || self.startup.met(&self.params, &self.model, rate, now);
        Doing {
            rate,
            carried,
            phase: match state {
                State::Startup { .. } => Phase::Startup(met()),
                State::Holding | State::Probing => Phase::Holding,
                State::Growing | State::Draining(_) => Phase::GivingWay,
            },
        }
    }

    /// Takes a step, and lets the model learn from it.
    fn follow(&mut self, step: &Step, seen: &Seen) {
        if let Some(dip) = step.dip {
            self.model.delivery.learn(dip);
        }
        match step.outcome {
            Some(Outcome::Interrupted) => {
                self.model.forget_path();
                self.model
                    .remember_used(self.control.judge.had_alone(), seen.now);
                self.startup = Startup::default();
            }
            Some(Outcome::NewPath | Outcome::LongerPath) => self.model.take_queue_for_path(),
            Some(Outcome::SlowerLink) => self.model.forget_rates(),
            Some(Outcome::EarlyEnd) => self.startup.resume(),
            Some(Outcome::Contended) | None => {}
        }
        self.control = step.next;
        self.control.rate = self.model.bounded(step.next.rate);
        let competes = self.control.state.holds();
        self.model.delay.pause(competes, seen.now);
        if step.counts_anew() {
            self.model.expect(seen.now);
        }
        self.model.learn_delay(seen);
    }

    fn tell(&mut self, epoch: &Epoch, seen: &Seen, before: Before, step: &Step) {
        let zone = seen.sampled().map(|epoch| law::zone(&epoch));
        self.measured = Measured {
            rowd: seen.delta(),
            source: Some(seen.source),
            zone: zone.map(Zone::number),
        };
        self.trace.keep(EpochReport {
            number: self.trace.updates(),
            epoch: Counts::of(epoch, seen.source),
            seen: *seen,
            zone,
            before,
            alpha: step.alpha,
            beta: step.beta,
            outcome: step.outcome,
            return_rate: step.next.state.drain().map(|drain| drain.return_rate),
            held_rate: step.next.judge.held(),
            rate: self.control.rate,
            window: self.decision().window,
            length: self.model.length(),
            transmission: self.model.transmission(),
            skew: self.model.delay.skew_ppm(),
            return_delay: self.model.delay.return_delay(),
        });
    }
}

/// R until the first epoch begins.
fn initial_rate(params: &Params, model: &Model, start: Start) -> Rate {
    let blackout = model.has_blackout();
    bounds::initial(
        params.initial_rate,
        start,
        blackout,
        model.packet(),
        model.length(),
    )
}

#[cfg(test)]
mod tests;
