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
    let cause = match update.measured {
        Some(_) => "measured",
        None => "persistent_congestion",
    };
    let phase = match update.startup {
        true => "startup",
        false => "steady",
    };
    let wanted = update.measured.map(|(_, aim)| aim);
    let mut fields = vec![
        ("update", Value::Count(update.number)),
        ("cause", word(cause)),
        ("source", word(update.source.as_str())),
    ];
    fields.extend(measured(update.measured.map(|(sample, _)| sample)));
    fields.extend([
        ("wanted", number_or_null(wanted)),
        ("phase", word(phase)),
        ("xt", Value::Number(update.xt.bps())),
        ("rate_before", Value::Number(update.rate_before.bps())),
        ("rate_after", Value::Number(update.rate_after.bps())),
        ("min_rtt", millis(update.min_rtt)),
        ("window", Value::Count(update.window.0)),
    ]);
    Event {
        name: "rrr_updated",
        fields,
    }
}

/// The fields of what was measured.
fn measured(sample: Option<RateSample>) -> [(&'static str, Value); 10] {
    let sample = sample.as_ref();
    let count =
        |of: fn(&RateSample) -> u64| sample.map_or(Value::Null, |sample| Value::Count(of(sample)));
    let number = |of: fn(&RateSample) -> f64| number_or_null(sample.map(of));
    let time =
        |of: fn(&RateSample) -> Duration| sample.map_or(Value::Null, |sample| millis(of(sample)));
    [
        ("packets", count(|sample| sample.packets)),
        ("sent", count(|sample| sample.sent.0)),
        ("delivered", count(|sample| sample.delivered.0)),
        ("sending", time(|sample| sample.sending)),
        ("arriving", time(|sample| sample.arriving)),
        ("input", number(|sample| sample.input().bps())),
        ("output", number(|sample| sample.output().bps())),
        ("allowed_first", number(|sample| sample.allowed_first.bps())),
        ("allowed_last", number(|sample| sample.allowed_last.bps())),
        ("reduction", number(RateSample::reduction)),
    ]
}
