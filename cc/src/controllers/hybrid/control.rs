//! What the controller does: at the end of every epoch one step, a pure function of what the epoch
//! has shown and of the state.
//!
//! The order of its rules is the specification ("The control step" in `docs/papers/hybrid.md`).

use std::time::Duration;

use super::drain::{Arrivals, Drain};
use super::judge::attempt::AttemptOutcome;
use super::judge::contended::{Contended, HoldDecision};
use super::judge::{Judge, Outcome};
use super::law;
use super::mechanism::Mechanism;
use super::model::delivery::head_start;
use super::model::seen::{Met, Sampled, Seen};
use super::params::Params;
use crate::controllers::bounds::{bounded, restarted};
use crate::units::Rate;

/// Start-up resumes if so many times as much arrives as when it last did.
const RESUMES_FROM: f64 = 1.25;

/// What a flow does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum State {
    /// The rate multiplies until a queue lasts.
    Startup {
        /// Whether the path was interrupted, and nothing is known of it since.
        path_is_new: bool,
    },
    /// The rate increases while there is hardly a queue.
    Growing,
    /// After a decrease a queue drains.
    Draining(Drain),
    /// Others keep a queue, and the rate is held.
    Holding,
    /// The same, but for a moment less is sent to see what becomes of the delay.
    Probing,
}

impl State {
    /// Whether it is that of start-up.
    pub fn is_startup(&self) -> bool {
        matches!(self, State::Startup { .. })
    }

    /// Whether a share is held beside competing flows.
    pub fn holds(&self) -> bool {
        matches!(self, State::Holding | State::Probing)
    }

    /// The queue that drains.
    pub fn drain(&self) -> Option<Drain> {
        match self {
            State::Draining(drain) => Some(*drain),
            _ => None,
        }
    }

    /// The name in traces and statistics.
    pub fn name(&self) -> &'static str {
        match self {
            State::Startup { .. } => "startup",
            State::Growing => "growing",
            State::Draining(_) => "draining",
            State::Holding => "holding",
            State::Probing => "probing",
        }
    }
}

/// What a step starts from and ends in.
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// R.
    pub rate: Rate,
    /// C, the rate that the path has been found to carry: S of the last decrease, or R where
    /// something else has changed it since. What is lost beyond it may be too much.
    pub carried: Rate,
    pub state: State,
    /// u, the age of the increase: 12 V K after an epoch that did not increase, and L more with
    /// every one since that bears R out.
    pub since_decrease: Duration,
    /// Whether a queue is one, and whose.
    pub judge: Judge,
    /// What arrived when start-up last resumed, since the path was new.
    pub resumed_at: Rate,
}

/// A step.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub next: Control,
    /// The increase, where the rate grows.
    pub alpha: Option<Rate>,
    /// The decrease, as a share of the rate to return to, or of h.
    pub beta: Option<f64>,
    /// Whether the decrease was at a dip, if that is known.
    pub dip: Option<bool>,
    /// What has become of a queue, or of the path.
    pub outcome: Option<Outcome>,
}

impl Control {
    /// With what an epoch tells, with samples or without, before anything follows from it.
    fn after(mut self, seen: &Seen) -> Self {
        if seen.stalled() {
            // It is the path that stands, and nobody's queue.
            self.judge.forget_attempt();
        }
        if let State::Draining(drain) = &mut self.state {
            drain.take_in(seen);
        }
        self.judge.take_in(seen, self.rate);
        self
    }

    /// Before anything is known.
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            carried: Rate::default(),
            state: State::Startup { path_is_new: false },
            since_decrease: Duration::ZERO,
            judge: Judge::default(),
            resumed_at: Rate::default(),
        }
    }

    /// Another rate and state, by an increase or a decrease or neither.
    pub fn to(self, rate: Rate, state: State) -> Step {
        Step {
            next: Self {
                rate,
                state,
                ..self
            },
            alpha: None,
            beta: None,
            dip: None,
            outcome: None,
        }
    }
}

impl Step {
    /// The same, in another state because of what the path has become.
    fn with_outcome(self, outcome: Outcome, state: State, judge: Judge) -> Self {
        Self {
            next: Control {
                state,
                since_decrease: Duration::ZERO,
                judge,
                ..self.next
            },
            outcome: Some(outcome),
            ..self
        }
    }

    /// Whether only what is sent from now on says something about the rate.
    pub fn counts_anew(&self) -> bool {
        let begins = |outcome| outcome != Outcome::NewPath;
        self.beta.is_some() || self.outcome.is_some_and(begins)
    }
}

/// One step.
pub fn step(params: &Params, seen: &Seen, from: &Control) -> Step {
    let mut step = by_rules(params, seen, from.after(seen));
    step.next.carried = carried(from, &step);
    step
}

/// C after a step: while R only increases, what it was.
fn carried(from: &Control, step: &Step) -> Rate {
    let grows = matches!(from.state, State::Growing | State::Draining(_));
    match step.next.state {
        State::Draining(drain) => drain.return_rate,
        _ if grows && step.outcome.is_none() => from.carried,
        _ => step.next.rate,
    }
}

/// All but C.
fn by_rules(params: &Params, seen: &Seen, mut from: Control) -> Step {
    if seen.interrupted {
        return restart(seen, &from);
    }
    if let Some(arrived) = ended_too_early(params, seen, &from) {
        return resume_start_up(seen, arrived, &from);
    }
    let Some(epoch) = seen.sampled() else {
        return from.to(from.rate, from.state);
    };
    if from.state.is_startup() {
        return settled(params, &epoch, &from, start_up(params, &epoch, &from));
    }
    let uncontended = uncontended(params, &epoch, &from);
    let alone = bounded(uncontended.next.rate, epoch.link.packet(), epoch.length);
    let decision = from.judge.hold(params, &epoch, alone);
    let chosen = match decision {
        HoldDecision::Holds { rate, beta } => hold(rate, beta, &from),
        _ => uncontended,
    };
    let step = settled(params, &epoch, &from, chosen);
    match decision {
        HoldDecision::Holds { .. } => step,
        HoldDecision::LongerPath(return_rate) => longer_path(params, return_rate, step),
        // The queue was this flow's own.
        HoldDecision::SlowerLink => {
            let state = step.next.state;
            step.with_outcome(Outcome::SlowerLink, state, Judge::default())
        }
        HoldDecision::Free => find_competing_flows(params, &epoch, step),
    }
}

/// Rule 3. The rate has grown with every ACK; here is only whether that ends.
fn start_up(params: &Params, epoch: &Sampled<'_>, from: &Control) -> Step {
    let new = from.state == (State::Startup { path_is_new: true });
    let outcome = new.then_some(Outcome::NewPath);
    let step = match epoch.met {
        _ if epoch.losses_are_congestion() => end_start_up(params, epoch, from),
        Met::Queue if !epoch.hardly_sends() => end_start_up(params, epoch, from),
        Met::Capacity => from.to(from.rate, State::Growing),
        // A queue that is met by a source which sends hardly anything is that of others.
        Met::Queue | Met::Nothing => from.to(from.rate, State::Startup { path_is_new: false }),
    };
    Step { outcome, ..step }
}

/// R is already beyond what the path carries, which is what has arrived. Of a source that sends
/// hardly anything that is not known, as in rule 4.
fn end_start_up(params: &Params, epoch: &Sampled<'_>, from: &Control) -> Step {
    let (return_rate, ceiling) = match epoch.hardly_sends() {
        true => (from.rate, None),
        false => {
            let arrives = law::link_arrival_rate(epoch, None);
            (from.rate.min(arrives), Some(from.rate))
        }
    };
    let beta = law::beta(params, epoch).unwrap_or(params.min_decrease);
    let drain = Drain {
        return_rate,
        ceiling,
        arrivals: Arrivals::default(),
    };
    Step {
        beta: Some(beta),
        ..from.to(return_rate * (1.0 - beta), State::Draining(drain))
    }
}

/// Rules 4 to 7: what a flow does that has no competing flows.
fn uncontended(params: &Params, epoch: &Sampled<'_>, from: &Control) -> Step {
    match (law::beta(params, epoch), from.state) {
        (Some(beta), _) => decrease(beta, epoch, from),
        (None, State::Draining(_)) if !epoch.is_short() => from.to(from.rate, from.state),
        (None, State::Draining(drain)) => {
            let returns = law::returns_to(params, drain.return_rate, &epoch.link);
            from.to(from.rate.max(returns), State::Growing)
        }
        (None, _) => increase(params, epoch, from),
    }
}

/// Rule 4.
fn decrease(beta: f64, epoch: &Sampled<'_>, from: &Control) -> Step {
    let before = from.state.drain();
    let return_rate = law::return_rate(epoch, from.rate, before);
    let arrivals = before.map(|drain| drain.arrivals);
    let drain = Drain {
        return_rate,
        ceiling: None,
        arrivals: arrivals.unwrap_or_default(),
    };
    let rate = from.rate.min(return_rate * (1.0 - beta));
    Step {
        beta: Some(beta),
        ..from.to(rate, State::Draining(drain))
    }
}

/// Rule 7.
fn increase(params: &Params, epoch: &Sampled<'_>, from: &Control) -> Step {
    let rate = from.rate + law::alpha(params, epoch, (from.rate, from.since_decrease));
    Step {
        alpha: Some(Rate::from_bps(rate.bps() - from.rate.bps())),
        ..from.to(rate, State::Growing)
    }
}

/// What arrives, if start-up has ended too early: much of what was sent at its end, and more than
/// when it last resumed. A flow that is alone has grown well beyond what the path carries by then,
/// so that less than half of it arrives.
fn ended_too_early(params: &Params, seen: &Seen, from: &Control) -> Option<Rate> {
    let drain = from.state.drain()?;
    let (sent, arrived) = (drain.ceiling?, drain.return_rate);
    let enough = arrived * (1.0 + (params.startup_gain - 1.0) / 2.0) >= sent;
    let more = arrived >= from.resumed_at * RESUMES_FROM;
    let has_half = seen.link.is_half_used(arrived) == Some(true);
    (enough && more && !has_half && !seen.losses_may_be_congestion()).then_some(arrived)
}

/// Start-up resumes from what arrives.
fn resume_start_up(seen: &Seen, arrived: Rate, from: &Control) -> Step {
    let rate = bounded(arrived, seen.link.packet(), seen.length);
    let state = State::Startup { path_is_new: false };
    let resumed = Control {
        resumed_at: arrived,
        ..*from
    };
    let step = resumed.to(rate, state);
    step.with_outcome(Outcome::EarlyEnd, state, Judge::default())
}

/// Rule 8: this rate is held beside competing flows.
fn hold(rate: Rate, beta: Option<f64>, from: &Control) -> Step {
    let state = match from.judge.probes() {
        true => State::Probing,
        false => State::Holding,
    };
    Step {
        beta,
        ..from.to(rate, state)
    }
}

/// With the rate within bounds, the age of the increase, and what the epoch has left of the
/// judge.
fn settled(params: &Params, epoch: &Sampled<'_>, from: &Control, mut step: Step) -> Step {
    step.next.judge = from.judge;
    step.next.rate = bounded(step.next.rate, epoch.link.packet(), epoch.length);
    // One while a queue drains says more of the decrease before it.
    let tells = step.beta.is_some() && from.state.drain().is_none();
    step.dip = epoch.dip().filter(|_| tells);
    step.next.since_decrease = if step.alpha.is_none() {
        let period = law::growth_period(params, epoch.link.packet(), from.rate, epoch.length);
        head_start(epoch.variability_after(step.dip), period)
    } else if !epoch.bears_out() {
        from.since_decrease
    } else {
        // Nothing was tried in time that passed without feedback.
        from.since_decrease + epoch.length
    };
    step
}

/// Rule 9: whether the path has become longer, or competing flows keep a queue.
fn find_competing_flows(params: &Params, epoch: &Sampled<'_>, mut step: Step) -> Step {
    let (left, judge) = (
        (step.next.rate, step.next.state.drain()),
        &mut step.next.judge,
    );
    if !params.has(Mechanism::Contention) || judge.is_contended() {
        judge.forget_attempt();
        return step;
    }
    match judge.attempt(params, epoch, left) {
        None => step,
        Some(AttemptOutcome::LongerPath(return_rate)) => longer_path(params, return_rate, step),
        Some(AttemptOutcome::Contended(return_rate)) => contend(epoch, return_rate, step),
    }
}

/// Others keep a queue: what the flow had before they came was at least its share.
fn contend(epoch: &Sampled<'_>, return_rate: Rate, mut step: Step) -> Step {
    let had = return_rate.max(epoch.used_rate);
    let contended = Contended::new(epoch.now, had, epoch.queue(), epoch.length);
    step.next.rate = bounded(contended.held(), epoch.link.packet(), epoch.length);
    let judge = Judge::contended(contended);
    step.with_outcome(Outcome::Contended, State::Holding, judge)
}

/// Back to the rate that a queue, which is none, has cost.
fn longer_path(params: &Params, return_rate: Rate, mut step: Step) -> Step {
    let back = return_rate * (1.0 - params.min_decrease);
    step.next.rate = step.next.rate.max(back);
    step.with_outcome(Outcome::LongerPath, State::Growing, Judge::default())
}

/// After an interruption hardly anything may be in flight.
fn restart(seen: &Seen, from: &Control) -> Step {
    let anew = Control::new(restarted(from.rate, seen.link.packet(), seen.length));
    Step {
        outcome: Some(Outcome::Interrupted),
        ..anew.to(anew.rate, State::Startup { path_is_new: true })
    }
}
