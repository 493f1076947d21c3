//! What an epoch that is over has shown, and what the model makes of it.

use std::cmp::Reverse;
use std::time::Duration;

use super::super::mechanism::Mechanism;
use super::super::params::Params;
use super::super::thresholds::Thresholds;
use super::delivery::{is_dip, smoothed, stalls};
use super::link::Link;
use super::Model;
use crate::feedback::{Feedback, Space};
use crate::measure::delays::Means;
use crate::measure::epoch::Epoch;
use crate::measure::loss::LossCount;
use crate::measure::owd::Source;
use crate::units::{Bytes, Owd, Rate, Time};

/// An epoch that began with the feedback that ends it lasts as long.
const SHORTEST: Duration = Duration::from_micros(1);
/// No more than this share of a time is taken for uncertain.
const MOST_UNCERTAIN: f64 = 0.5;
/// Packets that tell a rate: one more or less, where an epoch is cut, does not matter then.
const RATE_PACKETS: u64 = 16;
/// A source that sends fewer of them in an epoch keeps no queue.
const QUEUE_PACKETS: u64 = 4;

/// What the samples of an epoch have shown.
#[derive(Debug, Clone, Copy)]
pub struct Observed {
    /// d, the queueing delay: delta less J, at least 0.
    pub queue: Owd,
    /// Whether a packet was lost.
    pub lost: bool,
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

/// What the flow did in an epoch.
#[derive(Debug, Clone, Copy)]
pub struct Doing {
    /// R.
    pub rate: Rate,
    /// Whether start-up goes on, and what it has met.
    pub startup: Option<Met>,
    /// Whether a share is held beside competing flows.
    pub holds: bool,
}

/// An epoch, as the control step sees it.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Its end.
    pub now: Time,
    pub duration: Duration,
    /// L.
    pub length: Duration,
    /// Whether L was longer before: a queue was taken for a part of the path, so competing flows had it before this flow came.
    pub length_fell: bool,
    pub link: Link,
    pub source: Source,
    /// Mean delays by each source.
    pub means: Means,
    /// The delay under the jitter, if there were samples.
    pub delta: Option<Owd>,
    /// What it shows of a queue, likewise.
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
    /// B.
    pub background: f64,
    /// What start-up has met.
    pub met: Met,
    /// Whether the application limits.
    pub app_limited: bool,
    /// Whether it does or did in the epoch before: what arrives was sent up to an epoch before.
    pub recently_app_limited: bool,
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

    /// Loss from congestion: with delay, or (DEVIATION) beyond what random loss explains.
    pub fn losing(&self) -> bool {
        let Observed { queue, lost, .. } = self.observed;
        self.observed.excessive_loss || (lost && queue > self.thresholds.full)
    }

    /// L and the queueing delay.
    pub fn round_trip(&self) -> Duration {
        self.length + self.observed.queue.to_duration()
    }
}

impl Seen {
    /// The epoch with its samples, if it has some.
    pub fn sampled(&self) -> Option<Sampled<'_>> {
        let with = |observed| Sampled {
            seen: self,
            observed,
        };
        self.observed.map(with)
    }

    /// Whether nothing came back for long.
    pub fn stalled(&self) -> bool {
        self.arriving < self.duration
    }

    /// What arrived, with what may have been held up at the end.
    pub fn full_delivery_rate(&self) -> Rate {
        self.delivery_rate_or_floor() * (1.0 / (1.0 - self.uncertain))
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

/// The share of a time in which arrivals may be missing, because they were held up by jitter at its end.
pub fn uncertain(jitter: Duration, duration: Duration) -> f64 {
    let share = jitter.as_secs_f64() / duration.as_secs_f64().max(1e-9);
    share.min(MOST_UNCERTAIN)
}

/// Whether this feedback acknowledges an ack-eliciting packet that was sent before the epoch began.
fn overlaps(epoch: &Epoch, feedback: &Feedback<'_>) -> bool {
    let eliciting = |packet: &&crate::feedback::Acked| packet.size > Bytes(0);
    let oldest = feedback.acked.iter().find(eliciting);
    feedback.space == Space::Application && oldest.is_some_and(|packet| packet.sent < epoch.start())
}

/// L has fallen if it was longer by this part of it.
const FELL_DIVISOR: u32 = 16;

impl Model {
    /// Takes out the epoch that this feedback ends, and what it has shown of a flow that did this in it. The next one begins.
    pub fn end_epoch(
        &mut self,
        params: &Params,
        feedback: &Feedback<'_>,
        doing: Doing,
    ) -> Option<(Epoch, Seen)> {
        let mut epoch = self.epoch.take()?;
        let acks = feedback.space == Space::Application && !feedback.acked.is_empty();
        self.epoch = Some(epoch.end(feedback.now, self.batch.cut(acks)));
        self.spans.begin(feedback.now);
        let seen = self.look_at(params, &epoch, feedback, doing);
        Some((epoch, seen))
    }

    fn look_at(
        &mut self,
        params: &Params,
        epoch: &Epoch,
        feedback: &Feedback<'_>,
        doing: Doing,
    ) -> Seen {
        let (source, now, length) = (self.delay.source(), feedback.now, self.length());
        let duration = epoch.duration(now).max(SHORTEST);
        let startup = doing.startup.is_some();
        let usual = self.usual(doing.rate);
        let stands =
            params.has(Mechanism::Dips) && overlaps(epoch, feedback) && stalls(duration, usual);
        let arriving = if stands { usual } else { duration };
        let delivery_rate = epoch.arrived.per(arriving);
        let tells = epoch.app_limited || !startup;
        let app_limited = tells && epoch.underuses(doing.rate, duration, self.packet);
        let limited_before = std::mem::replace(&mut self.limited_before, app_limited);
        let recently_app_limited = app_limited || limited_before;
        let means = self.delay.means(epoch);
        let delta = self.delay.of_epoch(source);
        let observed = self.observe(params, epoch, delta, doing.holds);
        // An epoch that ended before L was over may hold a batch of ACKs, and no more time than that.
        let over_length = epoch.arrived.per(arriving.max(length));
        let used = match app_limited {
            true => doing.rate.min(over_length),
            false => doing.rate,
        };
        self.remember(observed, epoch.start(), now, (doing, used));
        let longest = usual + 2 * self.ack_gap.get() + feedback.max_ack_delay;
        let interrupted =
            self.has_blackout() || !app_limited && is_interrupted(params, epoch, duration, longest);
        let thresholds = self.thresholds(params, doing.rate);
        let short = |observed: Observed| thresholds.is_short(observed.queue);
        if !interrupted && observed.is_some_and(short) {
            self.losses.learn_background(epoch);
        }
        self.delivery
            .add(over_length, observed.map(|observed| observed.queue));
        let (jitter, ack_jitter) = (self.delay.jitter(), self.delay.ack_jitter());
        let ack_gap = self.ack_gap.get();
        if !app_limited {
            self.ack_gap.learn(epoch, duration, doing.rate, self.packet);
        }
        Seen {
            now,
            duration,
            length,
            length_fell: self.length_fell(length),
            link: self.link(),
            source,
            means,
            delta,
            observed,
            thresholds,
            jitter,
            ack_jitter,
            ack_gap,
            delivery_rate,
            arriving,
            arrived: epoch.arrived,
            delivery_floor: match startup {
                // What start-up ends in is what arrived.
                true => Rate::default(),
                false => self.delivery.floor(params),
            },
            uncertain: uncertain(ack_jitter, duration),
            tells_rate: epoch.arrived >= self.packet * RATE_PACKETS && !recently_app_limited,
            variability: self.delivery.variability(),
            losses: epoch.losses(),
            lost_total: epoch.lost_total,
            background: self.losses.background(),
            met: doing.startup.unwrap_or(Met::Nothing),
            app_limited,
            recently_app_limited,
            used_rate: self.used_rate(),
            may_queue: epoch.arrived >= self.packet * QUEUE_PACKETS,
            interrupted,
        }
    }

    fn length_fell(&mut self, length: Duration) -> bool {
        self.longest_length = self.longest_length.max(length);
        self.longest_length >= length + length / FELL_DIVISOR
    }

    /// The time in which something comes back, as a rule.
    fn usual(&self, rate: Rate) -> Duration {
        let packet_time = rate.delay_of(self.packet).to_duration();
        self.delivery
            .usual(self.length(), packet_time, self.ack_gap)
    }

    /// What an epoch with samples shows of a queue. At the end of a buffer that competing flows keep full, losses say nothing
    /// of this flow.
    fn observe(
        &mut self,
        params: &Params,
        epoch: &Epoch,
        delta: Option<Owd>,
        holds: bool,
    ) -> Option<Observed> {
        self.losses.add(epoch);
        delta.map(|delta| Observed {
            queue: self.delay.queue_of(delta),
            lost: !holds && self.losses.are_unusual(epoch),
            excessive_loss: self.losses.are_excessive(params, holds),
        })
    }

    /// The longest queue and the largest rate that was used: what a source does not use of R is not known to arrive (RFC 7661).
    fn remember(
        &mut self,
        observed: Option<Observed>,
        start: Time,
        now: Time,
        (doing, used): (Doing, Rate),
    ) {
        let Some(observed) = observed else { return };
        let at = now.counted_from(*self.began.get_or_insert(start));
        self.delay.add_queue(observed.queue, at);
        if doing.startup.is_none() && !doing.holds {
            self.largest_used.advance(at);
            self.largest_used.insert(Reverse(used.bps() as u64));
        }
    }
}

/// Whether the path has been interrupted. All losses count: those of packets sent before a decrease as well.
fn is_interrupted(params: &Params, epoch: &Epoch, duration: Duration, usual: Duration) -> bool {
    let losses = LossCount::new(epoch.lost_total, epoch.acked_packets);
    interrupts(params.most_loss(), duration, usual, losses)
}

/// DEVIATION: whether nothing came back for much longer than it takes as a rule, and then much was lost.
pub fn interrupts(most_loss: f64, duration: Duration, usual: Duration, losses: LossCount) -> bool {
    losses.exceeds(most_loss) && stalls(duration, usual)
}
