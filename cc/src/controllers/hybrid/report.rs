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
    pub lost_in_all: u64,
    /// Packets acknowledged.
    pub acked: u64,
    /// The rate at which they were acknowledged.
    pub arrived: Rate,
    /// Relative one-way delay.
    pub delta: Option<Owd>,
    /// The time that a packet takes on the slowest link, zero while unknown.
    pub transmission: Duration,
    /// By how much the peer's clock is fast, in ppm, as far as it is known, if minima follow it.
    pub skew: Option<f64>,
    /// N, before this epoch.
    pub noise: Duration,
    /// G, before this epoch.
    pub gap: Duration,
    /// The share of packets that is lost without a queue.
    pub background: f64,
    /// The thresholds in force.
    pub thresholds: Thresholds,
    /// Whether too much was lost for delay to matter.
    pub overwhelmed: bool,
    /// Whether nothing came back for long.
    pub stalled: bool,
    /// How often decreases were at dips, before this update.
    pub varies: f64,
    /// Congestion level.
    pub zone: Option<Zone>,
    /// Whether the update was one of start-up.
    pub startup: bool,
    /// Whether the application limited it.
    pub app_limited: bool,
    /// How long there had been no decrease.
    pub undisturbed: Duration,
    /// Increase used.
    pub alpha: Option<Rate>,
    /// Decrease used.
    pub beta: Option<f64>,
    /// R before the update.
    pub rate_before: Rate,
    /// R after it.
    pub rate_after: Rate,
    /// The rate to return to, while a queue drains.
    pub share: Option<Rate>,
    /// The queue of others that the window allowed for.
    pub standing: Duration,
    /// What is held while others keep a queue.
    pub held: Option<Rate>,
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
        ("bmin", Value::Number(params.bmin)),
        ("bmax", Value::Number(params.bmax)),
        ("d1", millis_or_auto(params.d1)),
        ("losscap", Value::Number(params.losscap)),
        ("startup", Value::Number(params.startup)),
        ("capacity", Value::Number(params.capacity)),
        ("skew", Value::Flag(params.skew)),
        ("owdwin", millis(params.owdwin)),
        ("r0", rate_or_auto(params.r0)),
        ("insist", Value::Number(params.insist)),
        ("queue", Value::Number(params.queue)),
        ("drain", Value::Number(params.drain)),
        ("grow", Value::Number(params.grow)),
        ("period", millis(params.period)),
        ("full", Value::Number(params.full)),
        ("compete", millis(params.compete)),
        ("dip", Value::Number(params.dip)),
        ("catchup", Value::Number(params.catchup)),
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
            ("lost_in_all", Value::Count(epoch.lost_in_all)),
            ("acked", Value::Count(epoch.acked)),
            ("arrived", Value::Number(epoch.arrived.bps())),
            ("delta", number_or_null(epoch.delta.map(Owd::as_millis))),
            ("transmission_time", millis(epoch.transmission)),
            ("skew", number_or_null(epoch.skew)),
            ("noise", millis(epoch.noise)),
            ("gap", millis(epoch.gap)),
            ("background_loss", Value::Number(epoch.background)),
            ("d0", Value::Number(epoch.thresholds.d0.as_millis())),
            ("d1", Value::Number(epoch.thresholds.d1.as_millis())),
            ("d2", Value::Number(epoch.thresholds.d2.as_millis())),
            ("d3", Value::Number(epoch.thresholds.d3.as_millis())),
            ("full", Value::Number(epoch.thresholds.full.as_millis())),
            ("overwhelmed", Value::Flag(epoch.overwhelmed)),
            ("stalled", Value::Flag(epoch.stalled)),
            ("varies", Value::Number(epoch.varies)),
            (
                "zone",
                epoch
                    .zone
                    .map_or(Value::Null, |zone| Value::Count(zone.number())),
            ),
            (
                "phase",
                word(if epoch.startup { "startup" } else { "steady" }),
            ),
            ("app_limited", Value::Flag(epoch.app_limited)),
            ("undisturbed", millis(epoch.undisturbed)),
            ("alpha", number_or_null(epoch.alpha.map(Rate::bps))),
            ("beta", number_or_null(epoch.beta)),
            ("rate_before", Value::Number(epoch.rate_before.bps())),
            ("rate_after", Value::Number(epoch.rate_after.bps())),
            ("share", number_or_null(epoch.share.map(Rate::bps))),
            ("standing", millis(epoch.standing)),
            ("held", number_or_null(epoch.held.map(Rate::bps))),
            ("outcome", epoch.outcome.map_or(Value::Null, word)),
            ("return_delay", millis(epoch.return_delay)),
            ("window", Value::Count(epoch.window.0)),
        ],
    }
}
