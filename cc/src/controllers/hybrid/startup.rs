//! DEVIATION: start-up, which the paper does not have. The rate grows with every ACK until a queue
//! lasts, or the slowest link is full.

use std::time::Duration;

use super::law::SHORT_PATH;
use super::mechanism::Mechanism;
use super::model::link::Link;
use super::model::seen::Met;
use super::model::Model;
use super::params::Params;
use super::thresholds::Thresholds;
use crate::controller::Start;
use crate::feedback::Feedback;
use crate::measure::owd::Source;
use crate::measure::used::Used;
use crate::units::{scaled, Owd, Rate, Time};

/// Share of L for which a queue lasts that ends start-up.
const QUEUE_LASTS: f64 = 0.25;
/// Samples that show it.
const MIN_SAMPLES: u32 = 3;
/// R may be so many times as far above what is in flight as slow start allows: a source that sends
/// in bursts has less than R L in flight.
const BURSTS: f64 = 2.0;
/// What packets of a burst of three wait for each other on average, one transmission time, with a
/// margin.
const BURST_DELAY: f64 = 1.5;
/// Queueing delay, in L, that does not end start-up of a flow that may be sharing the path.
const INSISTED: f64 = 0.2;
/// Epochs in which packets are sent that show the slowest link, in any case.
const TRIPLE_EPOCHS: u64 = 2;

/// A start-up under way.
#[derive(Debug, Clone, Copy, Default)]
pub struct Startup {
    /// Since when every sample has met a queue.
    queueing_since: Option<Time>,
    /// How much of R is used.
    used: Used,
}

impl Startup {
    /// The queue that it met says nothing any more.
    pub fn resume(&mut self) {
        self.queueing_since = None;
    }

    /// To be told of every feedback.
    pub fn record(&mut self, feedback: &Feedback<'_>) {
        self.used.record(feedback);
    }

    /// The rate after a feedback: every byte that comes back adds to it. None if the application
    /// limits.
    pub fn grown(
        &self,
        params: &Params,
        model: &mut Model,
        start: &Start,
        rate: Rate,
        feedback: &Feedback<'_>,
    ) -> Option<Rate> {
        if !self.uses(rate, model, start) {
            model.on_app_limited();
        }
        if model.epoch().is_none_or(|epoch| epoch.app_limited) {
            return None;
        }
        let gain = params.startup_gain - 1.0;
        let grown = rate + feedback.acked_bytes().per(model.length()) * gain;
        Some(capacity(params, model).map_or(grown, |capacity| grown.min(capacity)))
    }

    /// Whether R puts no more into L than a few times what was in flight, and the initial window
    /// (RFC 9002, sections 7.2 and 7.8).
    fn uses(&self, rate: Rate, model: &Model, start: &Start) -> bool {
        let window = model.packet() * start.initial_window_packets;
        let beyond = rate.over(model.length()) - window.0 as f64;
        self.used.may_double(beyond / BURSTS)
    }

    /// Takes the newest delay of an ACK for what all its packets have met.
    pub fn look_for_queue(
        &mut self,
        params: &Params,
        model: &Model,
        rate: Rate,
        now: Time,
        newest: Owd,
    ) {
        let (thresholds, queue) = (model.thresholds(params, rate), model.delay.queue_of(newest));
        if is_queue(
            params,
            &thresholds,
            (rate, model.length()),
            &model.link(),
            queue,
        ) {
            self.queueing_since.get_or_insert(now);
        } else {
            self.queueing_since = None;
        }
    }

    /// What has been met.
    pub fn met(&self, params: &Params, model: &Model, rate: Rate, now: Time) -> Met {
        if self.queues(model, now) {
            Met::Queue
        } else if capacity(params, model).is_some_and(|capacity| rate >= model.bounded(capacity)) {
            Met::Capacity
        } else {
            Met::Nothing
        }
    }

    /// Whether enough samples of the epoch have shown a queue that lasts: it grows fast, so the
    /// epoch need not end first. That of a source which may send little has to: a few packets do
    /// not tell whose queue it is.
    pub fn ends_epoch(&self, model: &Model, now: Time) -> bool {
        let samples = model
            .epoch()
            .map_or(0, |epoch| epoch.samples_before(model.delay.source()));
        !model.was_app_limited() && self.queues(model, now) && samples >= MIN_SAMPLES
    }

    /// Whether a queue has been there for a while. Jitter and batches come and go, while that queue
    /// only grows; and where ACKs are far apart, two of them in a row are no evidence.
    fn queues(&self, model: &Model, now: Time) -> bool {
        let lasts = || scaled(model.length(), QUEUE_LASTS) + model.ack_gap.get();
        self.queueing_since
            .is_some_and(|since| now.since(since) >= lasts())
    }
}

/// The rate beyond which start-up does not go. DEVIATION: packet dispersion shows what the slowest
/// link carries before a queue does. On a short path it shows how receivers wait for a processor.
fn capacity(params: &Params, model: &Model) -> Option<Rate> {
    let links = params.has(Mechanism::LinkRate) && model.length() >= SHORT_PATH;
    links.then(|| model.link().dispersed_rate()).flatten()
}

/// Whether three packets are to leave together: from how far apart they arrive the slowest link is
/// known.
pub fn sends_triples(params: &Params, model: &Model, rate: Rate, epochs: u64) -> bool {
    if !params.has(Mechanism::Insist) || model.delay.source() == Source::Ack {
        return false;
    }
    epochs < TRIPLE_EPOCHS || model.link().is_half_used(rate) != Some(true)
}

/// Whether start-up must not go on with this queueing delay.
///
/// DEVIATION: a flow that comes to a path which competing flows fill insists on a queue for a
/// moment: what arrives of each flow then shows each its share, which would else take many round
/// trips. Alone on the path it would only lose packets.
pub fn is_queue(
    params: &Params,
    thresholds: &Thresholds,
    (rate, length): (Rate, Duration),
    link: &Link,
    queue: Owd,
) -> bool {
    let insists = link.is_half_used(rate) == Some(false) && params.has(Mechanism::Insist);
    let insisted = Owd::from(length) * if insists { INSISTED } else { 0.0 };
    let own = Owd::from(link.transmission()) * BURST_DELAY;
    queue > thresholds.short.max(own).max(insisted)
}
