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
        match number::split(text) {
            Some((percent, "%")) => Self::new(percent / 100.0).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0 * 100.0)
    }
}
