//! What the controller does: at the end of every epoch one step, a pure function of what the epoch has shown and of the state.
//!
//! The order of its rules is the specification ("The control step" in `docs/papers/hybrid.md`).

use std::time::Duration;

use super::drain::{Arrivals, Drain};
use super::judge::attempt::{Attempted, Finding};
use super::judge::contended::{Contended, Verdict};
use super::judge::{Judge, Outcome};
use super::law;
use super::mechanism::Mechanism;
use super::model::delivery::head_start;
use super::model::seen::{Met, Observed, Seen};
use super::params::Params;
use crate::controllers::bounds::{bounded, restarted};
use crate::units::Rate;

/// Start-up goes on if so many times as much arrives as when it last did.
const GOES_ON_FROM: f64 = 1.25;

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
    pub state: State,
    /// u: how long there has been no decrease, nor a limit by the application.
    pub since_decrease: Duration,
    /// Whether a queue is one, and whose.
    pub judge: Judge,
    /// What arrived when start-up last went on, since the path was new.
    pub went_on: Rate,
}

/// A step.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub next: Control,
    /// The increase, where the rate grows.
    pub alpha: Option<Rate>,
    /// The decrease, as a share of the rate.
    pub beta: Option<f64>,
    /// Whether the decrease was at a dip, if that is known.
    pub dip: Option<bool>,
    /// What has become of a queue, or of the path.
    pub outcome: Option<Outcome>,
}

impl Control {
    /// Before anything is known.
    pub fn new(rate: Rate) -> Self {
        Self {
            rate,
            state: State::Startup { path_is_new: false },
            since_decrease: Duration::ZERO,
            judge: Judge::default(),
            went_on: Rate::default(),
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
    /// Whether only what is sent from now on says something about the rate.
    pub fn counts_anew(&self) -> bool {
        let begins = |outcome| outcome != Outcome::NewPath;
        self.beta.is_some() || self.outcome.is_some_and(begins)
    }
}

/// One step.
pub fn step(params: &Params, seen: &Seen, from: &Control) -> Step {
    let mut from = *from;
    if seen.stalled() {
        // It is the path that stands, and nobody's queue.
        from.judge.forget_attempt();
    }
    if let State::Draining(drain) = &mut from.state {
        drain.take_in(seen);
    }
    from.judge.take_in(seen, from.rate);
    if seen.interrupted {
        return restart(seen, &from);
    }
    let Some(observed) = seen.observed else {
        return from.to(from.rate, from.state);
    };
    if let State::Startup { path_is_new } = from.state {
        let step = start_up(params, &observed, seen, &from);
        let outcome = path_is_new.then_some(Outcome::NewPath);
        return settled(params, seen, &from, Step { outcome, ..step });
    }
    let mut alone = alone(params, &observed, seen, &from);
    let verdict = from
        .judge
        .beside_competing_flows(&observed, seen, alone.next.rate);
    alone.next.judge = from.judge;
    match verdict {
        Verdict::Holds { rate, beta } => {
            let state = if from.judge.probes() {
                State::Probing
            } else {
                State::Holding
            };
            let held = Step {
                beta,
                ..from.to(rate, state)
            };
            settled(params, seen, &from, held)
        }
        Verdict::LongerPath(return_rate) => {
            longer_path(params, return_rate, settled(params, seen, &from, alone))
        }
        Verdict::SlowerLink => slower_link(settled(params, seen, &from, alone)),
        Verdict::Free => {
            find_competing_flows(params, &observed, seen, settled(params, seen, &from, alone))
        }
    }
}

/// Rule 3. The rate has grown with every ACK; here is only whether that ends.
fn start_up(params: &Params, observed: &Observed, seen: &Seen, from: &Control) -> Step {
    if !observed.losing(&seen.thresholds) && seen.met != Met::Queue {
        return match seen.met {
            Met::Capacity => from.to(from.rate, State::Growing),
            _ => from.to(from.rate, State::Startup { path_is_new: false }),
        };
    }
    // R is already beyond what the path carries, which is what has arrived.
    let return_rate = from.rate.min(law::link_arrival_rate(observed, seen, None));
    let beta = law::decrease(params, observed, seen).unwrap_or(params.min_decrease);
    let drain = Drain {
        return_rate,
        ceiling: Some(from.rate),
        arrivals: Arrivals::default(),
    };
    Step {
        beta: Some(beta),
        ..from.to(return_rate * (1.0 - beta), State::Draining(drain))
    }
}

/// Rules 4 to 7: what a flow does that is alone.
fn alone(params: &Params, observed: &Observed, seen: &Seen, from: &Control) -> Step {
    if let State::Draining(drain) = from.state {
        if tells_of_startup(observed, seen) && ended_too_early(params, seen, &drain, from) {
            return start_up_goes_on(drain.return_rate, from);
        }
    }
    if let Some(beta) = law::decrease(params, observed, seen) {
        let before = from.state.drain();
        let return_rate = law::return_rate(observed, seen, from.rate, before);
        let arrivals = before.map(|drain| drain.arrivals);
        let drain = Drain {
            return_rate,
            ceiling: None,
            arrivals: arrivals.unwrap_or_default(),
        };
        return Step {
            beta: Some(beta),
            ..from.to(
                from.rate.min(return_rate * (1.0 - beta)),
                State::Draining(drain),
            )
        };
    }
    match from.state {
        State::Draining(_) if !seen.thresholds.is_short(observed.queue) => {
            from.to(from.rate, from.state)
        }
        State::Draining(drain) => {
            let returns = law::returns_to(params, drain.return_rate, &seen.link);
            from.to(from.rate.max(returns), State::Growing)
        }
        _ => {
            let rate =
                from.rate + law::increase(params, observed, seen, (from.rate, from.since_decrease));
            Step {
                alpha: Some(Rate::from_bps(rate.bps() - from.rate.bps())),
                ..from.to(rate, State::Growing)
            }
        }
    }
}

/// Whether the epoch shows what has become of the queue that ended start-up: it has drained, or a decrease would follow. Where T is
/// known the latter says nothing: start-up has insisted on a queue already.
fn tells_of_startup(observed: &Observed, seen: &Seen) -> bool {
    let stands = observed.queue > seen.thresholds.d1 && seen.link.rate().is_none();
    let drained = seen.thresholds.is_short(observed.queue);
    (drained || stands) && !observed.losing(&seen.thresholds)
}

/// Whether start-up has ended too early: nearly all arrived that was sent at its end, and more than when it last went on. A flow
/// that is alone has grown well beyond what the path carries by then.
fn ended_too_early(params: &Params, seen: &Seen, drain: &Drain, from: &Control) -> bool {
    let arrived = drain.return_rate;
    let most_sent = arrived * (1.0 + (params.startup_gain - 1.0) / 2.0);
    let nearly_all = drain.ceiling.is_some_and(|sent| most_sent >= sent);
    let has_half = seen.link.alone().is_some_and(|alone| arrived >= alone);
    nearly_all && arrived >= from.went_on * GOES_ON_FROM && !has_half
}

/// Start-up goes on from what arrives.
fn start_up_goes_on(arrived: Rate, from: &Control) -> Step {
    let from = Control {
        went_on: arrived,
        ..*from
    };
    Step {
        outcome: Some(Outcome::EarlyEnd),
        ..from.to(arrived, State::Startup { path_is_new: false })
    }
}

/// With the rate within bounds, and the time without a decrease.
fn settled(params: &Params, seen: &Seen, from: &Control, mut step: Step) -> Step {
    step.next.rate = bounded(step.next.rate, seen.link.packet(), seen.length);
    // One while a queue drains says more of the decrease before it.
    let tells = step.beta.is_some() && from.state.drain().is_none();
    step.dip = seen.dip().filter(|_| tells);
    step.next.since_decrease = if step.alpha.is_none() {
        let period = law::growth_period(params, seen.link.packet(), from.rate, seen.length);
        head_start(seen.variability_after(step.dip), period)
    } else if seen.app_limited {
        // R was not tried, which says nothing against it: frames leave some epochs of a source half used that fills it otherwise.
        from.since_decrease
    } else {
        // Nothing was tried in time that passed without feedback.
        from.since_decrease + seen.length
    };
    step
}

/// Rule 9: whether the path has become longer, or competing flows keep a queue.
fn find_competing_flows(params: &Params, observed: &Observed, seen: &Seen, mut step: Step) -> Step {
    let judge = &mut step.next.judge;
    if !params.has(Mechanism::Contention) || judge.is_contended() {
        judge.forget_attempt();
        return step;
    }
    let drain = step.next.state.drain();
    let attempted = Attempted::new(params, observed, seen, step.next.rate);
    match judge.judge(&attempted, drain) {
        None => step,
        Some(Finding::LongerPath(return_rate)) => longer_path(params, return_rate, step),
        Some(Finding::Contended(return_rate)) => contend(observed, seen, return_rate, step),
    }
}

/// Others keep a queue: what the flow had before they came was at least its share.
fn contend(observed: &Observed, seen: &Seen, return_rate: Rate, step: Step) -> Step {
    let had = return_rate.max(seen.had);
    let contended = Contended::new(seen.now, had, observed.queue, seen.length);
    Step {
        next: Control {
            rate: bounded(contended.held(), seen.link.packet(), seen.length),
            state: State::Holding,
            since_decrease: Duration::ZERO,
            judge: Judge::contended(contended),
            ..step.next
        },
        outcome: Some(Outcome::Contended),
        ..step
    }
}

/// Back to the rate that a queue, which is none, has cost.
fn longer_path(params: &Params, return_rate: Rate, step: Step) -> Step {
    let rate = step
        .next
        .rate
        .max(return_rate * (1.0 - params.min_decrease));
    Step {
        next: Control {
            rate,
            state: State::Growing,
            since_decrease: Duration::ZERO,
            judge: Judge::default(),
            ..step.next
        },
        outcome: Some(Outcome::LongerPath),
        ..step
    }
}

/// The queue was this flow's own.
fn slower_link(step: Step) -> Step {
    Step {
        next: Control {
            since_decrease: Duration::ZERO,
            judge: Judge::default(),
            ..step.next
        },
        outcome: Some(Outcome::SlowerLink),
        ..step
    }
}

/// After an interruption hardly anything may be in flight.
fn restart(seen: &Seen, from: &Control) -> Step {
    let anew = Control::new(restarted(from.rate, seen.link.packet(), seen.length));
    Step {
        outcome: Some(Outcome::Interrupted),
        ..anew.to(anew.rate, State::Startup { path_is_new: true })
    }
}
