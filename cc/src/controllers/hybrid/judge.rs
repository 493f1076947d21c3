//! What kind of path it is: the same as ever, a longer one, or one on which competing flows keep a queue.

pub mod arriving;
pub mod attempt;
pub mod contended;
mod overload;

use self::arriving::Back;
use self::attempt::{Attempted, Attempts, Finding, PATIENCE};
use self::contended::{Contended, Epoch, Verdict};
use super::drain::Drain;
use super::model::seen::{Observed, Seen};
use crate::units::{Owd, Rate};

/// What has become of a queue, or of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing came back for long.
    Interrupted,
    /// The first delays after that are those of the path.
    NewPath,
    /// A queue is none: the path has become longer.
    LongerPath,
    /// Start-up ended although nearly all arrived that was sent.
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
            contended.take_in(&Back::new(seen, rate));
        }
    }

    /// What competing flows leave of the rate to which a lone flow would come.
    pub fn beside_competing_flows(
        &mut self,
        observed: &Observed,
        seen: &Seen,
        rate: Rate,
    ) -> Verdict {
        let Some(contended) = &mut self.contended else {
            return Verdict::Free;
        };
        let verdict = contended.judge(&Epoch::new(observed, seen, rate));
        if contended.is_over(seen.now) {
            self.contended = None;
        }
        verdict
    }

    /// What kind of path the attempt to drain a queue has shown, if that is known.
    pub fn judge(&mut self, seen: &Attempted, drain: Option<Drain>) -> Option<Finding> {
        self.attempts.judge(seen, drain, PATIENCE)
    }
}
