//! What the model makes of an epoch that is over.
//!
//! Some of it is learnt before the control step, which goes by B, the longest queue and the largest
//! rates with this epoch included (`docs/papers/hybrid-measuring.md`, "Order at the end of an
//! epoch").

use std::cmp::Reverse;
use std::time::Duration;

use super::super::mechanism::Mechanism;
use super::super::params::Params;
use super::super::thresholds::Thresholds;
use super::delivery::stalls;
use super::seen::{uncertain, Met, Observed, Seen};
use super::Model;
use crate::controllers::bounds::SHORTEST;
use crate::feedback::{Feedback, Space};
use crate::measure::epoch::Epoch;
use crate::measure::loss_count::LossCount;
use crate::measure::train::TrainRates;
use crate::units::{Bytes, Rate, Time};

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
    pub phase: Phase,
}

/// What decides what an epoch shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Start-up, and what it has met.
    Startup(Met),
    /// The flow gives way to a queue.
    GivingWay,
    /// A share is held beside competing flows.
    Holding,
}

impl Doing {
    fn is_startup(&self) -> bool {
        matches!(self.phase, Phase::Startup(_))
    }

    fn holds(&self) -> bool {
        self.phase == Phase::Holding
    }

    /// Whether R was beyond what the path has been found to carry. In start-up it multiplies, and
    /// nothing is known of what it was when a packet left.
    fn is_beyond(&self) -> Option<bool> {
        (!self.is_startup()).then(|| self.rate > self.carried)
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
    this_epoch: bool,
    recently: bool,
    trains: TrainRates,
}

impl Limited {
    /// Whether the epoch tries a rate, all of it or a train.
    fn tries(&self, rate: Rate) -> bool {
        !self.this_epoch || self.trains.tried >= rate * TRIED_SHARE
    }
}

/// What has been learnt of an epoch.
#[derive(Debug, Clone, Copy)]
struct Learnt {
    lasted: Lasted,
    limited: Limited,
    interrupted: bool,
    length_fell: bool,
    observed: Option<Observed>,
    thresholds: Thresholds,
    /// G before it.
    ack_gap: Duration,
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
        let learnt = self.learn(params, &epoch, feedback, doing);
        let seen = self.seen(params, &epoch, feedback.now, doing, learnt);
        Some((epoch, seen))
    }

    /// Learns from it what the control step goes by. The order matters: interruption is judged by G
    /// and the delivery rates of before, thresholds follow the longest queue and B the thresholds,
    /// and whether losses are unusual or excessive goes by the B of before.
    fn learn(
        &mut self,
        params: &Params,
        epoch: &Epoch,
        feedback: &Feedback<'_>,
        doing: Doing,
    ) -> Learnt {
        let ack_gap = self.ack_gap.get();
        let lasted = self.lasted(params, epoch, feedback, doing.rate);
        let limited = self.take_limits(epoch, doing, lasted.duration);
        let interrupted = self.interrupted(params, epoch, feedback, (lasted, limited));
        self.losses.add(epoch, doing.is_beyond() == Some(true));
        let observed = self.observe(params, epoch, doing);
        self.learn_rates(epoch, feedback.now, observed, (doing, lasted, limited));
        let thresholds = self.thresholds(params, doing.rate);
        let short = |observed: Observed| thresholds.is_short(observed.queue);
        let carried = doing.is_beyond() == Some(false);
        if !interrupted && carried && observed.is_some_and(short) {
            self.losses.learn_background(epoch);
        }
        Learnt {
            lasted,
            limited,
            interrupted,
            length_fell: self.take_in_length(),
            observed,
            thresholds,
            ack_gap,
        }
    }

    fn seen(
        &self,
        params: &Params,
        epoch: &Epoch,
        now: Time,
        doing: Doing,
        learnt: Learnt,
    ) -> Seen {
        let Learnt {
            lasted, limited, ..
        } = learnt;
        // What start-up ends in is what arrived.
        let (met, delivery_floor) = match doing.phase {
            Phase::Startup(met) => (met, Rate::default()),
            _ => (Met::Nothing, self.delivery.floor(params)),
        };
        Seen {
            now,
            duration: lasted.duration,
            length: self.length(),
            length_fell: learnt.length_fell,
            link: self.link(),
            source: self.delay.source(),
            means: self.delay.means(epoch),
            observed: learnt.observed,
            thresholds: learnt.thresholds,
            jitter: self.delay.jitter(),
            ack_jitter: self.delay.ack_jitter(),
            ack_gap: learnt.ack_gap,
            delivery_rate: epoch.arrived.per(lasted.arriving),
            arriving: lasted.arriving,
            arrived: epoch.arrived,
            delivery_floor,
            uncertain: uncertain(self.delay.ack_jitter(), lasted.duration),
            tells_rate: epoch.arrived >= self.packet * RATE_PACKETS && !limited.recently,
            variability: self.delivery.variability(),
            losses: epoch.losses(),
            lost_total: epoch.lost_total,
            background: self.losses.background(),
            met,
            app_limited: limited.this_epoch,
            tried: limited.tries(doing.rate),
            recently_app_limited: limited.recently,
            train_rate: limited.trains.shown,
            used_rate: self.used_rate(),
            may_queue: epoch.arrived >= self.packet * QUEUE_PACKETS,
            interrupted: learnt.interrupted,
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

    fn take_limits(&mut self, epoch: &Epoch, doing: Doing, duration: Duration) -> Limited {
        let grown = doing.is_startup() && !epoch.app_limited;
        let rate = doing.rate * if grown { GROWN_SHARE } else { 1.0 };
        let this_epoch = epoch.underuses(rate, duration, self.packet);
        let before = std::mem::replace(&mut self.limited_before, this_epoch);
        Limited {
            this_epoch,
            recently: this_epoch || before,
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
        self.has_blackout() || !limited.this_epoch && lost()
    }

    /// Whether L has fallen.
    fn take_in_length(&mut self) -> bool {
        let length = self.length();
        self.longest_length = self.longest_length.max(length);
        self.longest_length >= length + length / FELL_DIVISOR
    }

    /// What an epoch with samples shows of a queue. At the end of a buffer that competing flows
    /// keep full, losses say nothing of this flow.
    fn observe(&mut self, params: &Params, epoch: &Epoch, doing: Doing) -> Option<Observed> {
        let delta = self.delay.of_epoch(self.delay.source())?;
        Some(Observed {
            delta,
            queue: self.delay.queue_of(delta),
            unusual_loss: !doing.holds() && self.losses.are_unusual(epoch),
            excessive_loss: self.losses.take_verdict(params, doing.holds()),
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
        if !limited.this_epoch {
            self.ack_gap
                .learn(epoch, lasted.duration, doing.rate, self.packet);
        }
        let Some(queue) = queue else { return };
        let at = now.counted_from(*self.began.get_or_insert(epoch.start()));
        self.delay.add_queue(queue, at);
        if doing.phase == Phase::GivingWay {
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
