//! Sizes of buffers, in whatever way people think about them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{format_duration, number, parse_duration, ParseError, Rate};

const ALLOWED: &str =
    "a time at the link's rate (400ms) or at its present one (wait:400ms), packets (50p), bytes (64kB, 64KiB, 1500B), \
    a multiple of the bandwidth-delay product (1bdp, 0.5bdp), or unlimited";

/// How much a queue may hold, as a person states it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Buffer {
    /// What the link sends in this time: `400ms`.
    Time(Duration),
    /// What the link sends in this time at the rate it has at the moment: `wait:400ms`.
    Wait(Duration),
    /// Packets of any size: `50p`.
    Packets(u64),
    /// Bytes on the link: `64kB` (64,000), `64KiB` (65,536), `1500B`.
    Bytes(u64),
    /// Multiples of rate times base round-trip time: `1bdp`, `0.5bdp`.
    Bdp(f64),
    /// No limit.
    Unlimited,
}

/// How much a queue may hold, in what a queue can count. The packet in service does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limit {
    /// At most so many bytes wait, if given.
    pub bytes: Option<u64>,
    /// At most so many packets wait, if given.
    pub packets: Option<u64>,
    /// Nobody joins a queue that takes so long at the present rate, if given.
    pub wait: Option<Duration>,
}

impl Limit {
    /// Whether one more packet of `size` bytes may join `packets` that wait with `bytes` for a link whose rate is `rate`
    /// (`None`: unlimited).
    pub fn admits(&self, packets: u64, bytes: u64, size: u32, rate: Option<Rate>) -> bool {
        let drain = || rate.map_or(Duration::ZERO, |rate| rate.time_for(bytes));
        self.packets.is_none_or(|limit| packets < limit)
            && self
                .bytes
                .is_none_or(|limit| bytes.saturating_add(u64::from(size)) <= limit)
            && self.wait.is_none_or(|limit| drain() < limit)
    }
}

impl Buffer {
    /// The limit on a link of this rate (`None`: unlimited) whose path has this round-trip time when
    /// idle. Without a rate nothing ever waits, and times and bandwidth-delay products limit nothing.
    pub fn limit(self, rate: Option<Rate>, base_rtt: Duration) -> Limit {
        let bytes = |bytes| Limit {
            bytes,
            ..Limit::default()
        };
        match self {
            Self::Time(span) => bytes(rate.map(|rate| rate.bytes_in(span))),
            Self::Bdp(multiple) => {
                bytes(rate.map(|rate| (rate.bytes_in(base_rtt) as f64 * multiple).round() as u64))
            }
            Self::Bytes(limit) => bytes(Some(limit)),
            Self::Packets(limit) => Limit {
                packets: Some(limit),
                ..Limit::default()
            },
            Self::Wait(span) => Limit {
                wait: Some(span),
                ..Limit::default()
            },
            Self::Unlimited => Limit::default(),
        }
    }
}

impl FromStr for Buffer {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new("buffer size", text, ALLOWED);
        if text.trim() == "unlimited" {
            return Ok(Self::Unlimited);
        }
        if let Some(span) = text.trim().strip_prefix("wait:") {
            return parse_duration(span).map(Self::Wait).map_err(|_| wrong());
        }
        let (number, unit) = number::split(text).ok_or_else(wrong)?;
        let whole = |scale: f64| match number * scale {
            n if n.fract() == 0.0 && n <= 1e15 => Ok(n as u64),
            _ => Err(wrong()),
        };
        match unit {
            "p" => whole(1.0).map(Self::Packets),
            "B" => whole(1.0).map(Self::Bytes),
            "kB" => whole(1e3).map(Self::Bytes),
            "MB" => whole(1e6).map(Self::Bytes),
            "KiB" => whole(1024.0).map(Self::Bytes),
            "MiB" => whole(1_048_576.0).map(Self::Bytes),
            "bdp" if number <= 1e6 => Ok(Self::Bdp(number)),
            _ => parse_duration(text).map(Self::Time).map_err(|_| wrong()),
        }
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(span) => f.write_str(&format_duration(*span)),
            Self::Wait(span) => write!(f, "wait:{}", format_duration(*span)),
            Self::Packets(packets) => write!(f, "{packets}p"),
            Self::Bytes(bytes) => write!(f, "{bytes}B"),
            Self::Bdp(multiple) => write!(f, "{multiple}bdp"),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}
