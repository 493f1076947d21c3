//! How an epoch changes the rate: start-up, and equation (2) with what we add to it.

use std::time::Duration;

use super::drain::{Arrivals, Drain};
use super::law::{alpha, growth_period, increase_ends, zone, Observed, Zone};
use super::mechanism::Mechanism;
use super::params::{Params, MAX_DECREASE};
use super::thresholds::Thresholds;
use crate::units::{Bytes, Owd, Rate};

/// Queueing delay, in L, that does not end start-up while others use most of the path.
const INSISTED: f64 = 0.2;
/// Times the part of the slowest link that a flow leaves to others, what its increase is multiplied by.
const CATCH_UP: f64 = 4.0;
/// The increase of an epoch never exceeds this share of the rate.
const MOST_INCREASE: f64 = 0.25;
/// What packets of a burst of three wait for each other on average, one transmission time, with a margin.
const BURST_DELAY: f64 = 1.5;
/// Of the least decrease, what a flow leaves to others even if it uses all of the slowest link.
const LEAST_LEFT: f64 = 0.1;
/// A larger share of losses is not made up for.
const MOST_BACKGROUND: f64 = 0.2;
/// A flow that fills less of the slowest link shares it with others.
const ALONE_SHARE: f64 = 0.5;

/// Where the controller stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No epoch has ended with a sample.
    Initial,
    /// The rate multiplies until queueing shows.
    Startup,
    /// Zones.
    Steady(Zone),
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

/// What an update starts from.
#[derive(Debug, Clone, Copy)]
pub struct Situation {
    /// What the flow was doing.
    pub state: &'static str,
    /// R.
    pub rate: Rate,
    /// A, the rate at which packets were acknowledged.
    pub arrived: Rate,
    /// A rate that the path is taken to carry even if less arrived.
    pub believed: Rate,
    /// The share of packets that is lost without a queue.
    pub background: f64,
    /// N, what delays have above their minimum although there is no queue.
    pub noise: Duration,
    /// G, for how long nothing is acknowledged.
    pub gap: Duration,
    /// The share of the epoch in which arrivals may be missing because of noise, up to a half.
    pub uncertain: f64,
    /// Size of a full packet.
    pub packet: Bytes,
    /// L.
    pub length: Duration,
    /// T, the time that a full packet takes on the slowest link; zero while unknown.
    pub transmission: Duration,
    /// Whether the application limits.
    pub app_limited: bool,
    /// Whether it does or did in the epoch before: what arrives was sent up to an epoch before.
    pub sent_little: bool,
    /// The zones.
    pub thresholds: Thresholds,
    /// The queue that drains.
    pub drain: Option<Drain>,
    /// The queue of others that the window allows for.
    pub standing: Duration,
    /// V, how often decreases were at dips.
    pub varies: f64,
    /// How long there has been no decrease.
    pub undisturbed: Duration,
}

/// The rate from which on a flow may be alone on the slowest link, if it is known how long a full packet takes there.
pub fn rate_alone(packet: Bytes, transmission: Duration) -> Option<Rate> {
    (!transmission.is_zero()).then(|| packet.per(transmission) * ALONE_SHARE)
}

/// Whether a queue is hardly one.
pub fn is_short(thresholds: &Thresholds, delta: Owd) -> bool {
    delta <= thresholds.short
}

impl Situation {
    /// The rate at which packets reached the slowest link: what is lost without a queue is lost elsewhere.
    ///
    /// DEVIATION: while a queue drains, noise explains no more than the mean since it began to leaves open. With what it explains in one
    /// epoch alone a flow takes for its share what lets the queue stand.
    fn reached(&self, seen: &Observed) -> Rate {
        if seen.losing(&self.thresholds) {
            return self.arrived;
        }
        let in_full = self.fully_arrived();
        let meanwhile = self
            .drain
            .and_then(|drain| drain.arrives_at_most(self.noise, self.packet));
        let arrived = meanwhile.map_or(in_full, |most| in_full.min(most.max(self.carried())));
        arrived * (1.0 / (1.0 - self.background.min(MOST_BACKGROUND)))
    }

    /// The rate at which packets arrived, with those that may have been held up at the end.
    pub fn fully_arrived(&self) -> Rate {
        self.carried() * (1.0 / (1.0 - self.uncertain))
    }

    /// What arrived, or what the path is taken to carry if that is more.
    fn carried(&self) -> Rate {
        self.arrived.max(self.believed)
    }

    /// `CATCH_UP` times the part of the slowest link that a flow with this rate leaves to others; none while that is unknown.
    fn room(&self, rate: Rate, params: &Params) -> Option<f64> {
        let used = rate.bps() * self.transmission.as_secs_f64() / (self.packet.0 as f64 * 8.0);
        let known = params.has(Mechanism::CatchUp) && !self.transmission.is_zero();
        known.then_some(CATCH_UP * (1.0 - used))
    }

    /// The period of growth, in seconds.
    pub fn growth_period(&self, params: &Params) -> f64 {
        growth_period(params, self.packet, self.rate, self.length)
    }

    /// How many times as much as others a flow may increase that uses less of the slowest link than they do.
    ///
    /// DEVIATION: where all increase alike, what flows have at the beginning evens out slowly. One that is alone increases as ever.
    fn catch_up(&self, params: &Params) -> f64 {
        self.room(self.rate, params)
            .map_or(1.0, |room| room.max(1.0))
    }

    /// The rate to return to once the queue has drained.
    ///
    /// DEVIATION: a flow leaves the least decrease of its share to others, and the less the fewer they can be.
    fn returns_to(&self, share: Rate, params: &Params) -> Rate {
        let room = self.room(share, params).unwrap_or(1.0);
        share * (1.0 - params.min_decrease * room.clamp(LEAST_LEFT, 1.0))
    }

    /// Whether the slowest link is known to carry much more than this flow sends.
    fn shares(&self) -> bool {
        rate_alone(self.packet, self.transmission).is_some_and(|alone| self.rate < alone)
    }
}

/// The change that an epoch makes to the rate.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// R.
    pub rate: Rate,
    /// The increase, in zone 1 of the steady phase.
    pub alpha: Option<Rate>,
    /// The decrease.
    pub beta: Option<f64>,
    /// Where this leads.
    pub phase: Phase,
    /// The queue that drains then.
    pub drain: Option<Drain>,
}

/// Whether start-up must not go on with this queueing delay.
///
/// DEVIATION: a flow that comes to a path which others fill insists on a queue for a moment: what arrives of each flow
/// then shows each its share, which would else take many round trips. Alone on the path it would only lose packets.
pub fn ends_startup(params: &Params, from: &Situation, delta: Owd) -> bool {
    let insisted = if from.shares() && params.has(Mechanism::Insist) {
        INSISTED
    } else {
        0.0
    };
    let own = Owd::from(from.transmission) * BURST_DELAY;
    let insisted = Owd::from(from.length) * insisted;
    delta > from.thresholds.short.max(own).max(insisted)
}

/// DEVIATION: the paper has no start-up. The rate grows with every ACK; here is only whether that ends.
pub fn startup(params: &Params, seen: &Observed, from: &Situation, met: Met) -> Update {
    let steady = Phase::Steady(zone(&from.thresholds, seen));
    if !seen.losing(&from.thresholds) && met != Met::Queue {
        return Update {
            rate: from.rate,
            alpha: None,
            beta: None,
            phase: if met == Met::Capacity {
                steady
            } else {
                Phase::Startup
            },
            drain: None,
        };
    }
    // R is already beyond what the path carries, which is what has arrived.
    let share = from.rate.min(from.reached(seen));
    let beta = decrease(params, seen, from).unwrap_or(params.min_decrease);
    Update {
        rate: share * (1.0 - beta),
        alpha: None,
        beta: Some(beta),
        phase: steady,
        drain: Some(Drain {
            share,
            ceiling: Some(from.rate),
            arrivals: Arrivals::default(),
        }),
    }
}

/// Equation (2), and what it leads to while a queue drains.
pub fn steady(params: &Params, seen: &Observed, from: &Situation) -> Update {
    let phase = Phase::Steady(zone(&from.thresholds, seen));
    if let Some(beta) = decrease(params, seen, from) {
        let share = share(seen, from);
        return Update {
            rate: from.rate.min(share * (1.0 - beta)),
            alpha: None,
            beta: Some(beta),
            phase,
            drain: Some(Drain {
                share,
                ceiling: None,
                arrivals: from
                    .drain
                    .map_or(Arrivals::default(), |drain| drain.arrivals),
            }),
        };
    }
    let (rate, drain) = match from.drain {
        Some(drain) if !is_short(&from.thresholds, seen.delta) => (from.rate, Some(drain)),
        Some(drain) => (from.rate.max(from.returns_to(drain.share, params)), None),
        None => (from.rate + increase(params, seen, from), None),
    };
    let alpha = if from.drain.is_some() {
        None
    } else {
        Some(Rate::from_bps(rate.bps() - from.rate.bps()))
    };
    Update {
        rate,
        alpha,
        beta: None,
        phase,
        drain,
    }
}

/// The rate from which a decrease starts. DEVIATION: the paper's is R, which is already beyond what the path carries.
fn share(seen: &Observed, from: &Situation) -> Rate {
    let rate = from
        .drain
        .map_or(from.rate, |drain| from.rate.max(drain.share));
    let known = from.drain.is_some_and(|drain| drain.ceiling.is_some());
    if !known && !from.sent_little {
        rate.min(from.reached(seen))
    } else {
        rate
    }
}

/// In zones 2 and 3, the decrease that drains the queue in `drain` epochs. DEVIATION: the paper's is equation (4).
fn decrease(params: &Params, seen: &Observed, from: &Situation) -> Option<f64> {
    if zone(&from.thresholds, seen) == Zone::Free {
        return None;
    }
    let drains = seen.delta.as_secs() / (params.drain_epochs * from.length.as_secs_f64());
    Some(drains.clamp(params.min_decrease, MAX_DECREASE))
}

/// Equation (3), which (DEVIATION) grows with the time without a decrease, so that it suits slow paths and fast ones.
fn increase(params: &Params, seen: &Observed, from: &Situation) -> Rate {
    if from.app_limited {
        return Rate::default();
    }
    let Thresholds { d0, d1, .. } = from.thresholds;
    let ends = increase_ends(from.packet, from.length);
    let alpha = alpha((d0, d1), ends, seen.delta) * from.catch_up(params);
    let period = from.growth_period(params);
    let periods = from.undisturbed.as_secs_f64() / period;
    let grown = alpha * (from.length.as_secs_f64() / period) * params.growth.powf(periods);
    grown.min(from.rate * MOST_INCREASE)
}
