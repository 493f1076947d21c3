//! Parameters of `rrr`, with their profiles.

use std::time::Duration;

use crate::controller::Value;
use crate::controllers::report::{millis, rate_or_auto, word};
use crate::spec::{parse_options, Given, Kind, Parameter, SpecError};
use crate::units::Rate;

/// Which feedback function gives pT (section IV of the paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// (15): constant.
    Fixed,
    /// (16): falls to nothing at a largest rate.
    Linear,
    /// (19): falls with the square of the rate, like TCP's.
    Tcp,
}

const FEEDBACKS: [(Feedback, &str); 3] = [
    (Feedback::Fixed, "fixed"),
    (Feedback::Linear, "linear"),
    (Feedback::Tcp, "tcp"),
];

/// The paper's parameters and ours. [`Params::paper`] is what its simulations used; [`Default`] is
/// the deployable profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// The feedback function. The paper calls `tcp` the one for general use (section V-A).
    pub feedback: Feedback,
    /// pfix: relative rate reduction wanted by `fixed`. Section IV-A: 1 %.
    pub pfix: f64,
    /// pTlim: what `linear` wants at rate zero. Section IV-B: 1 %.
    pub ptlim: f64,
    /// XTlim: the largest rate with `linear`. Section IV-B: 4 Mbit/s.
    pub xtlim: Rate,
    /// XT: where the reduction that `tcp` wants would be 1; `None` is TCP's own k P / T (18). The
    /// paper's 0.6 Mbit/s shares equally with a Reno flow on its path (figure 6), but on a path of
    /// 1 Mbit/s two flows would lose half of their packets.
    pub xt: Option<Rate>,
    /// n: packets that X_out is measured over, at least. The paper does not print it. 32 are 38 ms
    /// at the 10 Mbit/s of its figures: few enough to follow within a round trip or two, enough to
    /// average the packets of other flows.
    pub packets: u64,
    /// Time that X_out is measured over, at least (ours): at 1 Gbit/s 32 packets are 0.3 ms, in
    /// which receive timestamps in microseconds and packets received in batches say little.
    pub span: Duration,
    /// Growth of the rate per round trip, at most (ours): two, as in slow start.
    pub growth: f64,
    /// Whether the rate grows that fast until a reduction shows (ours).
    pub startup: bool,
    /// Queueing delay that the window allows for (ours). The default keeps a standing queue to
    /// 100 ms. The paper's sender has no window, so its profile allows for three of its buffers
    /// (50 packets are 60 ms on 10 Mbit/s).
    pub qmax: Duration,
    /// C_max: the sender's largest rate (footnote 1).
    pub cmax: Rate,
    /// Initial rate; `None` is the initial window per RTT. The paper's is 1.6 Mbit/s.
    pub initial_rate: Option<Rate>,
}

impl Params {
    /// The paper's sender, with `tcp` and XT = 0.6 Mbit/s (figure 4).
    pub fn paper() -> Self {
        Self {
            startup: false,
            qmax: Duration::from_millis(200),
            xt: Some(Rate::from_bps(0.6e6)),
            initial_rate: Some(Rate::from_bps(1.6e6)),
            ..Self::default()
        }
    }

    /// Reads what follows `rrr:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let options = parse_options("rrr", text, &PROFILES, &PARAMETERS)?;
        let mut params = match options.profile {
            Some("paper") => Self::paper(),
            _ => Self::default(),
        };
        for (name, value) in &options.values {
            params.set(name, *value);
        }
        Ok(params)
    }

    fn set(&mut self, name: &str, value: Given) {
        match (name, value) {
            ("feedback", Given::Word(place)) => self.feedback = FEEDBACKS[place].0,
            ("pfix", Given::Number(number)) => self.pfix = number,
            ("ptlim", Given::Number(number)) => self.ptlim = number,
            ("xtlim", Given::Rate(Some(rate))) => self.xtlim = rate,
            ("xt", Given::Rate(rate)) => self.xt = rate,
            ("n", Given::Number(number)) => self.packets = number as u64,
            ("span", Given::Time(time)) => self.span = time,
            ("growth", Given::Number(number)) => self.growth = number,
            ("startup", Given::Word(place)) => self.startup = place == 1,
            ("qmax", Given::Time(time)) => self.qmax = time,
            ("cmax", Given::Rate(Some(rate))) => self.cmax = rate,
            ("initial_rate", Given::Rate(rate)) => self.initial_rate = rate,
            _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
        }
    }

    /// For the trace.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        let name = |(feedback, name): &(Feedback, &'static str)| {
            (*feedback == self.feedback).then_some(*name)
        };
        vec![
            (
                "feedback",
                word(FEEDBACKS.iter().find_map(name).unwrap_or_default()),
            ),
            ("pfix", Value::Number(self.pfix)),
            ("ptlim", Value::Number(self.ptlim)),
            ("xtlim", Value::Number(self.xtlim.bps())),
            ("xt", rate_or_auto(self.xt)),
            ("n", Value::Count(self.packets)),
            ("span", millis(self.span)),
            ("growth", Value::Number(self.growth)),
            ("startup", Value::Flag(self.startup)),
            ("qmax", millis(self.qmax)),
            ("cmax", Value::Number(self.cmax.bps())),
            ("initial_rate", rate_or_auto(self.initial_rate)),
        ]
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            feedback: Feedback::Tcp,
            pfix: 0.01,
            ptlim: 0.01,
            xtlim: Rate::from_bps(4e6),
            xt: None,
            packets: 32,
            span: Duration::from_millis(10),
            growth: 2.0,
            startup: true,
            qmax: Duration::from_millis(100),
            cmax: Rate::from_bps(10e9),
            initial_rate: None,
        }
    }
}

/// Names of the profiles; the first is the default.
pub const PROFILES: [&str; 2] = ["default", "paper"];

const SHARE: Kind = Kind::Number(0.0, 0.5);
const RATE: Kind = Kind::Rate(1e3, 1e10);

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 12] = [
    Parameter {
        name: "feedback",
        kind: Kind::Word(&[FEEDBACKS[0].1, FEEDBACKS[1].1, FEEDBACKS[2].1]),
        default: "tcp",
        help: "relative rate reduction wanted: constant, falling to a largest rate, or like TCP's",
    },
    Parameter {
        name: "pfix",
        kind: SHARE,
        default: "0.01",
        help: "reduction wanted by feedback=fixed",
    },
    Parameter {
        name: "ptlim",
        kind: SHARE,
        default: "0.01",
        help: "reduction wanted by feedback=linear at rate zero",
    },
    Parameter {
        name: "xtlim",
        kind: RATE,
        default: "4Mbps",
        help: "largest rate with feedback=linear",
    },
    Parameter {
        name: "xt",
        kind: Kind::RateOrAuto(1e3, 1e10),
        default: "auto",
        help: "rate at which feedback=tcp would want a reduction to nothing",
    },
    Parameter {
        name: "n",
        kind: Kind::Number(4.0, 1000.0),
        default: "32",
        help: "packets that rates are measured over, at least",
    },
    Parameter {
        name: "span",
        kind: Kind::Millis(0.0, 1_000.0),
        default: "10ms",
        help: "time that rates are measured over, at least",
    },
    Parameter {
        name: "growth",
        kind: Kind::Number(1.1, 4.0),
        default: "2",
        help: "growth of the rate per round trip, at most",
    },
    Parameter {
        name: "startup",
        kind: Kind::Word(&["off", "on"]),
        default: "on",
        help: "grow that fast until a reduction shows",
    },
    Parameter {
        name: "qmax",
        kind: Kind::Millis(1.0, 10_000.0),
        default: "100ms",
        help: "queueing delay that the window allows for",
    },
    Parameter {
        name: "cmax",
        kind: RATE,
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
