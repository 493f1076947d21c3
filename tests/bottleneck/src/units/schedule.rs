//! Values that change over time.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{format_duration, parse_duration, ParseError, Rate};
use crate::Time;

/// What a [`Schedule`] can be made of.
pub trait Scheduled: Copy + PartialEq + fmt::Debug {
    /// What a schedule of it is called in errors.
    const WHAT: &'static str;
    /// What is allowed.
    const ALLOWED: &'static str;

    /// Reads one value.
    ///
    /// # Errors
    /// What was wrong, and what is allowed.
    fn read(text: &str) -> Result<Self, ParseError>;

    /// Writes one value so that [`read`](Scheduled::read) reads it again.
    fn write(&self) -> String;
}

impl Scheduled for Rate {
    const WHAT: &'static str = "rate over time";
    const ALLOWED: &'static str =
        "a rate (10Mbps), or rates and the times from which on they hold, \
        rising and the first 0s (10Mbps@0s,1Mbps@20s)";

    fn read(text: &str) -> Result<Self, ParseError> {
        text.parse()
    }

    fn write(&self) -> String {
        self.to_string()
    }
}

impl Scheduled for Duration {
    const WHAT: &'static str = "delay over time";
    const ALLOWED: &'static str =
        "a delay (25ms), or delays and the times from which on they hold, \
        rising and the first 0s (25ms@0s,50ms@30s)";

    fn read(text: &str) -> Result<Self, ParseError> {
        parse_duration(text)
    }

    fn write(&self) -> String {
        format_duration(*self)
    }
}

/// A value that holds from the start on, or values each of which holds from a time on until the next
/// one does; the last one for ever.
///
/// Written `25ms`, or `25ms@0s,50ms@30s`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule<T> {
    /// Not empty; the first at zero; times rise strictly.
    steps: Vec<(Time, T)>,
}

impl<T: Scheduled> Schedule<T> {
    /// The same value at all times.
    pub fn constant(value: T) -> Self {
        Self {
            steps: vec![(Time::ZERO, value)],
        }
    }

    /// These values, each from its time on; `None` unless the first is at zero and times rise.
    pub fn new(steps: Vec<(Time, T)>) -> Option<Self> {
        let starts = steps.first().is_some_and(|step| step.0 == Time::ZERO);
        let rises = steps.is_sorted_by(|a, b| a.0 < b.0);
        (starts && rises).then_some(Self { steps })
    }

    /// The values and the times from which on they hold.
    pub fn steps(&self) -> &[(Time, T)] {
        &self.steps
    }

    /// The value at the start.
    pub fn first(&self) -> T {
        self.steps[0].1
    }

    /// The value at `time`.
    pub fn at(&self, time: Time) -> T {
        self.steps[self.index_at(time)].1
    }

    /// Which step holds at `time`.
    pub(crate) fn index_at(&self, time: Time) -> usize {
        self.steps.partition_point(|step| step.0 <= time) - 1
    }

    /// When step `index` ends.
    pub(crate) fn end_of(&self, index: usize) -> Time {
        const NEVER: Time = Time::from_nanos(u64::MAX);
        self.steps.get(index + 1).map_or(NEVER, |next| next.0)
    }
}

impl<T: Scheduled> From<T> for Schedule<T> {
    fn from(value: T) -> Self {
        Self::constant(value)
    }
}

impl<T: Scheduled> FromStr for Schedule<T> {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        if !text.contains(['@', ',']) {
            return T::read(text).map(Self::constant);
        }
        let wrong = || ParseError::new(T::WHAT, text, T::ALLOWED);
        let step = |step: &str| {
            let (value, from) = step.split_once('@').ok_or_else(wrong)?;
            Ok((Time::from(parse_duration(from)?), T::read(value.trim())?))
        };
        let steps = text.split(',').map(step).collect::<Result<_, _>>()?;
        Self::new(steps).ok_or_else(wrong)
    }
}

impl<T: Scheduled> fmt::Display for Schedule<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(_, value)] = &self.steps[..] {
            return f.write_str(&value.write());
        }
        for (number, (from, value)) in self.steps.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let from = format_duration(from.since(Time::ZERO));
            write!(f, "{comma}{}@{from}", value.write())?;
        }
        Ok(())
    }
}
