//! The delays of a Wi-Fi hop.

use std::fmt;
use std::time::Duration;

use super::Wire;
use crate::random::{exponential, fork, uniform_span};
use crate::units::{format_duration, parse_duration, Params};
use crate::{ParseError, Stream, Time};

/// More stalls than this in a pause are not played through: what is left of the pause is forgotten, which a process
/// without memory does not notice.
const MOST_STALLS_AT_ONCE: usize = 1 << 16;

/// A station that wins the medium now and then, and at times not for a long while.
///
/// Turns are a Poisson process: a packet leaves at the first turn after it was sent, together with all others that wait, so
/// that its delay is exponential with this `median` at any packet rate, packets come in bursts and keep their order.
/// Stalls (interference, scanning, a lost beacon) begin as a Poisson process, `every` so long apart on average from the end of
/// the one to the start of the next, and last uniformly from `shortest` to `longest`; turns that fall into one are had at
/// its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wifi {
    /// Median delay outside of stalls.
    pub median: Duration,
    /// Shortest stall.
    pub shortest: Duration,
    /// Longest stall.
    pub longest: Duration,
    /// Mean time from one stall to the next.
    pub every: Duration,
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
        };
        params.finish(model, !model.every.is_zero())
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
            "wifi:median={},stall={}..{},every={}",
            span(self.median),
            span(self.shortest),
            span(self.longest),
            span(self.every)
        )
    }
}

/// The wire that [`Wifi`] declares.
#[derive(Debug, Clone)]
pub struct WifiAccess {
    model: Wifi,
    turn: Time,
    stalls: Option<Stalls>,
}

/// The stalls of a station. They are drawn apart from its turns, so that they come at the same times whatever it sends.
#[derive(Debug, Clone)]
struct Stalls {
    rng: Stream,
    /// Begin and end of the latest one.
    latest: (Time, Time),
}

impl Stalls {
    fn new(model: &Wifi, mut rng: Stream) -> Self {
        let latest = Self::draw(model, Time::ZERO, &mut rng);
        Self { rng, latest }
    }

    fn draw(model: &Wifi, after: Time, rng: &mut Stream) -> (Time, Time) {
        let start = after + exponential(model.every, rng);
        let span = uniform_span(model.shortest, model.longest, rng);
        (start, start + span)
    }

    /// The first one that ends after `time`.
    fn at(&mut self, model: &Wifi, time: Time) -> (Time, Time) {
        for _ in 0..MOST_STALLS_AT_ONCE {
            if self.latest.1 > time {
                return self.latest;
            }
            self.latest = Self::draw(model, self.latest.1, &mut self.rng);
        }
        self.latest = Self::draw(model, time, &mut self.rng);
        self.latest
    }
}

impl WifiAccess {
    /// A station that has not sent yet.
    pub fn new(model: Wifi) -> Self {
        Self {
            model,
            turn: Time::ZERO,
            stalls: None,
        }
    }
}

impl Wire for WifiAccess {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        let stalls = self
            .stalls
            .get_or_insert_with(|| Stalls::new(&self.model, fork(rng)));
        if sent >= self.turn {
            // Without memory: the rest of the wait for a turn is distributed like the whole.
            let mean = self.model.median.div_f64(std::f64::consts::LN_2);
            self.turn = sent + exponential(mean, rng);
            let (start, end) = stalls.at(&self.model, self.turn);
            if start <= self.turn {
                self.turn = end;
            }
        }
        Some(self.turn)
    }
}
