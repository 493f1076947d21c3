//! Packets that take a detour.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::Wire;
use crate::units::{format_duration, parse_duration, Params};
use crate::{ParseError, Probability, Stream, Time};

const ALLOWED: &str = "p=1%,extra=5ms: a probability and the extra delay of those packets";

/// Packets that are delayed independently with probability `p` by `extra`, so that those behind overtake them.
///
/// Written `p=1%,extra=5ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reorder {
    /// Probability of the detour.
    pub p: Probability,
    /// How much longer it is.
    pub extra: Duration,
}

impl Wire for Reorder {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        Some(if self.p.draw(rng) {
            sent + self.extra
        } else {
            sent
        })
    }
}

impl FromStr for Reorder {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut params = Params::new(text, ParseError::new("reordering", text, ALLOWED))?;
        let model = Self {
            p: params.required("p", str::parse)?,
            extra: params.required("extra", parse_duration)?,
        };
        params.finish(model, true)
    }
}

impl fmt::Display for Reorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p={},extra={}", self.p, format_duration(self.extra))
    }
}
