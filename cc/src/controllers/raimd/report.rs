//! What `raimd` writes into a trace. `docs/qlog.md` defines the fields.

use std::time::Duration;

use crate::controller::{Event, Value};
use crate::controllers::report::{millis, number_or_null, word};
use crate::units::{Bytes, PacketRate};

/// Why the rate was changed, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Round trips without loss.
    Increase,
    /// The same, in start-up.
    Startup,
    /// The same, but the rate was not used.
    Unused,
    /// A loss event.
    Loss,
    /// Nothing came through for several probe timeouts.
    PersistentCongestion,
}

impl Cause {
    fn as_str(self) -> &'static str {
        match self {
            Cause::Increase => "increase",
            Cause::Startup => "startup",
            Cause::Unused => "unused",
            Cause::Loss => "loss",
            Cause::PersistentCongestion => "persistent_congestion",
        }
    }
}

/// What follows from what.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// Why.
    pub cause: Cause,
    /// Round trips that ended.
    pub rounds: u32,
    /// Packets in the loss interval that ended.
    pub interval: Option<u64>,
    /// Increase per round trip.
    pub alpha: Option<PacketRate>,
    /// B, where alpha was adapted to it.
    pub target: Option<PacketRate>,
}

impl Update {
    /// With nothing but a cause.
    pub fn because(cause: Cause) -> Self {
        Self {
            cause,
            rounds: 0,
            interval: None,
            alpha: None,
            target: None,
        }
    }
}

/// An update with what was known and what it led to.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    /// Counts from 0.
    pub number: u64,
    /// What follows from what.
    pub update: Update,
    /// R.
    pub rtt: Duration,
    /// Packets since the last loss event.
    pub open: u64,
    /// p.
    pub loss: f64,
    /// S before.
    pub rate_before: PacketRate,
    /// S now.
    pub rate_after: PacketRate,
    /// The window now.
    pub window: Bytes,
}

/// `cc:raimd_updated`
pub fn updated(report: &Report) -> Event {
    let update = report.update;
    Event {
        name: "raimd_updated",
        fields: vec![
            ("update", Value::Count(report.number)),
            ("cause", word(update.cause.as_str())),
            ("rounds", Value::Count(u64::from(update.rounds))),
            ("rtt", millis(report.rtt)),
            (
                "interval",
                update.interval.map_or(Value::Null, Value::Count),
            ),
            ("open", Value::Count(report.open)),
            ("loss", Value::Number(report.loss)),
            (
                "target",
                number_or_null(update.target.map(PacketRate::per_sec)),
            ),
            (
                "alpha",
                number_or_null(update.alpha.map(PacketRate::per_sec)),
            ),
            ("rate_before", Value::Number(report.rate_before.per_sec())),
            ("rate_after", Value::Number(report.rate_after.per_sec())),
            ("window", Value::Count(report.window.0)),
        ],
    }
}
