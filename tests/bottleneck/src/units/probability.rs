//! Probabilities.

use std::fmt;
use std::str::FromStr;

use rand_chacha::rand_core::Rng;

use super::{number, ParseError};
use crate::Stream;

/// A probability, 0 to 1. Written as a percentage: `1%`, `0.5%`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Probability(f64);

const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

impl Probability {
    /// Never.
    pub const ZERO: Self = Self(0.0);

    /// Always.
    pub const CERTAIN: Self = Self(1.0);

    /// `value`, or `None` outside 0 to 1.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The probability, 0 to 1.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// Whether the event happens this time.
    ///
    /// Takes exactly one number from `rng`, whatever the probability, so that a change of one
    /// probability does not shift the draws that follow.
    pub fn draw(self, rng: &mut Stream) -> bool {
        // The product and the comparison are exact enough and the same on every machine;
        // the rand crates reserve the right to change their sampling.
        (rng.next_u64() as f64) < self.0 * TWO_TO_64 || self.0 >= 1.0
    }
}

impl FromStr for Probability {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || {
            ParseError::new(
                "probability",
                text,
                "0% to 100%, with the sign, as in 1% or 0.5%",
            )
        };
        let Some((_, "%")) = number::split(text) else {
            return Err(wrong());
        };
        // The point is moved in the text: 7 / 100 and 0.07 are not always the same in binary.
        let percent = text.trim().trim_end_matches('%').trim_end();
        let value = format!("{percent}e-2").parse().map_err(|_| wrong())?;
        Self::new(value).ok_or_else(wrong)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0.to_string();
        let (whole, fraction) = value.split_once('.').unwrap_or((&value, ""));
        let fraction = format!("{fraction:0<2}");
        let (percent, rest) = fraction.split_at(2);
        let percent = format!("{whole}{percent}");
        let percent = match percent.trim_start_matches('0') {
            "" => "0",
            digits => digits,
        };
        match rest {
            "" => write!(f, "{percent}%"),
            _ => write!(f, "{percent}.{rest}%"),
        }
    }
}
