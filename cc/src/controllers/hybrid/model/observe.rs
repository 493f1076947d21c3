//! What the model makes of an epoch that is over.
//!
//! Some of it is learnt before the control step, which goes by B, the longest queue and the largest
//! rates with this epoch included (`docs/papers/hybrid-measuring.md`, "Order at the end of an
//! epoch").

use std::cmp::Reverse;
use std::time::Duration;

use super::super::mechanism::Mechanism;
use super::super::params::Params;
use super::delivery::stalls;
use super::seen::{uncertain, Met, Observed, Seen};
use super::Model;
use crate::controllers::bounds::SHORTEST;
use crate::feedback::{Feedback, Space};
use crate::measure::epoch::Epoch;
use crate::measure::loss::LossCount;
use crate::measure::train::TrainRates;
use crate::units::{Bytes, Owd, Rate, Time};

/// Packets that tell a rate: one more or less, where an epoch is cut, does not matter then.
const RATE_PACKETS: u64 = 16;
/// A source that sends fewer of them in an epoch keeps no queue.
const QUEUE_PACKETS: u64 = 4;
/// A train tries R if so much of it arrives: more of it waits.
const TRIED_SHARE: f64 = 0.95;
/// In start-up R grows while an epoch lasts, up to about twice: so much of it was there on average.
const GROWN_SHARE: f64 = 0.5;
/// L has fallen if it was longer by this part of it.
const FELL_DIVISOR: u32 = 16;

/// What the flow did in an epoch.
#[derive(Debug, Clone, Copy)]
pub struct Doing {
    /// R.
    pub rate: Rate,
    /// C, what the path has been found to carry.
    pub carried: Rate,
    /// Whether start-up goes on, and what it has met.
    pub startup: Option<Met>,
    /// Whether a share is held beside competing flows.
    pub holds: bool,
}

impl Doing {
    /// Whether R was one that the path has been found to carry. In start-up it multiplies, and
    /// nothing is known of what it was when a packet left.
    fn is_carried(&self) -> bool {
        self.startup.is_none() && self.rate <= self.carried
    }

    /// Whether R was beyond that.
    fn is_beyond(&self) -> bool {
        self.startup.is_none() && self.rate > self.carried
    }
}

/// The time of an epoch.
#[derive(Debug, Clone, Copy)]
struct Lasted {
    duration: Duration,
    /// After which something comes back, as a rule.
    usual: Duration,
    /// What of the duration counts for the delivery rate.
    arriving: Duration,
}

/// Whether the application limits an epoch, and that or the one before, and what its trains show.
#[derive(Debug, Clone, Copy)]
struct Limited {
    now: bool,
    recently: bool,
    trains: TrainRates,
}

impl Limited {
    /// Whether the epoch tries a rate, all of it or a train.
    fn tries(&self, rate: Rate) -> bool {
        !self.now || self.trains.tried >= rate * TRIED_SHARE
    }
}

impl Model {
    /// Takes out the epoch that this feedback ends, and what it has shown of a flow that did this
    /// in it. The next one begins.
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
        let (source, length) = (self.delay.source(), self.length());
        let lasted = self.lasted(params, epoch, feedback, doing.rate);
        let limited = self.limited(epoch, doing, lasted.duration);
        let interrupted = self.interrupted(params, epoch, feedback, (lasted, limited));
        let (jitter, ack_jitter) = (self.delay.jitter(), self.delay.ack_jitter());
        let ack_gap = self.ack_gap.get();
        let delta = self.delay.of_epoch(source);
        let observed = self.observe(params, epoch, delta, doing);
        self.learn_rates(epoch, feedback.now, observed, (doing, lasted, limited));
        let thresholds = self.thresholds(params, doing.rate);
        let short = |observed: Observed| thresholds.is_short(observed.queue);
        if !interrupted && doing.is_carried() && observed.is_some_and(short) {
            self.losses.learn_background(epoch);
        }
        Seen {
            now: feedback.now,
            duration: lasted.duration,
            length,
            length_fell: self.length_fell(length),
            link: self.link(),
            source,
            means: self.delay.means(epoch),
            delta,
            observed,
            thresholds,
            jitter,
            ack_jitter,
            ack_gap,
            delivery_rate: epoch.arrived.per(lasted.arriving),
            arriving: lasted.arriving,
            arrived: epoch.arrived,
            delivery_floor: match doing.startup {
                // What start-up ends in is what arrived.
                Some(_) => Rate::default(),
                None => self.delivery.floor(params),
            },
            uncertain: uncertain(ack_jitter, lasted.duration),
            tells_rate: epoch.arrived >= self.packet * RATE_PACKETS && !limited.recently,
            variability: self.delivery.variability(),
            losses: epoch.losses(),
            lost_total: epoch.lost_total,
            background: self.losses.background(),
            met: doing.startup.unwrap_or(Met::Nothing),
            app_limited: limited.now,
            tried: limited.tries(doing.rate),
            recently_app_limited: limited.recently,
            train_rate: limited.trains.shown,
            used_rate: self.used_rate(),
            may_queue: epoch.arrived >= self.packet * QUEUE_PACKETS,
            interrupted,
        }
    }

    fn lasted(
        &self,
        params: &Params,
        epoch: &Epoch,
        feedback: &Feedback<'_>,
        rate: Rate,
    ) -> Lasted {
        // One that began with the feedback that ends it has no duration.
        let duration = epoch.duration(feedback.now).max(SHORTEST);
        let packet_time = rate.delay_of(self.packet).to_duration();
        let usual = self
            .delivery
            .usual(self.length(), packet_time, self.ack_gap);
        let may_stall = params.has(Mechanism::Dips) && overlaps(epoch, feedback);
        let stalled = may_stall && stalls(duration, usual);
        Lasted {
            duration,
            usual,
            arriving: if stalled { usual } else { duration },
        }
    }

    fn limited(&mut self, epoch: &Epoch, doing: Doing, duration: Duration) -> Limited {
        let grown = doing.startup.is_some() && !epoch.app_limited;
        let rate = doing.rate * if grown { GROWN_SHARE } else { 1.0 };
        let now = epoch.underuses(rate, duration, self.packet);
        let before = std::mem::replace(&mut self.limited_before, now);
        Limited {
            now,
            recently: now || before,
            trains: self.trains.take(self.batch.latest(), self.packet),
        }
    }

    /// Whether the path has been interrupted. All losses count: those of packets sent before a
    /// decrease as well.
    fn interrupted(
        &self,
        params: &Params,
        epoch: &Epoch,
        feedback: &Feedback<'_>,
        (lasted, limited): (Lasted, Limited),
    ) -> bool {
        let longest = lasted.usual + 2 * self.ack_gap.get() + feedback.max_ack_delay;
        let losses = LossCount::new(epoch.lost_total, epoch.acked_packets);
        let lost = || interrupts(params.excessive_share(), lasted.duration, longest, losses);
        self.has_blackout() || !limited.now && lost()
    }

    fn length_fell(&mut self, length: Duration) -> bool {
        self.longest_length = self.longest_length.max(length);
        self.longest_length >= length + length / FELL_DIVISOR
    }

    /// What an epoch with samples shows of a queue. At the end of a buffer that competing flows
    /// keep full, losses say nothing of this flow.
    fn observe(
        &mut self,
        params: &Params,
        epoch: &Epoch,
        delta: Option<Owd>,
        doing: Doing,
    ) -> Option<Observed> {
        self.losses.add(epoch, doing.is_beyond());
        delta.map(|delta| Observed {
            queue: self.delay.queue_of(delta),
            unusual_loss: !doing.holds && self.losses.are_unusual(epoch),
            excessive_loss: self.losses.are_excessive(params, doing.holds),
        })
    }

    /// The recent delivery rates and ACK gap, the longest queue, and the largest rate that was
    /// used. What does not arrive of R was not used: the source had no more (RFC 7661), or the path
    /// carried no more.
    fn learn_rates(
        &mut self,
        epoch: &Epoch,
        now: Time,
        observed: Option<Observed>,
        (doing, lasted, limited): (Doing, Lasted, Limited),
    ) {
        // An epoch that ended before L was over may hold a batch of ACKs, and no more time than
        // that.
        let over_length = epoch.arrived.per(lasted.arriving.max(self.length()));
        let queue = observed.map(|observed| observed.queue);
        self.delivery.add(over_length, queue);
        if !limited.now {
            self.ack_gap
                .learn(epoch, lasted.duration, doing.rate, self.packet);
        }
        let Some(queue) = queue else { return };
        let at = now.counted_from(*self.began.get_or_insert(epoch.start()));
        self.delay.add_queue(queue, at);
        if doing.startup.is_none() && !doing.holds {
            let used = doing.rate.min(over_length.max(limited.trains.shown));
            self.largest_used.advance(at);
            self.largest_used.insert(Reverse(used.bps() as u64));
        }
    }
}

/// Whether this feedback acknowledges an ack-eliciting packet that was sent before the epoch began.
fn overlaps(epoch: &Epoch, feedback: &Feedback<'_>) -> bool {
    let eliciting = |packet: &&crate::feedback::Acked| packet.size > Bytes(0);
    let oldest = feedback.acked.iter().find(eliciting);
    feedback.space == Space::Application && oldest.is_some_and(|packet| packet.sent < epoch.start())
}

/// DEVIATION: whether nothing came back for much longer than it takes as a rule, and then much was
/// lost.
pub fn interrupts(
    excessive_share: f64,
    duration: Duration,
    usual: Duration,
    losses: LossCount,
) -> bool {
    losses.exceeds(excessive_share) && stalls(duration, usual)
}
