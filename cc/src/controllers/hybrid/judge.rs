//! What kind of path it is: the same as ever, a longer one, or one on which competing flows keep a
//! queue.

pub mod attempt;
mod came_back;
pub mod contended;
mod overload;

use self::attempt::{AttemptOutcome, Attempts, PATIENCE};
use self::contended::{Contended, HoldDecision};
use super::drain::Drain;
use super::model::seen::{Sampled, Seen};
use super::params::Params;
use crate::units::{Owd, Rate};

/// What has become of a queue, or of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing came back for long, and much was lost; or there was persistent congestion.
    Interrupted,
    /// The first delays after that are those of the path.
    NewPath,
    /// A queue is none: the path has become longer.
    LongerPath,
    /// Start-up ended although much of what was sent arrived.
    EarlyEnd,
    /// Others keep a queue.
    Contended,
    /// Nobody else does, but the link has become slower.
    SlowerLink,
}

impl Outcome {
    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Interrupted => "interrupted",
            Outcome::NewPath => "new_path",
            Outcome::LongerPath => "longer_path",
            Outcome::EarlyEnd => "early_end",
            Outcome::Contended => "contended",
            Outcome::SlowerLink => "slower_link",
        }
    }
}

/// The judge of one path.
#[derive(Debug, Clone, Copy, Default)]
pub struct Judge {
    attempts: Attempts,
    contended: Option<Contended>,
}

impl Judge {
    /// Competing flows keep the queue.
    pub fn contended(contended: Contended) -> Self {
        Self {
            attempts: Attempts::default(),
            contended: Some(contended),
        }
    }

    /// Whether competing flows are known to keep a queue, now or recently.
    pub fn is_contended(&self) -> bool {
        self.contended.is_some()
    }

    /// h: what is held while competing flows keep a queue.
    pub fn held(&self) -> Option<Rate> {
        self.contended.map(|contended| contended.held())
    }

    /// What the flow had without the competing flows that keep a queue now, or did recently.
    pub fn had_alone(&self) -> Option<Rate> {
        self.contended.map(|contended| contended.had_alone())
    }

    /// Whether less is sent for a moment, to see what becomes of the delay.
    pub fn probes(&self) -> bool {
        self.contended.is_some_and(|contended| contended.probes())
    }

    /// Q: the queue of competing flows that the window allows for.
    pub fn competing_queue(&self) -> Owd {
        self.contended
            .map_or(Owd::ZERO, |contended| contended.queue())
    }

    /// An epoch in which the path stalled says nothing of a queue.
    pub fn forget_attempt(&mut self) {
        self.attempts = Attempts::default();
    }

    /// Takes in what came back in an epoch, in which the flow sent at `rate`.
    pub fn take_in(&mut self, seen: &Seen, rate: Rate) {
        if let Some(contended) = &mut self.contended {
            contended.take_in(seen, rate);
        }
    }

    /// What competing flows leave of the `rate` at which a flow without them would send.
    pub fn hold(&mut self, params: &Params, epoch: &Sampled<'_>, rate: Rate) -> HoldDecision {
        let Some(contended) = &mut self.contended else {
            return HoldDecision::Free;
        };
        let decision = contended.decide(params, epoch, rate);
        if contended.is_over(epoch.now) {
            self.contended = None;
        }
        decision
    }

    /// What the attempt to drain a queue has shown of the path, if that is known.
    pub fn attempt(
        &mut self,
        params: &Params,
        epoch: &Sampled<'_>,
        left: (Rate, Option<Drain>),
    ) -> Option<AttemptOutcome> {
        self.attempts.advance(params, epoch, left, PATIENCE)
    }
}
