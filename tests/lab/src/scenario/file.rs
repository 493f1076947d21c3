//! The format of scenario files. What their fields mean stands in docs/lab.md.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use quiche_cc_bottleneck::{
    parse_duration, Aggregate, Buffer, Jitter, Loss, Outages, Queue, Rate, RateModel, Reorder,
    Schedule,
};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use toml::Spanned;

use super::encoder::EncoderFile;
use crate::scenario;

/// A scenario file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub title: String,
    pub duration: Spanned<Text<Span>>,
    #[serde(default)]
    pub warmup: Option<Spanned<Text<Span>>>,
    #[serde(default = "default_datagram")]
    pub datagram: Spanned<u16>,
    #[serde(default)]
    pub interval: Option<Spanned<Text<Span>>>,
    #[serde(default)]
    pub link: Vec<Spanned<Link>>,
    #[serde(default)]
    pub flow: Vec<Spanned<Flow>>,
}

fn default_datagram() -> Spanned<u16> {
    Spanned::new(0..0, 1250)
}

/// `[[link]]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub name: Spanned<String>,
    pub rate: Option<Spanned<Text<RateModel>>>,
    pub delay: Option<Text<Schedule<Duration>>>,
    pub buffer: Option<Text<Buffer>>,
    pub queue: Option<Text<Queue>>,
    pub outages: Option<Text<Outages>>,
    pub loss: Option<Text<Loss>>,
    pub jitter: Option<Text<Jitter>>,
    pub aggregate: Option<Text<Aggregate>>,
    pub reorder: Option<Text<Reorder>>,
}

/// `[[flow]]`
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    pub name: Spanned<String>,
    pub count: Option<Spanned<u32>>,
    pub path: Vec<Spanned<String>>,
    #[serde(default)]
    pub back: Vec<Spanned<String>>,
    pub rtt: Option<Spanned<Text<Span>>>,
    pub delay: Option<Text<Span>>,
    pub return_delay: Option<Text<Span>>,
    pub start: Option<Text<Span>>,
    pub every: Option<Text<Span>>,
    pub stop: Option<Spanned<Text<Span>>>,
    #[serde(default)]
    pub transport: Transport,
    pub cc: Option<Spanned<String>>,
    pub timestamps: Option<bool>,
    pub timestamps_per_ack: Option<Spanned<u16>>,
    pub packets_per_ack: Option<Spanned<u16>>,
    pub ecn: Option<bool>,
    pub initial_window: Option<Spanned<u16>>,
    pub idle_timeout: Option<Text<Span>>,
    pub clock: Option<Clock>,
    #[serde(default)]
    pub rebind: Vec<Text<Span>>,
    pub traffic: Spanned<Traffic>,
}

impl Flow {
    /// A key that is given and that only a QUIC flow has.
    pub fn key_of_quic(&self) -> Option<&'static str> {
        let given = [
            ("timestamps", self.timestamps.is_some()),
            ("timestamps_per_ack", self.timestamps_per_ack.is_some()),
            ("packets_per_ack", self.packets_per_ack.is_some()),
            ("ecn", self.ecn.is_some()),
            ("initial_window", self.initial_window.is_some()),
            ("idle_timeout", self.idle_timeout.is_some()),
            ("clock", self.clock.is_some()),
            ("rebind", !self.rebind.is_empty()),
        ];
        given.iter().find(|(_, is)| *is).map(|(key, _)| *key)
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    #[default]
    Quic,
    Udp,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    pub offset: Option<Text<Span>>,
    pub drift_ppm: Option<Spanned<f64>>,
    #[serde(default)]
    pub steps: Vec<Step>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub at: Text<Span>,
    pub by: Text<SignedSpan>,
}

/// `traffic = { kind = "unlimited" }` and so on.
#[derive(Debug, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Traffic {
    Unlimited {},
    Transfer {
        bytes: u64,
    },
    Bursts {
        packets: u64,
        every: Text<Span>,
        buffer: u64,
    },
    Cbr {
        rate: Text<Rate>,
    },
    Poisson {
        rate: Text<Rate>,
    },
    OnOff {
        on: Text<Span>,
        off: Text<Span>,
        rate: Option<Text<Rate>>,
        #[serde(default)]
        fixed: bool,
    },
    Responses {
        every: Text<Span>,
        sizes: Vec<Size>,
    },
    Requests {
        objects: u32,
        parallel: u32,
        size: u64,
        #[serde(default)]
        spread: f64,
        think: Text<Span>,
        #[serde(default = "default_request")]
        request: u64,
    },
    Media {
        tracks: Vec<Track>,
    },
    Encoder(EncoderFile),
}

/// Units of media that come about at regular times.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Track {
    every: Text<Span>,
    sizes: Vec<Size>,
    #[serde(default = "default_urgency")]
    urgency: u8,
    #[serde(default = "yes")]
    counted: bool,
    patience: Option<Text<Span>>,
}

/// That of RFC 9218, section 4.1.
fn default_urgency() -> u8 {
    3
}

fn yes() -> bool {
    true
}

impl Track {
    fn typed(&self) -> scenario::Track {
        scenario::Track {
            every: self.every.0 .0,
            sizes: self
                .sizes
                .iter()
                .map(|size| (size.bytes, size.times))
                .collect(),
            urgency: self.urgency,
            counted: self.counted,
            patience: self.patience.map(|patience| patience.0 .0),
        }
    }

    fn missing(&self) -> Option<&'static str> {
        match self {
            _ if self.every.0 .0.is_zero() => Some("`every`"),
            _ if self.sizes.is_empty() => Some("the number of `sizes`"),
            _ if self.sizes.iter().any(|size| size.bytes == 0) => Some("`bytes`"),
            _ if self.sizes.iter().any(|size| size.times == 0) => Some("`times`"),
            _ => None,
        }
    }
}

/// Responses of one size.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    bytes: u64,
    #[serde(default = "once")]
    times: u64,
}

fn once() -> u64 {
    1
}

fn default_request() -> u64 {
    400
}

impl Traffic {
    /// The same with plain values.
    pub fn typed(&self) -> scenario::Traffic {
        match *self {
            Self::Unlimited {} => scenario::Traffic::Unlimited,
            Self::Transfer { bytes } => scenario::Traffic::Transfer { bytes },
            Self::Bursts {
                packets,
                every,
                buffer,
            } => scenario::Traffic::Bursts {
                packets,
                every: every.0 .0,
                buffer,
            },
            Self::Cbr { rate } => scenario::Traffic::Cbr { rate: rate.0 },
            Self::Poisson { rate } => scenario::Traffic::Poisson { rate: rate.0 },
            Self::OnOff {
                on,
                off,
                rate,
                fixed,
            } => scenario::Traffic::OnOff {
                on: on.0 .0,
                off: off.0 .0,
                rate: rate.map(|rate| rate.0),
                fixed,
            },
            Self::Responses { every, ref sizes } => scenario::Traffic::Responses {
                every: every.0 .0,
                sizes: sizes.iter().map(|size| (size.bytes, size.times)).collect(),
            },
            Self::Requests {
                objects,
                parallel,
                size,
                spread,
                think,
                request,
            } => scenario::Traffic::Requests {
                objects,
                parallel,
                size,
                spread,
                think: think.0 .0,
                request,
            },
            Self::Media { ref tracks } => scenario::Traffic::Media {
                tracks: tracks.iter().map(Track::typed).collect(),
            },
            Self::Encoder(ref encoder) => scenario::Traffic::Encoder(encoder.typed()),
        }
    }

    /// What is wrong, and what is allowed.
    pub fn fault(&self) -> Option<String> {
        if let Some(what) = self.missing() {
            return Some(format!("{what} has to be more than 0"));
        }
        match self {
            Self::Encoder(encoder) => encoder.fault(),
            Self::Requests { spread, .. } if !(0.0..=10.0).contains(spread) => {
                Some("`spread` is 0 to 10".to_owned())
            }
            Self::Requests { request, .. } if *request > scenario::LARGEST_REQUEST => Some(
                format!("`request` is 1 to {} bytes", scenario::LARGEST_REQUEST),
            ),
            _ => None,
        }
    }

    /// Which value is zero that may not be.
    fn missing(&self) -> Option<&'static str> {
        let zero = |given: &Text<Span>| given.0 .0.is_zero();
        match self {
            Self::Transfer { bytes: 0 } => Some("`bytes`"),
            Self::Bursts { packets: 0, .. } => Some("`packets`"),
            Self::Bursts { buffer: 0, .. } => Some("`buffer`"),
            Self::Bursts { every, .. } if zero(every) => Some("`every`"),
            Self::OnOff { on, .. } if zero(on) => Some("`on`"),
            Self::OnOff { off, .. } if zero(off) => Some("`off`"),
            Self::Responses { every, .. } if zero(every) => Some("`every`"),
            Self::Responses { sizes, .. } if sizes.is_empty() => Some("the number of `sizes`"),
            Self::Responses { sizes, .. } if sizes.iter().any(|size| size.bytes == 0) => {
                Some("`bytes`")
            }
            Self::Responses { sizes, .. } if sizes.iter().any(|size| size.times == 0) => {
                Some("`times`")
            }
            Self::Requests { objects: 0, .. } => Some("`objects`"),
            Self::Requests { parallel: 0, .. } => Some("`parallel`"),
            Self::Requests { size: 0, .. } => Some("`size`"),
            Self::Requests { request: 0, .. } => Some("`request`"),
            Self::Media { tracks } if tracks.is_empty() => Some("the number of `tracks`"),
            Self::Media { tracks } => tracks.iter().find_map(Track::missing),
            _ => None,
        }
    }
}

/// A value that is written as text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Text<T>(pub T);

impl<'de, T> Deserialize<'de> for Text<T>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FromText<T>(PhantomData<T>);
        impl<T> Visitor<'_> for FromText<T>
        where
            T: FromStr,
            T::Err: fmt::Display,
        {
            type Value = Text<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text such as \"10ms\" or \"5Mbps\", in quotes")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                text.parse().map(Text).map_err(E::custom)
            }
        }
        deserializer.deserialize_str(FromText(PhantomData))
    }
}

/// A span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

impl FromStr for Span {
    type Err = quiche_cc_bottleneck::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_duration(text).map(Self)
    }
}

/// A span of time with an optional sign, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedSpan(pub i64);

impl FromStr for SignedSpan {
    type Err = quiche_cc_bottleneck::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (sign, span) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        // At most 1,000,000 s, which fits.
        parse_duration(span).map(|span| Self(sign * span.as_nanos() as i64))
    }
}
