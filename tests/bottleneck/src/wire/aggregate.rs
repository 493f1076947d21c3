//! Packets that are collected and delivered together.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::Wire;
use crate::units::{format_duration, parse_duration, Params};
use crate::{Buffer, ParseError, Stream, Time};

const ALLOWED: &str =
    "interval=4ms, or interval=4ms,max=32p: a time above zero, and packets per batch from 1p";

/// A medium that is had at fixed times only, the multiples of `interval`: what was sent since the last time is
/// delivered together, at most `max_packets` of them; the others wait for the next time, without a limit. Order is
/// kept. Of acknowledgements it makes bursts, as cable modems, cellular uplinks and Wi-Fi do.
///
/// Written `interval=4ms,max=32p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aggregate {
    /// Time between two batches.
    pub interval: Duration,
    /// Packets in one batch; `None`: no limit.
    pub max_packets: Option<u64>,
}

/// The wire that [`Aggregate`] declares.
#[derive(Debug, Clone)]
pub struct Aggregator {
    model: Aggregate,
    /// When the latest batch leaves, and how many are in it.
    batch: Time,
    packets: u64,
}

impl Aggregator {
    /// A wire with nothing in it.
    pub fn new(model: Aggregate) -> Self {
        Self {
            model,
            batch: Time::ZERO,
            packets: 0,
        }
    }
}

impl Wire for Aggregator {
    fn deliver(&mut self, sent: Time, _size: u32, _rng: &mut Stream) -> Option<Time> {
        let Aggregate {
            interval,
            max_packets,
        } = self.model;
        let nanos = u64::try_from(interval.as_nanos())
            .unwrap_or(u64::MAX)
            .max(1);
        let turns = sent.as_nanos().div_ceil(nanos);
        let turn = Time::from_nanos(turns.saturating_mul(nanos)).max(sent);
        if turn > self.batch {
            (self.batch, self.packets) = (turn, 0);
        }
        if max_packets.is_some_and(|max| self.packets >= max) {
            (self.batch, self.packets) = (self.batch + interval, 0);
        }
        self.packets += 1;
        Some(self.batch)
    }
}

impl FromStr for Aggregate {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut params = Params::new(text, ParseError::new("aggregation", text, ALLOWED))?;
        let interval = params.required("interval", parse_duration)?;
        let packets = |text: &str| match text.parse()? {
            Buffer::Packets(packets @ 1..) => Ok(packets),
            _ => Err(ParseError::new("size of a batch", text, "1p or more")),
        };
        let max_packets = params.optional("max", packets)?;
        let model = Self {
            interval,
            max_packets,
        };
        params.finish(model, !interval.is_zero())
    }
}

impl fmt::Display for Aggregate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interval={}", format_duration(self.interval))?;
        match self.max_packets {
            Some(packets) => write!(f, ",max={packets}p"),
            None => Ok(()),
        }
    }
}
