//! What `smallq` writes into a trace. `docs/qlog.md` defines the fields.

use std::time::Duration;

use super::ecn::EcnState;
use crate::controller::{Event, Value};
use crate::controllers::newreno::{Phase, Reaction};
use crate::controllers::report::{millis, number_or_null, word};
use crate::units::Bytes;

/// What a feedback has done.
#[derive(Debug, Clone)]
pub struct Update {
    /// Counts from 0.
    pub number: u64,
    /// Bytes acknowledged.
    pub acked: Bytes,
    /// Those that counted for growth.
    pub counted: Bytes,
    /// Increase of the ECT counts.
    pub ect: u64,
    /// Increase of the CE count.
    pub ce: u64,
    /// Marks that counted.
    pub marks: u64,
    /// Packets declared lost.
    pub lost: u64,
    /// What the losses have done.
    pub reaction: Option<Reaction>,
    /// The most that was in flight recently.
    pub used: Bytes,
    /// What is known of ECN.
    pub ecn: EcnState,
    /// Where the window stands now.
    pub phase: Phase,
    /// w before, in bytes.
    pub window_before: f64,
    /// w now.
    pub window_after: f64,
    /// The slow start threshold now.
    pub threshold: f64,
    /// What may be in flight now.
    pub window: Bytes,
    /// Smoothed RTT.
    pub srtt: Duration,
}

/// `cc:smallq_updated`
pub fn updated(update: &Update) -> Event {
    let reaction = update.reaction.map(Reaction::as_str);
    let threshold = Some(update.threshold).filter(|bytes| bytes.is_finite());
    Event {
        name: "smallq_updated",
        fields: vec![
            ("update", Value::Count(update.number)),
            ("acked", Value::Count(update.acked.0)),
            ("counted", Value::Count(update.counted.0)),
            ("ect", Value::Count(update.ect)),
            ("ce", Value::Count(update.ce)),
            ("marks", Value::Count(update.marks)),
            ("lost", Value::Count(update.lost)),
            ("reaction", reaction.map_or(Value::Null, word)),
            ("used", Value::Count(update.used.0)),
            ("ecn", word(update.ecn.as_str())),
            ("phase", word(update.phase.as_str())),
            ("window_before", Value::Number(update.window_before)),
            ("window_after", Value::Number(update.window_after)),
            ("ssthresh", number_or_null(threshold)),
            ("window", Value::Count(update.window.0)),
            ("srtt", millis(update.srtt)),
        ],
    }
}
