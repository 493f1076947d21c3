//! What `rrr` writes into a trace. `docs/qlog.md` defines the fields.

use std::time::Duration;

use crate::controller::{Event, Value};
use crate::controllers::report::{millis, number_or_null, word};
use crate::measure::owd::Source;
use crate::measure::rate::RateSample;
use crate::units::{Bytes, Rate};

/// A change of the rate.
#[derive(Debug, Clone)]
pub struct Update {
    /// Counts from 0.
    pub number: u64,
    /// Where arrival times came from.
    pub source: Source,
    /// What was measured, and the pT aimed at; `None` for persistent congestion.
    pub measured: Option<(RateSample, f64)>,
    /// Whether the update was one of start-up.
    pub startup: bool,
    /// XT.
    pub xt: Rate,
    /// The rate before.
    pub rate_before: Rate,
    /// The rate now.
    pub rate_after: Rate,
    /// The smallest RTT.
    pub min_rtt: Duration,
    /// The window now.
    pub window: Bytes,
}

/// `cc:rrr_updated`
pub fn updated(update: &Update) -> Event {
    let sample = update.measured.map(|(sample, _)| sample);
    let count =
        |of: fn(&RateSample) -> u64| sample.map_or(Value::Null, |sample| Value::Count(of(&sample)));
    let number = |of: fn(&RateSample) -> f64| number_or_null(sample.map(|sample| of(&sample)));
    let cause = if sample.is_some() {
        "measured"
    } else {
        "persistent_congestion"
    };
    Event {
        name: "rrr_updated",
        fields: vec![
            ("update", Value::Count(update.number)),
            ("cause", word(cause)),
            ("source", word(update.source.as_str())),
            ("packets", count(|sample| sample.packets)),
            ("sent", count(|sample| sample.sent.0)),
            ("delivered", count(|sample| sample.delivered.0)),
            (
                "sending",
                number(|sample| sample.sending.as_secs_f64() * 1e3),
            ),
            (
                "arriving",
                number(|sample| sample.arriving.as_secs_f64() * 1e3),
            ),
            ("input", number(|sample| sample.input().bps())),
            ("output", number(|sample| sample.output().bps())),
            ("allowed_first", number(|sample| sample.allowed_first.bps())),
            ("allowed_last", number(|sample| sample.allowed_last.bps())),
            ("reduction", number(RateSample::reduction)),
            (
                "wanted",
                number_or_null(update.measured.map(|(_, aim)| aim)),
            ),
            (
                "phase",
                word(if update.startup { "startup" } else { "steady" }),
            ),
            ("xt", Value::Number(update.xt.bps())),
            ("rate_before", Value::Number(update.rate_before.bps())),
            ("rate_after", Value::Number(update.rate_after.bps())),
            ("min_rtt", millis(update.min_rtt)),
            ("window", Value::Count(update.window.0)),
        ],
    }
}
