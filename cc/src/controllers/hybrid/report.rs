//! What `hybrid` writes into a trace. `docs/qlog.md` defines the fields.

use std::time::Duration;

use super::control::Control;
use super::judge::Outcome;
use super::law::Zone;
use super::model::seen::Seen;
use super::params::Params;
use crate::controller::{Event, Value};
use crate::controllers::report::{
    self, millis, millis_or_auto, number_or_null, rate_or_auto, word, PathLimits,
};
use crate::measure::epoch::Epoch;
use crate::measure::owd::Source;
use crate::units::{Bytes, Owd, Rate};

/// An epoch that has ended: what was seen, the state before the step, the step, and what the path
/// is taken for after it.
#[derive(Debug, Clone)]
pub struct EpochReport {
    /// Counts from 0.
    pub number: u64,
    pub epoch: Counts,
    pub seen: Seen,
    pub zone: Option<Zone>,
    pub before: Before,
    /// The step.
    pub alpha: Option<Rate>,
    pub beta: Option<f64>,
    pub outcome: Option<Outcome>,
    /// After it, what is returned to while a queue drains, what is held while competing flows keep
    /// one, R and W.
    pub return_rate: Option<Rate>,
    pub held_rate: Option<Rate>,
    pub rate: Rate,
    pub window: Bytes,
    /// L at its end.
    pub length: Duration,
    /// T as it was measured, zero while unknown.
    pub transmission: Duration,
    /// By how much the peer's clock is fast, in ppm, as far as it is known, if minima follow it.
    pub skew: Option<f64>,
    /// Queueing of the return path.
    pub return_delay: Duration,
}

/// What the flow was doing in an epoch, u, R, C, and Q.
#[derive(Debug, Clone, Copy)]
pub struct Before {
    pub state: &'static str,
    pub since_decrease: Duration,
    pub rate: Rate,
    pub carried: Rate,
    pub competing_queue: Owd,
}

impl Before {
    /// Before a step from here.
    pub fn new(control: &Control) -> Self {
        Self {
            state: control.state.name(),
            since_decrease: control.since_decrease,
            rate: control.rate,
            carried: control.carried,
            competing_queue: control.judge.competing_queue(),
        }
    }
}

/// What an epoch has counted.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Samples that counted.
    pub samples: u32,
    /// Losses that counted, and feedbacks that told of them.
    pub lost: u64,
    pub loss_reports: u64,
    /// All losses.
    pub lost_total: u64,
    /// Packets acknowledged.
    pub acked: u64,
}

impl Counts {
    /// Those of an epoch with samples from this source.
    pub fn of(epoch: &Epoch, source: Source) -> Self {
        Self {
            samples: epoch.samples(source),
            lost: epoch.lost,
            loss_reports: epoch.loss_reports,
            lost_total: epoch.lost_total,
            acked: epoch.acked_packets,
        }
    }
}

/// `cc:parameters_set`
pub fn parameters_set(spec: &str, params: &Params, limits: PathLimits) -> Event {
    let parameters = vec![
        ("target_delay", millis_or_auto(params.target_delay)),
        ("target_packets", Value::Number(params.target_packets)),
        ("initial_rate", rate_or_auto(params.initial_rate)),
        ("base_delay_window", millis(params.base_delay_window)),
        ("growth", Value::Number(params.growth)),
        ("growth_period", millis(params.growth_period)),
        ("drain_epochs", Value::Number(params.drain_epochs)),
        ("min_decrease", Value::Number(params.min_decrease)),
        ("startup_gain", Value::Number(params.startup_gain)),
        ("without", Value::Text(params.without.text())),
    ];
    report::parameters_set("hybrid", spec, limits, parameters)
}

/// `cc:hybrid_epoch_updated`
pub fn epoch_updated(report: &EpochReport) -> Event {
    let mut fields = vec![("epoch", Value::Count(report.number))];
    fields.extend(counted(&report.epoch));
    fields.extend(seen(&report.seen));
    fields.extend(before(&report.before));
    fields.extend(after(report));
    Event {
        name: "hybrid_epoch_updated",
        fields,
    }
}

fn counted(epoch: &Counts) -> [(&'static str, Value); 5] {
    [
        ("samples", Value::Count(u64::from(epoch.samples))),
        ("lost", Value::Count(epoch.lost)),
        ("loss_reports", Value::Count(epoch.loss_reports)),
        ("lost_total", Value::Count(epoch.lost_total)),
        ("acked", Value::Count(epoch.acked)),
    ]
}

fn seen(seen: &Seen) -> [(&'static str, Value); 21] {
    let thresholds = &seen.thresholds;
    let excessive = seen
        .observed
        .is_some_and(|observed| observed.excessive_loss);
    let of_trains = (seen.train_rate > Rate::default()).then_some(seen.train_rate);
    let delay = |delay: Owd| Value::Number(delay.as_millis());
    let usual = seen.background.count();
    [
        ("duration", millis(seen.duration)),
        ("source", word(seen.source.as_str())),
        ("delivery_rate", Value::Number(seen.delivery_rate.bps())),
        ("train_rate", number_or_null(of_trains.map(Rate::bps))),
        ("delta", number_or_null(seen.delta().map(Owd::as_millis))),
        ("jitter", millis(seen.jitter)),
        ("ack_jitter", millis(seen.ack_jitter)),
        ("ack_gap", millis(seen.ack_gap)),
        ("background_loss", Value::Number(seen.background.share())),
        ("background_lost", Value::Count(usual.lost())),
        ("background_packets", Value::Count(usual.packets())),
        ("excessive_loss", Value::Flag(excessive)),
        ("stalled", Value::Flag(seen.stalled())),
        ("variability", Value::Number(seen.variability)),
        ("app_limited", Value::Flag(seen.app_limited)),
        ("rate_tried", Value::Flag(seen.tried)),
        ("d0", delay(thresholds.d0)),
        ("d1", delay(thresholds.d1)),
        ("d2", delay(thresholds.d2)),
        ("d3", delay(thresholds.d3)),
        ("full", delay(thresholds.full)),
    ]
}

fn before(before: &Before) -> [(&'static str, Value); 5] {
    let queue = before.competing_queue.to_duration();
    [
        ("state", word(before.state)),
        ("since_decrease", millis(before.since_decrease)),
        ("rate_before", Value::Number(before.rate.bps())),
        ("carried_rate", Value::Number(before.carried.bps())),
        ("competing_queue", millis(queue)),
    ]
}

fn after(report: &EpochReport) -> [(&'static str, Value); 12] {
    let rate_or_null = |rate: Option<Rate>| number_or_null(rate.map(Rate::bps));
    let outcome = report.outcome.map(Outcome::as_str);
    [
        ("zone", zone_or_null(report.zone)),
        ("alpha", rate_or_null(report.alpha)),
        ("beta", number_or_null(report.beta)),
        ("rate_after", Value::Number(report.rate.bps())),
        ("return_rate", rate_or_null(report.return_rate)),
        ("held_rate", rate_or_null(report.held_rate)),
        ("outcome", outcome.map_or(Value::Null, word)),
        ("window", Value::Count(report.window.0)),
        ("length", millis(report.length)),
        ("transmission_time", millis(report.transmission)),
        ("skew", number_or_null(report.skew)),
        ("return_delay", millis(report.return_delay)),
    ]
}

fn zone_or_null(zone: Option<Zone>) -> Value {
    zone.map_or(Value::Null, |zone| Value::Count(zone.number()))
}
