//! What `hybrid` writes into a trace. `docs/qlog.md` defines the fields.

use std::time::Duration;

use super::law::Zone;
use super::params::Params;
use super::thresholds::Thresholds;
use crate::controller::{Event, Value};
use crate::controllers::report::{
    self, millis, millis_or_auto, number_or_null, rate_or_auto, word, PathLimits,
};
use crate::measure::owd::Source;
use crate::units::{Bytes, Owd, Rate};

/// An epoch that has ended.
#[derive(Debug, Clone)]
pub struct EpochReport {
    /// Counts from 0.
    pub number: u64,
    /// How long it lasted.
    pub duration: Duration,
    /// L at its end.
    pub length: Duration,
    /// Where its samples came from.
    pub source: Source,
    /// Samples that counted.
    pub samples: u32,
    /// Losses that counted.
    pub lost: u64,
    /// All losses.
    pub loss_reports: u64,
    pub lost_total: u64,
    /// Packets acknowledged.
    pub acked: u64,
    /// The rate at which they were acknowledged.
    pub delivery_rate: Rate,
    /// Relative one-way delay.
    pub delta: Option<Owd>,
    /// The time that a packet takes on the slowest link, zero while unknown.
    pub transmission: Duration,
    /// By how much the peer's clock is fast, in ppm, as far as it is known, if minima follow it.
    pub skew: Option<f64>,
    /// N, before this epoch.
    pub jitter: Duration,
    /// G, before this epoch.
    pub ack_gap: Duration,
    /// The share of packets that is lost without a queue.
    pub background: f64,
    /// The thresholds in force.
    pub thresholds: Thresholds,
    /// Whether too much was lost for delay to matter.
    pub excessive_loss: bool,
    /// Whether nothing came back for long.
    pub stalled: bool,
    /// How often decreases were at dips, before this update.
    pub variability: f64,
    /// Congestion level.
    pub zone: Option<Zone>,
    /// What the flow was doing in it.
    pub state: &'static str,
    /// Whether the application limited it.
    pub app_limited: bool,
    /// How long there had been no decrease.
    pub since_decrease: Duration,
    /// Increase used.
    pub alpha: Option<Rate>,
    /// Decrease used.
    pub beta: Option<f64>,
    /// R before the update.
    pub rate_before: Rate,
    /// R after it.
    pub rate_after: Rate,
    /// The rate to return to, while a queue drains.
    pub return_rate: Option<Rate>,
    /// The queue of others that the window allowed for.
    pub competing_queue: Duration,
    /// What is held while others keep a queue.
    pub held_rate: Option<Rate>,
    /// What became of a queue that should drain, or of a path that was interrupted.
    pub outcome: Option<&'static str>,
    /// Queueing of the return path.
    pub return_delay: Duration,
    /// W after it.
    pub window: Bytes,
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
pub fn epoch_updated(epoch: &EpochReport) -> Event {
    Event {
        name: "hybrid_epoch_updated",
        fields: vec![
            ("epoch", Value::Count(epoch.number)),
            ("duration", millis(epoch.duration)),
            ("length", millis(epoch.length)),
            ("source", word(epoch.source.as_str())),
            ("samples", Value::Count(u64::from(epoch.samples))),
            ("lost", Value::Count(epoch.lost)),
            ("loss_reports", Value::Count(epoch.loss_reports)),
            ("lost_total", Value::Count(epoch.lost_total)),
            ("acked", Value::Count(epoch.acked)),
            ("delivery_rate", Value::Number(epoch.delivery_rate.bps())),
            ("delta", number_or_null(epoch.delta.map(Owd::as_millis))),
            ("transmission_time", millis(epoch.transmission)),
            ("skew", number_or_null(epoch.skew)),
            ("jitter", millis(epoch.jitter)),
            ("ack_gap", millis(epoch.ack_gap)),
            ("background_loss", Value::Number(epoch.background)),
            ("d0", Value::Number(epoch.thresholds.d0.as_millis())),
            ("d1", Value::Number(epoch.thresholds.d1.as_millis())),
            ("d2", Value::Number(epoch.thresholds.d2.as_millis())),
            ("d3", Value::Number(epoch.thresholds.d3.as_millis())),
            ("full", Value::Number(epoch.thresholds.full.as_millis())),
            ("excessive_loss", Value::Flag(epoch.excessive_loss)),
            ("stalled", Value::Flag(epoch.stalled)),
            ("variability", Value::Number(epoch.variability)),
            (
                "zone",
                epoch
                    .zone
                    .map_or(Value::Null, |zone| Value::Count(zone.number())),
            ),
            ("state", word(epoch.state)),
            ("app_limited", Value::Flag(epoch.app_limited)),
            ("since_decrease", millis(epoch.since_decrease)),
            ("alpha", number_or_null(epoch.alpha.map(Rate::bps))),
            ("beta", number_or_null(epoch.beta)),
            ("rate_before", Value::Number(epoch.rate_before.bps())),
            ("rate_after", Value::Number(epoch.rate_after.bps())),
            (
                "return_rate",
                number_or_null(epoch.return_rate.map(Rate::bps)),
            ),
            ("competing_queue", millis(epoch.competing_queue)),
            ("held_rate", number_or_null(epoch.held_rate.map(Rate::bps))),
            ("outcome", epoch.outcome.map_or(Value::Null, word)),
            ("return_delay", millis(epoch.return_delay)),
            ("window", Value::Count(epoch.window.0)),
        ],
    }
}
