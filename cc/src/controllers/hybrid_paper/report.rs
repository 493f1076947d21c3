//! What the paper's controller writes into a trace. `docs/qlog.md` defines the fields.

use std::time::Duration;

use super::law::{Thresholds, Zone};
use crate::controller::{Event, Value};
use crate::controllers::report::{self, millis, number_or_null, word, PathLimits};
use crate::measure::owd::Source;
use crate::measure::trend::Trend;
use crate::units::{Bytes, Owd, Rate};

/// The outcome of an epoch with persistent congestion.
pub const INTERRUPTED: &str = "interrupted";

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
    /// Losses.
    pub lost: u64,
    /// Packets acknowledged.
    pub acked: u64,
    /// Mean relative one-way delay.
    pub delta: Option<Owd>,
    /// Its trend.
    pub trend: Trend,
    /// The thresholds in force.
    pub thresholds: Thresholds,
    /// Congestion level.
    pub zone: Option<Zone>,
    /// Whether the application limited it.
    pub app_limited: bool,
    /// Increase used.
    pub alpha: Option<Rate>,
    /// Decrease used.
    pub beta: Option<f64>,
    /// R before the update.
    pub rate_before: Rate,
    /// R after it.
    pub rate_after: Rate,
    /// Whether the path was interrupted.
    pub outcome: Option<&'static str>,
    /// W after it.
    pub window: Bytes,
}

/// `cc:parameters_set`
pub fn parameters_set(
    spec: &str,
    limits: PathLimits,
    parameters: Vec<(&'static str, Value)>,
) -> Event {
    report::parameters_set("hybrid", spec, limits, parameters)
}

/// `cc:hybrid_epoch_updated`
pub fn epoch_updated(epoch: &EpochReport) -> Event {
    let zone = epoch.zone.map(|zone| Value::Count(zone.number()));
    let Thresholds { d0, d1, d2, d3 } = epoch.thresholds;
    Event {
        name: "hybrid_epoch_updated",
        fields: vec![
            ("epoch", Value::Count(epoch.number)),
            ("duration", millis(epoch.duration)),
            ("length", millis(epoch.length)),
            ("source", word(epoch.source.as_str())),
            ("samples", Value::Count(u64::from(epoch.samples))),
            // All losses count, those of packets sent before a decrease as well.
            ("lost", Value::Count(epoch.lost)),
            ("lost_total", Value::Count(epoch.lost)),
            ("acked", Value::Count(epoch.acked)),
            ("delta", number_or_null(epoch.delta.map(Owd::as_millis))),
            ("trend", word(epoch.trend.as_str())),
            ("d0", Value::Number(d0.as_millis())),
            ("d1", Value::Number(d1.as_millis())),
            ("d2", Value::Number(d2.as_millis())),
            ("d3", Value::Number(d3.as_millis())),
            ("zone", zone.unwrap_or(Value::Null)),
            ("app_limited", Value::Flag(epoch.app_limited)),
            ("alpha", number_or_null(epoch.alpha.map(Rate::bps))),
            ("beta", number_or_null(epoch.beta)),
            ("rate_before", Value::Number(epoch.rate_before.bps())),
            ("rate_after", Value::Number(epoch.rate_after.bps())),
            ("outcome", epoch.outcome.map_or(Value::Null, word)),
            ("window", Value::Count(epoch.window.0)),
        ],
    }
}
