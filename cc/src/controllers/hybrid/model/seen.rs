//! What an epoch that is over has shown: what the control step goes by.

use std::time::Duration;

use super::super::thresholds::Thresholds;
use super::delivery::{is_dip, smoothed};
use super::link::Link;
use super::loss::Background;
use crate::measure::delays::Means;
use crate::measure::loss_count::LossCount;
use crate::measure::owd::Source;
use crate::units::{Bytes, Owd, Rate, Time};

/// No more than this share of a time is taken for uncertain.
const MOST_UNCERTAIN: f64 = 0.5;

/// What the samples of an epoch have shown.
#[derive(Debug, Clone, Copy)]
pub struct Observed {
    /// The delay, with what is jitter of it.
    pub delta: Owd,
    /// d, the queueing delay: delta less J, at least 0.
    pub queue: Owd,
    /// Whether losses were unusual: clearly more than those in the background.
    pub unusual_loss: bool,
    /// Whether so much was lost that delay does not matter.
    pub excessive_loss: bool,
}

/// What start-up has met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// Nothing that ends it.
    Nothing,
    /// A queue that lasts.
    Queue,
    /// The rate that the slowest link carries.
    Capacity,
}

/// An epoch, as the control step sees it.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Its end.
    pub now: Time,
    pub duration: Duration,
    /// L.
    pub length: Duration,
    /// Whether L was longer before: a queue was taken for a part of the path, so competing flows
    /// had it before this flow came.
    pub length_fell: bool,
    pub link: Link,
    pub source: Source,
    /// Mean delays by each source.
    pub means: Means,
    /// What its samples have shown, if there were any.
    pub observed: Option<Observed>,
    pub thresholds: Thresholds,
    /// J, that of ACK arrivals, and G before this epoch.
    pub jitter: Duration,
    pub ack_jitter: Duration,
    pub ack_gap: Duration,
    /// A, the delivery rate, and the time that counts for it: not that in which the path stalled.
    pub delivery_rate: Rate,
    pub arriving: Duration,
    /// Bytes that arrived.
    pub arrived: Bytes,
    /// The rate that the path is taken to carry even if less arrived; zero in start-up.
    pub delivery_floor: Rate,
    /// The share of the epoch in which arrivals may be missing because of jitter, up to a half.
    pub uncertain: f64,
    /// Whether it tells a rate.
    pub tells_rate: bool,
    /// V before this epoch.
    pub variability: f64,
    /// Its losses that count.
    pub losses: LossCount,
    /// All packets found lost in it.
    pub lost_total: u64,
    /// B, and what is known of it.
    pub background: Background,
    /// What start-up has met.
    pub met: Met,
    /// Whether the application limits.
    pub app_limited: bool,
    /// Whether R was tried, by all of the epoch or by a train.
    pub tried: bool,
    /// Whether the application limits this epoch or the one before: what arrives was sent up to an
    /// epoch before.
    pub recently_app_limited: bool,
    /// D, the largest rate of its packet trains; zero if none shows one.
    pub train_rate: Rate,
    /// The largest rate that was recently used while nobody else kept a queue.
    pub used_rate: Rate,
    /// Whether so much came back that some of it may have been in a queue.
    pub may_queue: bool,
    pub interrupted: bool,
}

/// An epoch with samples.
#[derive(Debug, Clone, Copy)]
pub struct Sampled<'a> {
    seen: &'a Seen,
    observed: Observed,
}

impl std::ops::Deref for Sampled<'_> {
    type Target = Seen;

    fn deref(&self) -> &Seen {
        self.seen
    }
}

impl Sampled<'_> {
    /// The delay, with what is jitter of it.
    pub fn delta(&self) -> Owd {
        self.observed.delta
    }

    /// d, the queueing delay.
    pub fn queue(&self) -> Owd {
        self.observed.queue
    }

    /// Whether there is hardly a queue.
    pub fn is_short(&self) -> bool {
        self.thresholds.is_short(self.observed.queue)
    }

    /// Whether so much was lost that delay does not matter.
    pub fn excessive_loss(&self) -> bool {
        self.observed.excessive_loss
    }

    /// Whether it bears R out: it tried it, and lost no more than is always lost.
    pub fn bears_out(&self) -> bool {
        self.tried && !self.observed.unusual_loss
    }

    /// Whether losses are congestion: with delay, or (DEVIATION) beyond what random loss explains.
    pub fn losses_are_congestion(&self) -> bool {
        let Observed {
            queue,
            unusual_loss,
            ..
        } = self.observed;
        self.observed.excessive_loss || (unusual_loss && queue > self.thresholds.full)
    }

    /// L and the queueing delay.
    pub fn round_trip(&self) -> Duration {
        self.length + self.observed.queue.to_duration()
    }
}

impl Seen {
    /// The epoch with its samples, if it has some.
    pub fn sampled(&self) -> Option<Sampled<'_>> {
        self.observed.map(|observed| Sampled {
            seen: self,
            observed,
        })
    }

    /// The delay of its samples, with what is jitter of it.
    pub fn delta(&self) -> Option<Owd> {
        self.observed.map(|observed| observed.delta)
    }

    /// The same, where any may be without samples, which would tell of a queue.
    pub fn losses_may_be_congestion(&self) -> bool {
        self.sampled()
            .map_or(self.lost_total > 0, |epoch| epoch.losses_are_congestion())
    }

    /// Whether the application limits, and so little came back that a queue is not the flow's own.
    pub fn hardly_sends(&self) -> bool {
        self.recently_app_limited && !self.may_queue
    }

    /// Whether nothing came back for long.
    pub fn stalled(&self) -> bool {
        self.arriving < self.duration
    }

    /// A rate of this epoch, with what jitter may have held back at its end.
    pub fn with_held_back(&self, rate: Rate) -> Rate {
        rate * (1.0 / (1.0 - self.uncertain))
    }

    /// What arrived, with what may have been held back. A source that limits has shown the path
    /// with its trains.
    pub fn full_delivery_rate(&self) -> Rate {
        let in_full = self.with_held_back(self.delivery_rate_or_floor());
        match self.recently_app_limited {
            false => in_full,
            true => in_full.max(self.train_rate),
        }
    }

    /// What arrived, or what the path is taken to carry if that is more.
    pub fn delivery_rate_or_floor(&self) -> Rate {
        self.delivery_rate.max(self.delivery_floor)
    }

    /// V after this epoch, if it has a decrease of which this is known.
    pub fn variability_after(&self, dip: Option<bool>) -> f64 {
        dip.map_or(self.variability, |dip| smoothed(self.variability, dip))
    }

    /// Whether a decrease in this epoch is at a dip, if it tells.
    pub fn dip(&self) -> Option<bool> {
        let tells = !self.recently_app_limited && self.delivery_floor > Rate::default();
        tells.then(|| is_dip(self.delivery_rate, self.delivery_floor))
    }
}

/// The share of a time in which arrivals may be missing, because jitter held them back at its end.
pub fn uncertain(jitter: Duration, duration: Duration) -> f64 {
    let share = jitter.as_secs_f64() / duration.as_secs_f64().max(1e-9);
    share.min(MOST_UNCERTAIN)
}
