//! Delay that varies from packet to packet.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{InLongWaits, Retries, Wifi, WifiAccess, Wire};
use crate::long_waits::Spans;
use crate::random::{normal, uniform_span};
use crate::units::{format_duration, parse_duration, Params};
use crate::{ParseError, Schedule, Stream, Time};

const ALLOWED: &str =
    "uniform:min=0ms,max=10ms, normal:mean=5ms,sd=2ms (both with order=keep or free), \
    wifi:median=4ms,stall=50ms..100ms,every=5s,link=sends or stops, or retries:7ms (also over time, 1ms@0s,12ms@10s)";

/// A delay that comes on top of propagation.
///
/// The delays of `uniform` and `normal` are independent from packet to packet. With [`Order::Keep`] a packet also
/// waits for those before it; where packets are closer than the jitter is wide, most then take nearly the highest
/// delay. `wifi` is a process in time and has its distribution at any packet rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Jitter {
    /// `uniform:min=0ms,max=10ms,order=keep`.
    Uniform {
        /// Shortest.
        min: Duration,
        /// Longest.
        max: Duration,
        /// Whether packets may overtake.
        order: Order,
    },
    /// `normal:mean=5ms,sd=2ms,order=keep`; what would be below zero is zero.
    Normal {
        /// Mean.
        mean: Duration,
        /// Standard deviation.
        sd: Duration,
        /// Whether packets may overtake.
        order: Order,
    },
    /// `wifi:median=4ms,stall=50ms..100ms,every=5s,link=sends`, the default; keeps order.
    Wifi(Wifi),
    /// `retries:7ms` or `retries:1ms@0s,12ms@10s`, by the mean; keeps order. See [`Retries`].
    Retries(Schedule<Duration>),
}

/// Whether packets may overtake each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// No, as in a first-in, first-out queue.
    #[default]
    Keep,
    /// Yes, as on many parallel paths.
    Free,
}

impl Jitter {
    /// The long waits in which the link stops.
    pub(crate) fn stops(&self) -> Option<Spans> {
        match self {
            Self::Wifi(model) => model.long_waits(InLongWaits::Stops),
            _ => None,
        }
    }

    /// The wire that delays packets so, and loses none.
    pub fn build(self) -> Box<dyn Wire> {
        let latest = Time::ZERO;
        match self {
            Self::Wifi(model) => Box::new(WifiAccess::new(model)),
            Self::Retries(means) => Box::new(Retries::new(means)),
            Self::Uniform { min, max, order } => Box::new(Independent {
                draw: move |rng: &mut Stream| uniform_span(min, max, rng),
                order,
                latest,
            }),
            Self::Normal { mean, sd, order } => Box::new(Independent {
                draw: move |rng: &mut Stream| {
                    let seconds = mean.as_secs_f64() + sd.as_secs_f64() * normal(rng);
                    Duration::from_secs_f64(seconds.max(0.0))
                },
                order,
                latest,
            }),
        }
    }
}

/// Delays each packet by a draw of its own.
struct Independent<D> {
    draw: D,
    order: Order,
    /// The latest delivery so far.
    latest: Time,
}

impl<D: FnMut(&mut Stream) -> Duration + Send> Wire for Independent<D> {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        let at = sent + (self.draw)(rng);
        self.latest = self.latest.max(at);
        Some(match self.order {
            Order::Keep => self.latest,
            Order::Free => at,
        })
    }
}

impl FromStr for Jitter {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new("jitter", text, ALLOWED);
        let (name, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        if name == "retries" {
            return rest.parse().map(Self::Retries).map_err(|_| wrong());
        }
        let mut params = Params::new(rest, wrong())?;
        if name == "wifi" {
            return Wifi::read(params).map(Self::Wifi);
        }
        let order = params.optional("order", order)?.unwrap_or_default();
        match name {
            "uniform" => {
                let min = params.optional("min", parse_duration)?.unwrap_or_default();
                let max = params.required("max", parse_duration)?;
                params.finish(Self::Uniform { min, max, order }, min <= max)
            }
            "normal" => {
                let mean = params.required("mean", parse_duration)?;
                let sd = params.required("sd", parse_duration)?;
                params.finish(Self::Normal { mean, sd, order }, true)
            }
            _ => Err(wrong()),
        }
    }
}

fn order(text: &str) -> Result<Order, ParseError> {
    match text {
        "keep" => Ok(Order::Keep),
        "free" => Ok(Order::Free),
        _ => Err(ParseError::new("order", text, "keep or free")),
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keep => "keep",
            Self::Free => "free",
        })
    }
}

impl fmt::Display for Jitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |span: &Duration| format_duration(*span);
        match self {
            Self::Uniform { min, max, order } => {
                write!(
                    f,
                    "uniform:min={},max={},order={order}",
                    span(min),
                    span(max)
                )
            }
            Self::Normal { mean, sd, order } => {
                write!(
                    f,
                    "normal:mean={},sd={},order={order}",
                    span(mean),
                    span(sd)
                )
            }
            Self::Wifi(wifi) => wifi.fmt(f),
            Self::Retries(means) => write!(f, "retries:{means}"),
        }
    }
}
