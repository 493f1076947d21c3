//! DEVIATION: a queue that does not drain although the flow gives way. Others fill it, and go on to, and the paper's flow would
//! give way until nothing is left of it; or it is none, for the path has become longer.

use std::time::Duration;

use super::super::drain::Drain;
use super::super::model::link::Link;
use super::super::model::seen::{Observed, Seen};
use super::super::params::Params;
use crate::measure::loss::LossCount;
use crate::units::{scaled, Owd, Rate, Time};

/// How long a queue stands at least until competing flows are known to keep it.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// Epochs besides those in which a decrease drains a queue: one until it shows, and one to see it.
const OTHER_EPOCHS: f64 = 2.0;
/// A queue beyond what `drain_epochs` covers takes so many times its own length: the largest decrease is half.
const DRAIN_QUEUES: u32 = 2;
/// A queue falls if an epoch shows less than this share of what the one before has shown.
const FALLS: f64 = 0.9;
/// A delay that keeps to this share of itself for so many epochs is none of a queue, if a queue would have drained.
const CALM_SHARE: u32 = 32;
const CALM_EPOCHS: u32 = 5;
/// A path becomes longer at once, as two epochs may show it. A delay that grows in more of them, while this flow gives way, is that of
/// others' queue, however calm it is once the buffer is full.
const PATH_STEPS: u32 = 2;
/// A flow that gives way keeps up to so many times d1 in the queue itself.
const OWN_QUEUES: f64 = 4.0;
/// A delay is one of a longer path, or of a buffer that competing flows fill, from these parts of L on.
const CALM_DIVISORS: [u32; 2] = [6, 5];
const FILLED_DIVISORS: [u32; 2] = [4, 3];
/// A delay up to L divided by this is none of a buffer that competing flows fill.
const EMPTY_DIVISOR: u32 = 8;
/// A flow has lost most of its share if it is left with less than this of it.
const MOST_LOST: f64 = 0.25;

/// The attempt to drain a queue that is under way, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Attempts(Option<Attempt>);

/// An epoch in which a queue should drain, or not.
#[derive(Debug, Clone, Copy)]
pub struct Attempted {
    /// Its end.
    pub now: Time,
    /// L.
    pub length: Duration,
    /// The slowest link.
    pub link: Link,
    /// Epochs in which a decrease drains a queue.
    pub drain_epochs: f64,
    /// d1 in packets of the flow.
    pub target_packets: f64,
    /// Its delay.
    pub queue: Owd,
    /// The delay up to which there is hardly a queue.
    pub short: Owd,
    /// Its losses that count.
    pub losses: LossCount,
    /// The share of packets that is lost without a queue.
    pub background: f64,
    /// The rate after it.
    pub rate: Rate,
}

impl Attempted {
    /// What an epoch has shown after which the flow sends at `rate`.
    pub fn new(params: &Params, observed: &Observed, seen: &Seen, rate: Rate) -> Self {
        Self {
            now: seen.now,
            length: seen.length,
            link: seen.link,
            drain_epochs: params.drain_epochs,
            target_packets: params.target_packets,
            queue: observed.queue,
            short: seen.thresholds.short,
            losses: seen.losses,
            background: seen.background,
            rate,
        }
    }

    /// Whether there is hardly a queue.
    fn is_short(&self) -> bool {
        self.queue <= self.short
    }
}

/// What a queue is that does not drain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finding {
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
    /// What of this flow arrived when it began.
    return_rate: Rate,
    /// The delay that was short then.
    short: Owd,
    /// The longest delay since, and the last.
    longest: Owd,
    last: Owd,
    /// Whether the last epoch had less than the one before, and how many had more than any before.
    falls: bool,
    steps: u32,
    /// Of the epochs since the delay last moved, not the first one: their number, the least and the longest delay, and their
    /// losses.
    epochs: u32,
    least: Owd,
    most: Owd,
    losses: LossCount,
    /// What would have drained in them if nobody else used the path.
    drained: Duration,
    /// Losses of all its epochs.
    all_losses: LossCount,
}

impl Attempt {
    fn new(seen: &Attempted, return_rate: Rate) -> Self {
        Self {
            began: seen.now,
            latest: seen.now,
            rate: seen.rate,
            return_rate,
            short: seen.short,
            longest: seen.queue,
            last: seen.queue,
            falls: false,
            steps: 0,
            epochs: 0,
            least: Owd::from_nanos(i64::MAX),
            most: Owd::ZERO,
            losses: LossCount::default(),
            drained: Duration::ZERO,
            all_losses: seen.losses,
        }
    }

    /// With another epoch.
    fn and(mut self, seen: &Attempted) -> Self {
        let spare = 1.0 - self.rate.bps() / self.return_rate.bps().max(1.0);
        self.drained += scaled(seen.now.since(self.latest), spare.clamp(0.0, 1.0));
        (self.latest, self.rate) = (seen.now, seen.rate);
        self.all_losses = self.all_losses.and(seen.losses);
        self.steps += u32::from(seen.queue > self.longest + self.longest / CALM_SHARE);
        self.longest = self.longest.max(seen.queue);
        self.falls = seen.queue.as_secs() < FALLS * self.last.as_secs();
        self.last = seen.queue;
        let (least, most) = (self.least.min(seen.queue), self.most.max(seen.queue));
        if most - least > least / CALM_SHARE {
            // What moves is a queue, so far.
            (self.least, self.most) = (seen.queue, seen.queue);
            (self.epochs, self.losses, self.drained) = (1, seen.losses, Duration::ZERO);
        } else {
            (self.least, self.most) = (least, most);
            (self.epochs, self.losses) = (self.epochs + 1, self.losses.and(seen.losses));
        }
        self
    }

    /// Whether the delay is longer than flows leave that give way: they keep a few packets each. It is never below L divided by the
    /// first number, and need not be above L divided by the second.
    fn exceeds_own(&self, seen: &Attempted, [least, most]: [u32; 2]) -> bool {
        let packets = OWN_QUEUES * seen.target_packets * seen.link.packet().0 as f64;
        let own = packets * 8.0 / self.return_rate.bps().max(1.0);
        let (least, most) = (seen.length / least, seen.length / most);
        seen.queue.as_secs() >= least.as_secs_f64().max(own.min(most.as_secs_f64()))
    }

    /// Whether the queue has been gone for once. What a flow takes for short that has lost most of its share since the attempt
    /// began may be a buffer that competing flows fill.
    fn is_over(&self, seen: &Attempted) -> bool {
        let lost_most = seen.rate < self.return_rate * MOST_LOST;
        let empty = self.short.max(Owd::from(seen.length / EMPTY_DIVISOR));
        seen.is_short() && (!lost_most || seen.queue <= empty)
    }

    /// Whether this flow has at least half of the slowest link.
    fn is_alone(&self, seen: &Attempted) -> bool {
        seen.link
            .alone()
            .is_some_and(|alone| self.return_rate >= alone)
    }

    /// Epochs in which the delay must stay where it is if it is none of a queue.
    fn calm_epochs(&self, seen: &Attempted) -> u32 {
        match self.is_alone(seen) {
            true => CALM_EPOCHS,
            false => 2 * CALM_EPOCHS,
        }
    }

    /// Whether the delay has grown as that of a path does, and nothing is lost to a full buffer since it last moved.
    fn may_be_path(&self, seen: &Attempted) -> bool {
        self.steps <= PATH_STEPS && !self.losses.exceeds_chance(seen.background)
    }

    /// Whether the delay stays where it is, although what a queue held has had the time to drain.
    fn is_calm(&self, seen: &Attempted) -> bool {
        self.epochs >= self.calm_epochs(seen)
            && self.exceeds_own(seen, CALM_DIVISORS)
            && self.may_be_path(seen)
            && Owd::from(self.drained) >= self.most
    }

    /// Whether the queue has stood for long enough, and not only because it is long.
    fn stands(&self, seen: &Attempted, patience: Duration) -> bool {
        let due = scaled(seen.length, OTHER_EPOCHS + seen.drain_epochs)
            + DRAIN_QUEUES * self.longest.to_duration();
        let over = seen.now.since(self.began) >= patience.max(due * 2);
        over && !self.falls && self.is_filled(seen)
    }

    /// Whether the delay is one of a buffer that competing flows fill: flows that give way keep no such queue, or lose nothing
    /// to it.
    fn is_filled(&self, seen: &Attempted) -> bool {
        let long = seen.queue >= Owd::from(seen.length / FILLED_DIVISORS[0]);
        let loses = self.all_losses.exceeds_chance(seen.background);
        (long && loses) || self.exceeds_own(seen, FILLED_DIVISORS)
    }

    /// Whether it has done so for a while, and a few epochs more will tell.
    fn calms_down(&self, seen: &Attempted) -> bool {
        let epochs = self.calm_epochs(seen);
        (epochs.div_ceil(2)..epochs).contains(&self.epochs) && self.may_be_path(seen)
    }
}

impl Attempts {
    /// Takes in an epoch with samples, after the update that has left the queue to drain, or not.
    pub fn judge(
        &mut self,
        seen: &Attempted,
        drain: Option<Drain>,
        patience: Duration,
    ) -> Option<Finding> {
        let before = self.0.take().filter(|attempt| !attempt.is_over(seen));
        if before.is_none() && drain.is_none() {
            return None;
        }
        let return_rate = drain.map_or(Rate::default(), |drain| drain.return_rate);
        let mut attempt = match before {
            Some(attempt) => attempt.and(seen),
            None => Attempt::new(seen, return_rate),
        };
        attempt.return_rate = attempt.return_rate.max(return_rate);
        self.0 = Some(attempt);
        if attempt.is_calm(seen) {
            self.0 = None;
            return Some(Finding::LongerPath(attempt.return_rate));
        }
        let stands = !attempt.calms_down(seen) && attempt.stands(seen, patience);
        stands.then(|| {
            self.0 = None;
            Finding::Contended(attempt.return_rate)
        })
    }
}
