//! The delays of a Wi-Fi hop.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::Wire;
use crate::long_waits::{LongWaits, Spans};
use crate::random::{exponential, fork};
use crate::units::{format_duration, parse_duration, Params};
use crate::{ParseError, Stream, Time};

/// A station that wins the medium now and then, and at times not for a long while.
///
/// Turns are a Poisson process: a packet leaves at the first turn after it was sent, together with all others that wait, so
/// that its delay is exponential with this `median` at any packet rate, packets come in bursts and keep their order.
/// Long waits (interference, scanning, a lost beacon) begin as a Poisson process, `every` so long apart on average from the end of
/// the one to the start of the next, and last uniformly from `shortest` to `longest`; turns that fall into one are had at
/// its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wifi {
    /// Median delay outside of long waits.
    pub median: Duration,
    /// Shortest long wait.
    pub shortest: Duration,
    /// Longest long wait.
    pub longest: Duration,
    /// Mean time from one long wait to the next.
    pub every: Duration,
    /// What the link does in a long wait.
    pub link: InLongWaits,
}

/// What the link in front of a station does while the station does not get the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InLongWaits {
    /// It goes on sending: packets wait behind it, where no queue is.
    #[default]
    Sends,
    /// It stops: packets wait in front of it, in its queue.
    Stops,
}

impl FromStr for InLongWaits {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "sends" => Ok(Self::Sends),
            "stops" => Ok(Self::Stops),
            _ => Err(ParseError::new(
                "link in long waits",
                text,
                "sends or stops",
            )),
        }
    }
}

impl fmt::Display for InLongWaits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sends => "sends",
            Self::Stops => "stops",
        })
    }
}

impl Wifi {
    pub(super) fn read(mut params: Params<'_>) -> Result<Self, ParseError> {
        const MS: Duration = Duration::from_millis(1);
        let (shortest, longest) = params
            .optional("stall", range)?
            .unwrap_or((50 * MS, 100 * MS));
        let model = Self {
            median: params.optional("median", parse_duration)?.unwrap_or(4 * MS),
            shortest,
            longest,
            every: params
                .optional("every", parse_duration)?
                .unwrap_or(5000 * MS),
            link: params.optional("link", str::parse)?.unwrap_or_default(),
        };
        params.finish(model, !model.every.is_zero())
    }

    /// The long waits, if the link is in them as `link` says.
    pub(crate) fn long_waits(&self, link: InLongWaits) -> Option<Spans> {
        (self.link == link).then_some(Spans {
            shortest: self.shortest,
            longest: self.longest,
            every: self.every,
        })
    }
}

fn range(text: &str) -> Result<(Duration, Duration), ParseError> {
    let wrong = || ParseError::new("range of times", text, "from..to, as in 50ms..100ms");
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    match (parse_duration(from)?, parse_duration(to)?) {
        (from, to) if from <= to => Ok((from, to)),
        _ => Err(wrong()),
    }
}

impl fmt::Display for Wifi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = format_duration;
        write!(
            f,
            "wifi:median={},stall={}..{},every={},link={}",
            span(self.median),
            span(self.shortest),
            span(self.longest),
            span(self.every),
            self.link
        )
    }
}

/// The wire that [`Wifi`] declares. It has the long waits in which the link goes on sending.
#[derive(Debug, Clone)]
pub struct WifiAccess {
    model: Wifi,
    turn: Time,
    waits: Option<LongWaits>,
}

impl WifiAccess {
    /// A station that has not sent yet.
    pub fn new(model: Wifi) -> Self {
        Self {
            model,
            turn: Time::ZERO,
            waits: None,
        }
    }
}

impl Wire for WifiAccess {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        if let (None, Some(spans)) = (&self.waits, self.model.long_waits(InLongWaits::Sends)) {
            self.waits = Some(LongWaits::new(spans, fork(rng)));
        }
        if sent >= self.turn {
            // Without memory: the rest of the wait for a turn is distributed like the whole.
            let mean = self.model.median.div_f64(std::f64::consts::LN_2);
            self.turn = sent + exponential(mean, rng);
            if let Some(waits) = &mut self.waits {
                self.turn = waits.over(self.turn);
            }
        }
        Some(self.turn)
    }
}
