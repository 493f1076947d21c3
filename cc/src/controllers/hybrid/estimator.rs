//! What a source may count on, as far as epochs have shown it (`docs/estimate.md`).

use std::time::Duration;

use super::control::{Control, State, Step};
use super::judge::Outcome;
use super::model::seen::Seen;
use super::model::Model;
use crate::estimate::{self, Estimate};
use crate::units::{Owd, Rate, Time};

/// So many times what arrives, as in slow start: where R was not tried, an encoder that jumps there
/// builds the queue.
const UNPROVEN: f64 = 2.0;

/// What epochs have shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Estimator {
    /// d of the last epoch with samples.
    queue: Option<Owd>,
    /// When the last epoch ended that had some, and in which R was tried.
    tried: Option<Time>,
    /// The rate that last met a queue, until more is sent without one.
    met: Option<Rate>,
    /// The largest recent delivery rate at the end of an epoch in which R was tried, or rate of a
    /// train in one, since the path was interrupted.
    reached: Rate,
}

impl Estimator {
    /// Takes in an epoch, and what followed from it; `arrived` is the largest recent delivery rate.
    pub fn take_in(&mut self, seen: &Seen, from: &Control, step: &Step, arrived: Rate) {
        let tried = seen.observed.is_some() && seen.tried && !seen.interrupted;
        if tried {
            self.tried = Some(seen.now);
        }
        if step.outcome == Some(Outcome::Interrupted) {
            (self.queue, self.reached) = (None, Rate::default());
        } else {
            self.queue = (seen.observed).map_or(self.queue, |observed| Some(observed.queue));
        }
        if tried {
            self.reached = self.reached.max(arrived).max(seen.train_rate);
        }
        let competes = step.next.state.holds() || from.state.holds();
        let another_path = !matches!(step.outcome, None | Some(Outcome::SlowerLink));
        if competes || another_path {
            // A queue was others', or none.
            self.met = None;
        } else if step.beta.is_some() {
            let drained = from
                .state
                .drain()
                .map_or(from.rate, |drain| drain.return_rate);
            self.met = Some(from.rate.max(drained));
        } else if tried && self.met.is_some_and(|met| from.rate > met) {
            self.met = None;
        }
    }

    /// What follows from it now. A queue is forgotten if R was not tried for so long as minima are
    /// `remembered`.
    pub fn estimate(
        &self,
        model: &Model,
        control: &Control,
        remembered: Duration,
        now: Time,
    ) -> Estimate {
        let arrived = model.delivery.largest();
        let arrived = (arrived > Rate::default()).then_some(arrived);
        let link = model.shown_rate();
        let target = arrived.map(|arrived| self.target(control, arrived, link));
        let evidence_age = self.tried.map(|tried| now.since(tried));
        let recent = evidence_age.is_some_and(|age| age <= remembered);
        let bounds = [self.met.filter(|_| recent), link];
        let bound = bounds.into_iter().flatten().reduce(Rate::min);
        Estimate {
            target,
            least: arrived.zip(target).map(|(least, target)| least.min(target)),
            most: bound.zip(target).map(|(most, target)| most.max(target)),
            queueing_delay: self.queue.map(Owd::to_duration),
            state: Some(state(control)),
            evidence_age,
        }
    }

    /// What may be sent without a queue of one's own. A probe takes from what is held only for a
    /// moment. What `link` is known to carry cannot hold back a flow that sends more: its own
    /// packets are closer then.
    fn target(&self, control: &Control, arrived: Rate, link: Option<Rate>) -> Rate {
        let held = control.judge.held().filter(|_| control.state.holds());
        let proven = self.reached.max(arrived * UNPROVEN);
        let rate = held.unwrap_or(control.rate).min(proven);
        link.map_or(rate, |link| rate.min(link))
    }
}

fn state(control: &Control) -> estimate::State {
    match control.state {
        State::Startup { path_is_new: true } => estimate::State::Interrupted,
        State::Startup { path_is_new: false } => estimate::State::Startup,
        State::Growing | State::Draining(_) => estimate::State::Steady,
        State::Holding | State::Probing => estimate::State::Contended,
    }
}
