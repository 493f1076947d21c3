//! DEVIATION: a queue that does not drain although the flow gives way. Others fill it, and go on
//! to, and the paper's flow would give way until nothing is left of it; or it is none, for the path
//! has become longer.

use std::time::Duration;

use super::super::drain::Drain;
use super::super::model::seen::Sampled;
use super::super::params::Params;
use crate::measure::loss_count::LossCount;
use crate::units::{scaled, Owd, Rate, Time};

/// How long a queue stands at least until competing flows are known to keep it.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// Epochs besides those in which a decrease drains a queue: one until it shows, and one to see it.
const OTHER_EPOCHS: f64 = 2.0;
/// A queue beyond what `drain_epochs` covers takes so many times its own length: the largest
/// decrease is half.
const DRAIN_QUEUES: u32 = 2;
/// A queue falls if an epoch shows less than this share of what the one before has shown.
const FALLS: f64 = 0.9;
/// A delay that keeps to this share of itself for so many epochs is none of a queue, if a queue
/// would have drained.
const CALM_SHARE: u32 = 32;
const CALM_EPOCHS: u32 = 5;
/// A path becomes longer at once, as two epochs may show it. A delay that grows in more of them,
/// while this flow gives way, is that of others' queue, however calm it is once the buffer is full.
const PATH_STEPS: u32 = 2;
/// A flow that gives way keeps up to so many times `target_packets` packets in the queue itself,
/// whatever `target_delay` is.
const OWN_QUEUES: f64 = 4.0;
/// A delay is one of a longer path, or of a buffer that competing flows fill, from these parts of L
/// on.
const CALM_DIVISORS: [u32; 2] = [6, 5];
const FILLED_DIVISORS: [u32; 2] = [4, 3];
/// A delay up to L divided by this is none of a buffer that competing flows fill.
const EMPTY_DIVISOR: u32 = 8;
/// A flow has lost most of its share if it is left with less than this of it.
const MOST_LOST: f64 = 0.25;

/// The attempt to drain a queue that is under way, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attempts(Option<Attempt>);

/// What a queue is that does not drain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttemptOutcome {
    /// Others fill it. What of this flow arrived when it began.
    Contended(Rate),
    /// It is none: the path has become longer. Go back to this rate.
    LongerPath(Rate),
}

/// A decrease that should drain the queue.
#[derive(Debug, Clone, Copy)]
struct Attempt {
    began: Time,
    /// When its last epoch ended, and the rate since.
    latest: Time,
    rate: Rate,
    /// S': the largest rate to return to since it began.
    largest_return: Rate,
    /// The delay that was short then.
    short: Owd,
    /// The longest delay since, and the last.
    longest: Owd,
    last: Owd,
    /// Whether the last epoch had less than the one before, and how many had more than any before.
    falls: bool,
    steps: u32,
    /// Since the delay last moved, in this attempt.
    still: Still,
    /// Losses of all its epochs.
    losses: LossCount,
}

/// Epochs in which the delay stayed where it was. It is the delay with jitter: when the estimate of
/// jitter falls, nothing has moved.
#[derive(Debug, Clone, Copy)]
struct Still {
    epochs: u32,
    least: Owd,
    most: Owd,
    losses: LossCount,
    /// What would have drained in them if nobody else used the path.
    drained: Duration,
}

impl Still {
    fn none() -> Self {
        Self {
            epochs: 0,
            least: Owd::from_nanos(i64::MAX),
            most: Owd::ZERO,
            losses: LossCount::default(),
            drained: Duration::ZERO,
        }
    }

    /// With another epoch, unless the delay moves in it.
    fn and(self, epoch: &Sampled<'_>, drained: Duration) -> Self {
        let (delta, losses) = (epoch.delta(), epoch.losses);
        let (least, most) = (self.least.min(delta), self.most.max(delta));
        if most - least > least / CALM_SHARE {
            // What moves is a queue, so far.
            return Self {
                epochs: 1,
                least: delta,
                most: delta,
                losses,
                drained: Duration::ZERO,
            };
        }
        Self {
            epochs: self.epochs + 1,
            least,
            most,
            losses: self.losses.and(losses),
            drained: self.drained + drained,
        }
    }
}

impl Attempt {
    /// That begins with an epoch after which the flow sends at `rate`.
    fn new(epoch: &Sampled<'_>, rate: Rate, return_rate: Rate) -> Self {
        Self {
            began: epoch.now,
            latest: epoch.now,
            rate,
            largest_return: return_rate,
            short: epoch.thresholds.short,
            longest: epoch.queue(),
            last: epoch.queue(),
            falls: false,
            steps: 0,
            still: Still::none(),
            losses: epoch.losses,
        }
    }

    /// With another epoch, after which the flow sends at `rate`.
    fn and(mut self, epoch: &Sampled<'_>, rate: Rate) -> Self {
        let queue = epoch.queue();
        let spare = 1.0 - self.rate.bps() / self.largest_return.bps().max(1.0);
        let drained = scaled(epoch.now.since(self.latest), spare.clamp(0.0, 1.0));
        self.still = self.still.and(epoch, drained);
        (self.latest, self.rate) = (epoch.now, rate);
        self.losses = self.losses.and(epoch.losses);
        self.steps += u32::from(queue > self.longest + self.longest / CALM_SHARE);
        self.longest = self.longest.max(queue);
        self.falls = queue.as_secs() < FALLS * self.last.as_secs();
        self.last = queue;
        self
    }

    /// Whether the delay is longer than flows leave that give way: they keep a few packets each. It
    /// is never below L divided by the first number, and need not be above L divided by the second.
    fn exceeds_own(&self, params: &Params, epoch: &Sampled<'_>, [least, most]: [u32; 2]) -> bool {
        let own = params.kept_for(OWN_QUEUES, epoch.link.packet(), self.largest_return);
        let (least, most) = (epoch.length / least, epoch.length / most);
        epoch.queue().as_secs() >= least.as_secs_f64().max(own.min(most.as_secs_f64()))
    }

    /// Whether the queue has been gone for once. What a flow takes for short that has lost most of
    /// its share since the attempt began may be a buffer that competing flows fill.
    fn is_over(&self, epoch: &Sampled<'_>, rate: Rate) -> bool {
        let empty = self.short.max(Owd::from(epoch.length / EMPTY_DIVISOR));
        epoch.is_short() && (!self.has_lost_most(rate) || epoch.queue() <= empty)
    }

    /// Whether this flow has at least half of the slowest link.
    fn has_half_of_link(&self, epoch: &Sampled<'_>) -> bool {
        epoch.link.is_half_used(self.largest_return) == Some(true)
    }

    /// Epochs in which the delay must stay where it is if it is none of a queue.
    fn calm_epochs(&self, epoch: &Sampled<'_>) -> u32 {
        match self.has_half_of_link(epoch) {
            true => CALM_EPOCHS,
            false => 2 * CALM_EPOCHS,
        }
    }

    /// Whether the delay has grown as that of a path does, and nothing is lost to a full buffer
    /// since it last moved.
    fn may_be_path(&self, epoch: &Sampled<'_>) -> bool {
        self.steps <= PATH_STEPS && epoch.background.explains(self.still.losses)
    }

    /// What the queue is by now, if that is known.
    fn outcome(
        &self,
        params: &Params,
        epoch: &Sampled<'_>,
        patience: Duration,
    ) -> Option<AttemptOutcome> {
        if self.is_calm(params, epoch) {
            return Some(AttemptOutcome::LongerPath(self.largest_return));
        }
        let stands = !self.calms_down(epoch) && self.stands(params, epoch, patience);
        stands.then_some(AttemptOutcome::Contended(self.largest_return))
    }

    /// Whether the delay stays where it is, although what a queue held has had the time to drain.
    fn is_calm(&self, params: &Params, epoch: &Sampled<'_>) -> bool {
        self.still.epochs >= self.calm_epochs(epoch)
            && self.exceeds_own(params, epoch, CALM_DIVISORS)
            && self.may_be_path(epoch)
            && Owd::from(self.still.drained) >= self.still.most
    }

    /// Whether the queue has stood for long enough, and not only because it is long.
    fn stands(&self, params: &Params, epoch: &Sampled<'_>, patience: Duration) -> bool {
        let due = scaled(epoch.length, OTHER_EPOCHS + params.drain_epochs)
            + DRAIN_QUEUES * self.longest.to_duration();
        let over = epoch.now.since(self.began) >= patience.max(due * 2);
        over && !self.falls && self.is_filled(params, epoch)
    }

    /// Whether the delay is one of a buffer that competing flows fill: flows that give way keep no
    /// such queue, or lose nothing to it.
    fn is_filled(&self, params: &Params, epoch: &Sampled<'_>) -> bool {
        let long = epoch.queue() >= Owd::from(epoch.length / FILLED_DIVISORS[0]);
        let more_than_few = !epoch.background.explains(self.losses);
        (long && more_than_few)
            || self.exceeds_own(params, epoch, FILLED_DIVISORS)
            || self.has_lost_most(self.rate)
    }

    /// Whether the flow has lost most of its share since the attempt began. Competing flows may
    /// take the path as fast as it gives way, so that no long queue forms.
    fn has_lost_most(&self, rate: Rate) -> bool {
        rate < self.largest_return * MOST_LOST
    }

    /// Whether it has done so for a while, and a few epochs more will tell.
    fn calms_down(&self, epoch: &Sampled<'_>) -> bool {
        let epochs = self.calm_epochs(epoch);
        (epochs.div_ceil(2)..epochs).contains(&self.still.epochs) && self.may_be_path(epoch)
    }
}

impl Attempts {
    /// Takes in an epoch with samples after a step that has left `rate`, and the queue to drain or
    /// not.
    pub fn advance(
        &mut self,
        params: &Params,
        epoch: &Sampled<'_>,
        (rate, drain): (Rate, Option<Drain>),
        patience: Duration,
    ) -> Option<AttemptOutcome> {
        let before = self.0.take();
        let before = before.filter(|attempt| !attempt.is_over(epoch, rate));
        if before.is_none() && drain.is_none() {
            return None;
        }
        let return_rate = drain.map_or(Rate::default(), |drain| drain.return_rate);
        let mut attempt = match before {
            Some(attempt) => attempt.and(epoch, rate),
            None => Attempt::new(epoch, rate, return_rate),
        };
        attempt.largest_return = attempt.largest_return.max(return_rate);
        let outcome = attempt.outcome(params, epoch, patience);
        self.0 = Some(attempt).filter(|_| outcome.is_none());
        outcome
    }
}
