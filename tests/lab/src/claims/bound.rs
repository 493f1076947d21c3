//! Bounds of what is measured: `<= 24ms`, `0.8..1 Mbps` as `0.8Mbps..1Mbps`, `35.736 +- 0.01%`.

use super::value::{Unit, Value, ALLOWED};

/// What a measurement has to keep to. Amounts are in base units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// At most.
    AtMost(f64),
    /// At least.
    AtLeast(f64),
    /// Less than.
    Below(f64),
    /// More than.
    Above(f64),
    /// From the first to the second, both included.
    Within(f64, f64),
    /// Exactly.
    Exactly(f64),
}

/// What bounds may look like.
pub const FORMS: &str =
    "`<= V`, `>= V`, `< V`, `> V`, `= V`, `V..V`, `V +- V` and `V +- 10%`, V being ";

type OneSided = fn(f64) -> Bound;
const SIGNS: [(&str, OneSided); 5] = [
    ("<=", Bound::AtMost),
    (">=", Bound::AtLeast),
    ("<", Bound::Below),
    (">", Bound::Above),
    ("=", Bound::Exactly),
];

impl Bound {
    /// Reads a bound of something measured in `unit`.
    ///
    /// # Errors
    /// What is wrong and what is allowed.
    pub fn parse(text: &str, unit: Unit) -> Result<Self, String> {
        let text = text.trim();
        let value = |part: &str| amount(part, text, unit);
        for (sign, bound) in SIGNS {
            if let Some(rest) = text.strip_prefix(sign) {
                return value(rest).map(bound);
            }
        }
        if let Some((low, high)) = text.split_once("..") {
            let (low, high) = (value(low)?, value(high)?);
            if low > high {
                return Err(format!(
                    "`{text}` is empty: the first is larger than the second"
                ));
            }
            return Ok(Self::Within(low, high));
        }
        let Some((middle, around)) = text.split_once("+-") else {
            return Err(format!(
                "`{text}` is no bound; allowed are {FORMS}{ALLOWED}"
            ));
        };
        let middle = value(middle)?;
        // A percentage is one of the middle, unless shares are measured: then it is a share itself.
        let around = match Value::parse(around) {
            Some(Value {
                amount,
                unit: Unit::Share,
            }) if unit != Unit::Share => amount * middle.abs(),
            _ => value(around)?,
        };
        Ok(Self::Within(middle - around.abs(), middle + around.abs()))
    }

    /// Whether `amount` keeps to it.
    pub fn holds(self, amount: f64) -> bool {
        match self {
            Self::AtMost(most) => amount <= most,
            Self::AtLeast(least) => amount >= least,
            Self::Below(limit) => amount < limit,
            Self::Above(limit) => amount > limit,
            Self::Within(low, high) => (low..=high).contains(&amount),
            Self::Exactly(wanted) => amount == wanted,
        }
    }

    /// The smallest and the largest amount that keep to it, or that it is just beyond.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Self::AtMost(most) | Self::Below(most) => (f64::NEG_INFINITY, most),
            Self::AtLeast(least) | Self::Above(least) => (least, f64::INFINITY),
            Self::Within(low, high) => (low, high),
            Self::Exactly(wanted) => (wanted, wanted),
        }
    }

    /// For people.
    pub fn show(self, unit: Unit) -> String {
        match self {
            Self::AtMost(most) => format!("≤ {}", unit.show(most)),
            Self::AtLeast(least) => format!("≥ {}", unit.show(least)),
            Self::Below(limit) => format!("< {}", unit.show(limit)),
            Self::Above(limit) => format!("> {}", unit.show(limit)),
            Self::Within(low, high) => format!("{} to {}", unit.show(low), unit.show(high)),
            Self::Exactly(wanted) => format!("= {}", unit.show(wanted)),
        }
    }
}

fn amount(part: &str, whole: &str, unit: Unit) -> Result<f64, String> {
    let value = Value::parse(part).ok_or_else(|| {
        format!(
            "`{}` in `{whole}` is no value; allowed are {ALLOWED}",
            part.trim()
        )
    })?;
    value.amount_in(unit).ok_or_else(|| {
        format!(
            "`{}` in `{whole}` has the wrong unit: what is measured is {}",
            part.trim(),
            unit.name()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_bound_tells_what_keeps_to_it_from_what_does_not() {
        for (text, unit, inside, outside) in [
            ("<= 24ms", Unit::Time, 0.024, 0.0241),
            (">= 0.95", Unit::Number, 0.95, 0.949),
            ("< 1Mbps", Unit::Rate, 999_999.0, 1e6),
            ("> 1p", Unit::Packets, 1.5, 1.0),
            ("= 0", Unit::Packets, 0.0, 1.0),
            ("0.8Mbps..1Mbps", Unit::Rate, 8e5, 7.9e5),
            ("400ms +- 10%", Unit::Time, 0.36, 0.35),
            ("0.4% +- 0.1%", Unit::Share, 0.0049, 0.0051),
            ("35.736 +- 0.1", Unit::Number, 35.7, 35.6),
        ] {
            let bound = Bound::parse(text, unit).unwrap();
            assert!(bound.holds(inside) && !bound.holds(outside), "{text}");
        }
    }

    #[test]
    fn what_is_no_bound_is_refused_with_what_is_allowed() {
        for (text, says) in [
            ("24ms", "allowed are `<= V`"),
            ("<= soon", "`soon` in `<= soon` is no value"),
            ("<= 24", "what is measured is a time"),
            ("<= 1Mbps", "what is measured is a time"),
            ("30ms..20ms", "is empty"),
        ] {
            let error = Bound::parse(text, Unit::Time).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
