//! Epochs as the control step sees them, made for tests.

use std::time::Duration;

use super::super::model::link::Link;
use super::super::model::loss::Background;
use super::super::model::seen::{Met, Observed, Seen};
use super::super::thresholds::Thresholds;
use super::super::Params;
use crate::measure::delays::Means;
use crate::measure::loss_count::LossCount;
use crate::measure::owd::Source;
use crate::units::{Bytes, Owd, Rate, Time};

/// What full packets have.
pub const PACKET: Bytes = Bytes(1_250);

/// An epoch of 40 ms with samples, in which nothing was lost and no queue was met.
pub fn seen() -> Seen {
    let length = Duration::from_millis(40);
    let observed = Observed {
        delta: Owd::ZERO,
        queue: Owd::ZERO,
        unusual_loss: false,
        excessive_loss: false,
    };
    Seen {
        now: Time::default(),
        duration: length,
        length,
        length_fell: false,
        link: Link::new(PACKET, Duration::ZERO, false),
        source: Source::Ack,
        means: Means::default(),
        observed: Some(observed),
        thresholds: Thresholds::new(&Params::default(), Rate::from_bps(1e6), PACKET, None),
        jitter: Duration::ZERO,
        ack_jitter: Duration::ZERO,
        ack_gap: Duration::ZERO,
        delivery_rate: Rate::default(),
        arriving: length,
        arrived: Bytes(0),
        delivery_floor: Rate::default(),
        uncertain: 0.0,
        tells_rate: false,
        variability: 0.0,
        losses: LossCount::default(),
        lost_total: 0,
        background: Background::default(),
        met: Met::Nothing,
        app_limited: false,
        tried: true,
        recently_app_limited: false,
        train_rate: Rate::default(),
        used_rate: Rate::default(),
        may_queue: false,
        interrupted: false,
    }
}

/// The same with this queueing delay.
pub fn with_queue(queue: Owd) -> Seen {
    let seen = seen();
    Seen {
        observed: seen.observed.map(|observed| Observed {
            delta: queue,
            queue,
            ..observed
        }),
        ..seen
    }
}

/// Thresholds of which only this one matters.
pub fn short(short: Owd) -> Thresholds {
    Thresholds {
        short,
        d2: short * 4,
        ..seen().thresholds
    }
}
