//! Parameters of `raimd`, with their profiles.

use crate::controller::Value;
use crate::controllers::report::{rate_or_auto, word};
use crate::spec::{parse_options, Given, Kind, Parameter, SpecError};
use crate::units::{PacketRate, Rate};

/// Which throughput the increase is adapted to (section 3.2 of the paper).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// None: alpha is what it is.
    Off,
    /// That of TCP on the same path (section 3.3): PFTK, with the same R and p.
    Tcp,
    /// This one: B.
    Rate(Rate),
}

/// The paper's parameters and ours. [`Params::paper`] is the paper's default; [`Default`] is the
/// deployable profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Increase per round trip. Section 3.3: 2 packets/s.
    pub alpha: PacketRate,
    /// Share of the rate that is *kept* at a loss. The paper uses 0.5 to 0.8; a larger one is
    /// calmer (figure 6), so the default is 0.7 and the paper's own 0.5.
    pub beta: f64,
    /// What alpha is adapted to by (13). The default is what the paper proposes for fairness
    /// (section 3.3); its own is off.
    pub target: Target,
    /// Loss intervals that p is averaged over: 8, as in RFC 5348, section 5.4.
    pub history: usize,
    /// Whether the rate doubles per round trip until the first loss (ours; on a path of 10 Mbit/s
    /// and 50 ms the paper's increase alone takes 25 s).
    pub startup: bool,
    /// Bytes in flight, at most, in rates times smoothed RTTs (ours): 2 leaves a rate free of the
    /// window while the RTT doubles.
    pub wgain: f64,
    /// The largest rate (ours).
    pub cmax: Rate,
    /// Initial rate; `None` is the initial window per RTT (ours, the paper names none).
    pub initial_rate: Option<Rate>,
}

impl Params {
    /// The paper's default: (alpha, beta) = (2, 0.5), not adapted.
    pub fn paper() -> Self {
        Self {
            beta: 0.5,
            target: Target::Off,
            startup: false,
            ..Self::default()
        }
    }

    /// Reads what follows `raimd:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let options = parse_options("raimd", text, &PROFILES, &PARAMETERS)?;
        let mut params = match options.profile {
            Some("paper") => Self::paper(),
            _ => Self::default(),
        };
        for (name, value) in &options.values {
            match (*name, *value) {
                ("alpha", Given::Number(packets)) => {
                    params.alpha = PacketRate::from_per_sec(packets)
                }
                ("beta", Given::Number(share)) => params.beta = share,
                ("target", Given::Word(place)) => params.target = [Target::Off, Target::Tcp][place],
                ("target", Given::Rate(Some(rate))) => params.target = Target::Rate(rate),
                ("history", Given::Number(number)) => params.history = number as usize,
                ("startup", Given::Word(place)) => params.startup = place == 1,
                ("wgain", Given::Number(number)) => params.wgain = number,
                ("cmax", Given::Rate(Some(rate))) => params.cmax = rate,
                ("initial_rate", Given::Rate(rate)) => params.initial_rate = rate,
                _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
            }
        }
        Ok(params)
    }

    /// For the trace.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        let target = match self.target {
            Target::Off => word("off"),
            Target::Tcp => word("tcp"),
            Target::Rate(rate) => Value::Number(rate.bps()),
        };
        vec![
            ("alpha", Value::Number(self.alpha.per_sec())),
            ("beta", Value::Number(self.beta)),
            ("target", target),
            ("history", Value::Count(self.history as u64)),
            ("startup", Value::Flag(self.startup)),
            ("wgain", Value::Number(self.wgain)),
            ("cmax", Value::Number(self.cmax.bps())),
            ("initial_rate", rate_or_auto(self.initial_rate)),
        ]
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            alpha: PacketRate::from_per_sec(2.0),
            beta: 0.7,
            target: Target::Tcp,
            history: 8,
            startup: true,
            wgain: 2.0,
            cmax: Rate::from_bps(10e9),
            initial_rate: None,
        }
    }
}

/// Names of the profiles; the first is the default.
pub const PROFILES: [&str; 2] = ["default", "paper"];

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 8] = [
    Parameter {
        name: "alpha",
        kind: Kind::Number(0.001, 100_000.0),
        default: "2",
        help: "increase per round trip in packets/s, unless it is adapted",
    },
    Parameter {
        name: "beta",
        kind: Kind::Number(0.1, 0.95),
        default: "0.7",
        help: "share of the rate that is kept at a loss",
    },
    Parameter {
        name: "target",
        kind: Kind::RateOrWord(1e3, 1e10, &["off", "tcp"]),
        default: "tcp",
        help: "throughput that the increase is adapted to; tcp is that of TCP on the same path",
    },
    Parameter {
        name: "history",
        kind: Kind::Number(1.0, 256.0),
        default: "8",
        help: "loss intervals that the loss rate is averaged over",
    },
    Parameter {
        name: "startup",
        kind: Kind::Word(&["off", "on"]),
        default: "on",
        help: "double the rate per round trip until the first loss",
    },
    Parameter {
        name: "wgain",
        kind: Kind::Number(1.0, 8.0),
        default: "2",
        help: "bytes in flight, at most, in rates times smoothed RTTs",
    },
    Parameter {
        name: "cmax",
        kind: Kind::Rate(1e3, 1e10),
        default: "10Gbps",
        help: "largest rate",
    },
    Parameter {
        name: "initial_rate",
        kind: Kind::RateOrAuto(1e3, 1e10),
        default: "auto",
        help: "initial rate",
    },
];
