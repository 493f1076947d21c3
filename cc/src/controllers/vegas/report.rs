//! What `vegas` writes into a trace. `docs/qlog.md` defines the fields.

use std::time::Duration;

use super::law::Seen;
use crate::controller::{Event, Value};
use crate::controllers::newreno::{Phase, Reaction};
use crate::controllers::report::{millis, number_or_null, word};
use crate::units::{Bytes, Rate};

/// What made an update.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cause {
    /// The end of a round trip.
    Round,
    /// The queue has ended slow start, with packets coming back at this rate.
    Queue(Rate),
    /// A loss was answered.
    Loss(Reaction),
}

/// What a round trip, the end of slow start or a loss has done.
#[derive(Debug, Clone)]
pub struct Update {
    /// Counts from 0.
    pub number: u64,
    /// What made it.
    pub cause: Cause,
    /// Samples of the RTT.
    pub samples: u32,
    /// What they have shown, if there were any and they count.
    pub seen: Option<Seen>,
    /// Bytes that counted for growth since the last update.
    pub counted: u64,
    /// Whether slow start has grown with them.
    pub growing: bool,
    /// Where the window stands now.
    pub phase: Phase,
    /// w before, in bytes.
    pub window_before: f64,
    /// Packets in the queue, of w before.
    pub diff: Option<f64>,
    /// w now.
    pub window_after: f64,
    /// The slow start threshold now.
    pub threshold: f64,
    /// What may be in flight now.
    pub window: Bytes,
    /// Smoothed RTT.
    pub srtt: Duration,
}

/// `cc:vegas_updated`
pub fn updated(update: &Update) -> Event {
    let time = |time: fn(&Seen) -> Duration| {
        let seen = update.seen.as_ref();
        seen.map_or(Value::Null, |seen| millis(time(seen)))
    };
    let threshold = Some(update.threshold).filter(|bytes| bytes.is_finite());
    let (cause, arrived) = match update.cause {
        Cause::Round => ("round", None),
        Cause::Queue(arrived) => ("queue", Some(arrived.bps())),
        Cause::Loss(reaction) => (reaction.as_str(), None),
    };
    Event {
        name: "vegas_updated",
        fields: vec![
            ("update", Value::Count(update.number)),
            ("cause", word(cause)),
            ("samples", Value::Count(u64::from(update.samples))),
            ("rtt", time(|seen| seen.rtt)),
            ("base_rtt", time(|seen| seen.base)),
            ("diff", number_or_null(update.diff)),
            ("counted", Value::Count(update.counted)),
            ("growing", Value::Flag(update.growing)),
            (
                "arrived",
                number_or_null(arrived.filter(|bps| bps.is_finite())),
            ),
            ("phase", word(update.phase.as_str())),
            ("window_before", Value::Number(update.window_before)),
            ("window_after", Value::Number(update.window_after)),
            ("ssthresh", number_or_null(threshold)),
            ("window", Value::Count(update.window.0)),
            ("srtt", millis(update.srtt)),
        ],
    }
}
