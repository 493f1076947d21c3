//! A part of the connections, chosen at random.

use std::fmt;
use std::str::FromStr;

use crate::splitmix;

/// A millionth of a percent is the least that can be said.
const PARTS: u64 = 100_000_000;

/// The part of the connections that a rule is for, or that is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Out of [`PARTS`].
    parts: u64,
}

impl Share {
    /// All of them.
    pub const ALL: Self = Self { parts: PARTS };

    /// Whether a connection with this random number belongs to it, in the rule at this place. Every rule draws anew.
    pub fn contains(self, draw: u64, place: usize) -> bool {
        splitmix::output(draw, place as u64) % PARTS < self.parts
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let percent = text
            .strip_suffix('%')
            .and_then(|number| number.parse().ok());
        let allowed = |percent: &f64| (1e-6..=100.0).contains(percent);
        let percent: f64 = percent.filter(allowed).ok_or_else(|| {
            format!("share \"{text}\" is no percentage; allowed is 0.000001% to 100%")
        })?;
        let parts = (percent / 100.0 * PARTS as f64).round() as u64;
        Ok(Self { parts })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.parts as f64 * 100.0 / PARTS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> Share {
        text.parse().unwrap()
    }

    /// Of so many connections, how many belong to it.
    fn drawn(share: Share, place: usize) -> usize {
        (0..100_000)
            .filter(|draw| share.contains(*draw, place))
            .count()
    }

    #[test]
    fn about_as_many_connections_belong_to_it_as_it_says() {
        for (text, expected) in [("1%", 1000.0), ("25%", 25_000.0), ("0.1%", 100.0)] {
            let count = drawn(share(text), 3) as f64;
            // Five standard deviations.
            let most = 5.0 * f64::sqrt(expected);
            assert!((count - expected).abs() < most, "{text}: {count}");
        }
        assert_eq!(drawn(share("100%"), 0), 100_000);
    }

    #[test]
    fn every_rule_draws_anew_and_the_same_for_the_same_connection() {
        let half = share("50%");
        let both = |draw: &u64| half.contains(*draw, 0) && half.contains(*draw, 1);
        let count = (0..100_000).filter(both).count();
        assert!((24_000..26_000).contains(&count), "{count}");
        assert_eq!(half.contains(7, 0), half.contains(7, 0));
    }

    #[test]
    fn what_is_no_share_is_refused_with_what_is_allowed() {
        for text in ["", "%", "5", "0%", "101%", "-1%", "NaN%", "1 %", "one%"] {
            let refused = text.parse::<Share>().unwrap_err();
            assert!(refused.contains("0.000001% to 100%"), "{text}: {refused}");
        }
        assert_eq!(share("0.5%").to_string(), "0.5%");
        assert_eq!(share("1e1%").to_string(), "10%");
    }
}
