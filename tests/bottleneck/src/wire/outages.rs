//! Times at which nothing comes through.

use std::fmt;
use std::str::FromStr;

use super::Wire;
use crate::units::{format_duration, parse_duration};
use crate::{ParseError, Stream, Time};

const ALLOWED: &str =
    "times from..until, each after the one before (10s..12s or 10s..12s,30s..31s)";

/// A wire that is down at times: packets whose last bit is sent from the one instant until before the other are lost.
///
/// Written `10s..12s,30s..31s`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outages {
    /// Not empty; none is empty; they rise and do not overlap.
    spans: Vec<(Time, Time)>,
}

impl Outages {
    /// These outages, each from the one instant until before the other; `None` unless there are any, and they rise.
    pub fn new(spans: Vec<(Time, Time)>) -> Option<Self> {
        let last = spans.iter().try_fold(Time::ZERO, |before, &(from, until)| {
            (before <= from && from < until).then_some(until)
        });
        (last? > Time::ZERO).then_some(Self { spans })
    }

    /// Whether the wire is down at `time`.
    pub fn is_down(&self, time: Time) -> bool {
        let index = self.spans.partition_point(|&(_, until)| until <= time);
        self.spans.get(index).is_some_and(|&(from, _)| from <= time)
    }
}

impl Wire for Outages {
    fn deliver(&mut self, sent: Time, _size: u32, _rng: &mut Stream) -> Option<Time> {
        (!self.is_down(sent)).then_some(sent)
    }
}

impl FromStr for Outages {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new("outage", text, ALLOWED);
        let span = |span: &str| {
            let (from, until) = span.split_once("..").ok_or_else(wrong)?;
            Ok((parse_duration(from)?.into(), parse_duration(until)?.into()))
        };
        let spans = text.split(',').map(span).collect::<Result<_, _>>()?;
        Self::new(spans).ok_or_else(wrong)
    }
}

impl fmt::Display for Outages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |time: Time| -> String { format_duration(time.since(Time::ZERO)) };
        for (number, &(from, until)) in self.spans.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(f, "{comma}{}..{}", span(from), span(until))?;
        }
        Ok(())
    }
}
