//! What a measurement has to keep to, in numbers: a bound, or how it stands to another measurement.

use super::bound::Bound;

/// What a measurement has to keep to. Of comparisons, the other side's number comes with each question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Terms {
    /// To fixed numbers.
    Bound(Bound),
    /// It is less than the other side.
    LessThan(Allowance),
    /// It is more than the other side.
    GreaterThan(Allowance),
    /// It differs from the other side by at most this share of that.
    Near(f64),
}

/// What is done to the other side of a comparison: `factor` times it, and `plus` in its base unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allowance {
    /// Multiplies.
    pub factor: f64,
    /// Adds, after that.
    pub plus: f64,
}

impl Allowance {
    /// Of this number.
    pub fn of(self, number: f64) -> f64 {
        number * self.factor + self.plus
    }
}

impl Terms {
    /// Whether `amount` keeps to it, with this `other` side.
    pub fn hold(self, amount: f64, other: Option<f64>) -> bool {
        match (self, other) {
            (Self::Bound(bound), _) => bound.holds(amount),
            (Self::LessThan(allowance), Some(other)) => amount < allowance.of(other),
            (Self::GreaterThan(allowance), Some(other)) => amount > allowance.of(other),
            (Self::Near(within), Some(other)) => (amount - other).abs() <= within * other.abs(),
            _ => false,
        }
    }

    /// The smallest and the largest amount that keep to it, or that it is just beyond; `None` if there is no `other` side's number.
    pub fn ends(self, other: Option<f64>) -> Option<(f64, f64)> {
        Some(match self {
            Self::Bound(bound) => bound.ends(),
            Self::LessThan(allowance) => (f64::NEG_INFINITY, allowance.of(other?)),
            Self::GreaterThan(allowance) => (allowance.of(other?), f64::INFINITY),
            Self::Near(within) => {
                let around = within * other?.abs();
                (other? - around, other? + around)
            }
        })
    }

    /// The other side as the measurement is set beside it: with what is done to it.
    pub fn beside(self, other: f64) -> f64 {
        match self {
            Self::LessThan(allowance) | Self::GreaterThan(allowance) => allowance.of(other),
            Self::Bound(_) | Self::Near(_) => other,
        }
    }
}
