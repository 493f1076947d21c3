//! The zones of the default profile, and by how much the rate changes in them. The paper's have
//! fixed thresholds, count all losses beyond d1, and the trend of the delay.

use std::time::Duration;

pub use crate::controllers::hybrid_paper::law::Zone;

use super::drain::Drain;
use super::mechanism::Mechanism;
use super::model::link::Link;
use super::model::seen::Sampled;
use super::params::{Params, MAX_DECREASE};
use super::thresholds::Thresholds;
use crate::controllers::hybrid_paper::law::alpha as equation_3;
use crate::units::{Bytes, Rate};

/// Increase at d1 in packets per L, per epoch: the paper's.
const AMIN: f64 = 0.01;
/// Increase at d0 likewise; less than the paper's 0.5, because it grows.
const AMAX: f64 = 0.02;
/// The increase of an epoch never exceeds this share of the rate.
const MOST_INCREASE: f64 = 0.25;
/// The increase is multiplied by so many times the unused part of the slowest link, at least by 1.
const CATCH_UP: f64 = 4.0;
/// Of the least decrease, what a flow leaves to others even if it uses all of the slowest link.
const LEAST_LEFT: f64 = 0.1;
/// A larger share of losses is not made up for.
const MOST_BACKGROUND: f64 = 0.2;
/// With a shorter L a path is short: what delays and spaces packets there is hosts as much as
/// links.
pub const SHORT_PATH: Duration = Duration::from_micros(2_500);

/// The increase at d1 and at d0 on a path with packets of `size` and epochs of `length`.
///
/// The paper's 800 bit/s and 40 kbit/s are 0.01 and 0.5 of its 1000-byte packets per epoch of 100
/// ms, added to the rate every epoch; in such units they scale with the path.
pub fn increase_ends(size: Bytes, length: Duration) -> (Rate, Rate) {
    let packet = size.per(length);
    (packet * AMIN, packet * AMAX)
}

/// The period of growth at `rate` on a path with packets of `size` and epochs of `length`, in
/// seconds: whole nanoseconds would show in powers.
///
/// DEVIATION: what a decrease costs comes back in as many round trips on a short path as on a long
/// one. On loopback, where the hosts' schedulers look like a queue a hundred times a second, it
/// would hardly come back in 40 ms. Where packets are further apart than L, they are the round
/// trips that count.
pub fn growth_period(params: &Params, size: Bytes, rate: Rate, length: Duration) -> f64 {
    let length = length.as_secs_f64();
    let packet = size.0 as f64 * 8.0 / rate.bps().max(1.0);
    let spacing = length.max(packet);
    let share = (spacing / SHORT_PATH.as_secs_f64()).min(1.0);
    (params.growth_period.as_secs_f64() * share).max(length)
}

/// Section II-A. DEVIATION: the trend of delays does not count.
pub fn zone(epoch: &Sampled<'_>) -> Zone {
    if epoch.losses_are_congestion() || epoch.queue() > epoch.thresholds.d2 {
        Zone::Congested
    } else if epoch.queue() > epoch.thresholds.d1 {
        Zone::Filling
    } else {
        Zone::Free
    }
}

/// In zones 2 and 3, the decrease that drains the queue in `drain_epochs`. DEVIATION: the paper's
/// is equation (4).
pub fn beta(params: &Params, epoch: &Sampled<'_>) -> Option<f64> {
    if zone(epoch) == Zone::Free {
        return None;
    }
    let drains = epoch.queue().as_secs() / (params.drain_epochs * epoch.length.as_secs_f64());
    Some(drains.clamp(params.min_decrease, MAX_DECREASE))
}

/// Equation (3), which (DEVIATION) grows with its age, so that it suits slow
/// paths and fast ones.
///
/// `since_decrease` is the age of the increase, u.
pub fn alpha(
    params: &Params,
    epoch: &Sampled<'_>,
    (rate, since_decrease): (Rate, Duration),
) -> Rate {
    if !epoch.bears_out() {
        return Rate::default();
    }
    let (packet, Thresholds { d0, d1, .. }) = (epoch.link.packet(), epoch.thresholds);
    let ends = increase_ends(packet, epoch.length);
    let alpha = equation_3((d0, d1), ends, epoch.queue()) * catch_up(params, rate, &epoch.link);
    let period = growth_period(params, packet, rate, epoch.length);
    let periods = since_decrease.as_secs_f64() / period;
    let grown = alpha * (epoch.length.as_secs_f64() / period) * params.growth.powf(periods);
    grown.min(rate * MOST_INCREASE)
}

/// How many times as much as others a flow may increase that uses less of the slowest link than
/// they do.
///
/// DEVIATION: where all increase alike, what flows have at the beginning evens out slowly. One that
/// is alone increases as ever.
fn catch_up(params: &Params, rate: Rate, link: &Link) -> f64 {
    room(params, rate, link).map_or(1.0, |room| room.max(1.0))
}

/// The part of the slowest link that a flow with this rate leaves to others, as catching up counts
/// it.
fn room(params: &Params, rate: Rate, link: &Link) -> Option<f64> {
    let left = link.left(rate).filter(|_| params.has(Mechanism::CatchUp));
    left.map(|left| CATCH_UP * left)
}

/// The rate to return to once the queue has drained.
///
/// DEVIATION: a flow leaves the least decrease of its share to others, and the less the fewer they
/// can be.
pub fn returns_to(params: &Params, return_rate: Rate, link: &Link) -> Rate {
    let room = room(params, return_rate, link).unwrap_or(1.0);
    return_rate * (1.0 - params.min_decrease * room.clamp(LEAST_LEFT, 1.0))
}

/// The rate from which a decrease starts. DEVIATION: the paper's is R, which is already beyond what
/// the path carries.
pub fn return_rate(epoch: &Sampled<'_>, rate: Rate, drain: Option<Drain>) -> Rate {
    let rate = drain.map_or(rate, |drain| rate.max(drain.return_rate));
    let known = drain.is_some_and(|drain| drain.ceiling.is_some());
    match known {
        true => rate,
        false => arrival_rate(epoch, drain).map_or(rate, |arrives| rate.min(arrives)),
    }
}

/// The rate that has been shown to arrive, if anything has. A source that leaves R unused has shown
/// no more than it used; if it sends hardly anything, the queue is not its own.
fn arrival_rate(epoch: &Sampled<'_>, drain: Option<Drain>) -> Option<Rate> {
    if epoch.hardly_sends() {
        return None;
    }
    Some(match epoch.recently_app_limited {
        false => link_arrival_rate(epoch, drain),
        true => epoch.used_rate,
    })
}

/// The rate at which packets reached the slowest link: what is lost without a queue is lost
/// elsewhere.
///
/// DEVIATION: while a queue drains, jitter explains no more than the mean since it began to leaves
/// open. With what it explains in one epoch alone a flow takes for its share what lets the queue
/// stand.
pub fn link_arrival_rate(epoch: &Sampled<'_>, drain: Option<Drain>) -> Rate {
    let at_most = |drain: Drain| drain.arrives_at_most(epoch.ack_jitter, epoch.link.packet());
    let meanwhile = drain.and_then(at_most);
    if epoch.losses_are_congestion() {
        return let_through(epoch, meanwhile);
    }
    let in_full = epoch.full_delivery_rate();
    let arrived = meanwhile.map_or(in_full, |most| {
        in_full.min(most.max(epoch.delivery_rate_or_floor()))
    });
    arrived * (1.0 / (1.0 - epoch.background.share().min(MOST_BACKGROUND)))
}

/// The same if losses are congestion: nothing is made up for them.
///
/// DEVIATION: what jitter held back counts as far as the mean since the queue began to drain bears
/// it out. Else each further random loss of a drain over jitter would lower the rate to return to.
/// If losses are excessive the path may have become slower since, and only this epoch tells.
fn let_through(epoch: &Sampled<'_>, meanwhile: Option<Rate>) -> Rate {
    let arrived = epoch.delivery_rate;
    let in_full = epoch.with_held_back(arrived);
    let mean = meanwhile.filter(|_| !epoch.excessive_loss());
    mean.map_or(arrived, |mean| in_full.min(mean).max(arrived))
}
