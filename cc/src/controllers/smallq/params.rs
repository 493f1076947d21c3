//! Parameters of `smallq`, with their profiles.

use crate::controller::{Ecn, Value};
use crate::controllers::newreno::THRESHOLD;
use crate::controllers::pacing::{self, PACING};
use crate::controllers::report::{number_or_null, word};
use crate::spec::{parse_options, Given, Kind, Parameter, SpecError};

/// The parameters. The law has none: q0 belongs to the router.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// The codepoint that asks for marks. ECT(1), as frequent marks with a soft response are what
    /// an L4S network gives it (RFC 9331); ECT(0) is for networks of one's own, elsewhere a mark on
    /// it means as much as a loss (RFC 3168).
    pub ect: Ecn,
    /// Pacing rate in windows per smoothed RTT (RFC 9002, section 7.7), from 1 to 4.
    pub pacing: f64,
    /// The first slow start threshold in packets, up to a million (section V-B of the paper sets
    /// one near the bandwidth-delay product); `None` leaves slow start at the first mark or loss.
    pub ssthresh: Option<f64>,
}

impl Params {
    /// The paper's sender: nothing but the ACK clock spaces its packets. RFC 9002 does not allow
    /// that, so the gain is large instead.
    pub fn paper() -> Self {
        Self {
            pacing: pacing::LARGEST_GAIN,
            ..Self::default()
        }
    }

    /// Reads what follows `smallq:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let options = parse_options("smallq", text, &PROFILES, &PARAMETERS)?;
        let mut params = match options.profile {
            Some("paper") => Self::paper(),
            _ => Self::default(),
        };
        for (name, value) in &options.values {
            match (*name, *value) {
                ("ect", Given::Word(place)) => params.ect = [Ecn::Ect0, Ecn::Ect1][place],
                ("pacing", Given::Number(gain)) => params.pacing = gain,
                ("ssthresh", Given::Number(packets)) => {
                    params.ssthresh = Some(packets).filter(|packets| *packets > 0.0);
                }
                _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
            }
        }
        Ok(params)
    }

    /// For the trace.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        let ect = match self.ect {
            Ecn::Ect0 => "0",
            _ => "1",
        };
        vec![
            ("ect", word(ect)),
            ("pacing", Value::Number(self.pacing)),
            ("ssthresh", number_or_null(self.ssthresh)),
        ]
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            ect: Ecn::Ect1,
            pacing: pacing::GAIN,
            ssthresh: None,
        }
    }
}

/// Names of the profiles; the first is the default.
pub const PROFILES: [&str; 2] = ["default", "paper"];

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 3] = [
    Parameter {
        name: "ect",
        kind: Kind::Word(&["0", "1"]),
        default: "1",
        help: "ECT codepoint of outgoing packets",
    },
    PACING,
    THRESHOLD,
];
