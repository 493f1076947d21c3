//! Bit rates.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{number, ParseError};

/// A bit rate, from 1 bit/s to 1 Tbit/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

const MAX: u64 = 1_000_000_000_000;
const ALLOWED: &str = "1bps to 1000Gbps, as in 800kbps, 5Mbps, 1.5Gbps (or kbit/s, Mbit/s, Gbit/s)";

impl Rate {
    /// The highest rate, 1 Tbit/s.
    pub const MAX: Self = Self(MAX);

    /// `bits` per second, or `None` outside 1 bit/s to 1 Tbit/s.
    pub const fn from_bits_per_sec(bits: u64) -> Option<Self> {
        match bits {
            1..=MAX => Some(Self(bits)),
            _ => None,
        }
    }

    /// Bits per second.
    pub const fn bits_per_sec(self) -> u64 {
        self.0
    }

    /// Bytes that are sent in `span` (rounded down, saturating).
    pub fn bytes_in(self, span: Duration) -> u64 {
        let bytes = span.as_nanos() * u128::from(self.0) / 8_000_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// The time that `bytes` take (rounded up to a nanosecond, saturating).
    pub fn time_for(self, bytes: u64) -> Duration {
        let nanos = (u128::from(bytes) * 8_000_000_000).div_ceil(u128::from(self.0));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

impl FromStr for Rate {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new("rate", text, ALLOWED);
        let (number, unit) = number::split(text).ok_or_else(wrong)?;
        let scale = match unit {
            "bps" | "bit/s" => 1.0,
            "kbps" | "kbit/s" => 1e3,
            "Mbps" | "Mbit/s" => 1e6,
            "Gbps" | "Gbit/s" => 1e9,
            _ => return Err(wrong()),
        };
        Self::from_bits_per_sec((number * scale).round() as u64).ok_or_else(wrong)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            0..1_000 => (1.0, "bps"),
            1_000..1_000_000 => (1e3, "kbps"),
            1_000_000..1_000_000_000 => (1e6, "Mbps"),
            _ => (1e9, "Gbps"),
        };
        write!(f, "{}{unit}", self.0 as f64 / scale)
    }
}
