//! The paper's parameters (section III), tuned for 1 Mbit/s and 100 ms.

use std::time::Duration;

use crate::controller::Value;
use crate::controllers::report::{millis, rate_or_auto};
use crate::spec::{parse_options, Given, Kind, Parameter, SpecError};
use crate::units::Rate;

/// Names of `hybrid`'s profiles; the first is the default, which is [`super::super::hybrid`].
pub const PROFILES: [&str; 2] = ["default", "paper"];
/// How this one is selected, and what errors name.
const NAME: &str = "hybrid:paper";
const MILLI: Duration = Duration::from_millis(1);

const RATE: Kind = Kind::Rate(1.0, 1e10);
const SHARE: Kind = Kind::Number(0.0, 0.9);
const DELAY: Kind = Kind::Millis(0.05, 10_000.0);

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 12] = [
    Parameter {
        name: "amin",
        kind: RATE,
        default: "800bps",
        help: "increase per epoch at d1",
    },
    Parameter {
        name: "amax",
        kind: RATE,
        default: "40kbps",
        help: "increase per epoch at d0",
    },
    Parameter {
        name: "bmin",
        kind: SHARE,
        default: "0.25",
        help: "decrease at d1",
    },
    Parameter {
        name: "bmid",
        kind: SHARE,
        default: "0.33",
        help: "decrease at d2",
    },
    Parameter {
        name: "bmax",
        kind: SHARE,
        default: "0.5",
        help: "decrease at d3",
    },
    Parameter {
        name: "d0",
        kind: Kind::Millis(0.0, 10_000.0),
        default: "0ms",
        help: "queueing delay up to which the increase is amax",
    },
    Parameter {
        name: "d1",
        kind: DELAY,
        default: "12ms",
        help: "queueing delay up to which the rate increases",
    },
    Parameter {
        name: "d2",
        kind: DELAY,
        default: "24ms",
        help: "queueing delay that should not be exceeded",
    },
    Parameter {
        name: "d3",
        kind: DELAY,
        default: "48ms",
        help: "queueing delay at which the decrease is largest",
    },
    Parameter {
        name: "gamma",
        kind: Kind::Number(0.0, 1.0),
        default: "1",
        help: "pacing: 1 is fully paced, 0 is window only",
    },
    Parameter {
        name: "base_delay_window",
        kind: Kind::Millis(1_000.0, 600_000.0),
        default: "10s",
        help: "window of the sliding minima of delay",
    },
    Parameter {
        name: "initial_rate",
        kind: Kind::RateOrAuto(1_000.0, 1e10),
        default: "auto",
        help: "initial rate",
    },
];

/// The parameters. [`Default`] is section III of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Increase at d1.
    pub amin: Rate,
    /// Increase at d0.
    pub amax: Rate,
    /// Decrease at d1.
    pub bmin: f64,
    /// Decrease at d2.
    pub bmid: f64,
    /// Decrease at d3 and above.
    pub bmax: f64,
    /// Queueing delay up to which the increase is amax.
    pub d0: Duration,
    /// Queueing delay up to which the rate increases.
    pub d1: Duration,
    /// Queueing delay that should not be exceeded.
    pub d2: Duration,
    /// Queueing delay at which the decrease is largest.
    pub d3: Duration,
    /// Pacing factor: 1 paces fully, 0 leaves it to the window.
    pub gamma: f64,
    /// Window of the sliding minima.
    pub base_delay_window: Duration,
    /// Initial rate; `None` is the initial window per RTT.
    pub initial_rate: Option<Rate>,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            amin: Rate::from_bps(800.0),
            amax: Rate::from_bps(40e3),
            bmin: 0.25,
            bmid: 0.33,
            bmax: 0.5,
            d0: Duration::ZERO,
            d1: 12 * MILLI,
            d2: 24 * MILLI,
            d3: 48 * MILLI,
            gamma: 1.0,
            base_delay_window: 10_000 * MILLI,
            initial_rate: None,
        }
    }
}

impl Params {
    /// Reads what follows `hybrid:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let mut params = Self::default();
        for (name, value) in parse_options(NAME, text, &PROFILES, &PARAMETERS)?.values {
            params.set(name, value);
        }
        params.check()?;
        Ok(params)
    }

    fn set(&mut self, name: &str, value: Given) {
        match (name, value) {
            ("amin", Given::Rate(Some(rate))) => self.amin = rate,
            ("amax", Given::Rate(Some(rate))) => self.amax = rate,
            ("bmin", Given::Number(number)) => self.bmin = number,
            ("bmid", Given::Number(number)) => self.bmid = number,
            ("bmax", Given::Number(number)) => self.bmax = number,
            ("d0", Given::Time(time)) => self.d0 = time,
            ("d1", Given::Time(time)) => self.d1 = time,
            ("d2", Given::Time(time)) => self.d2 = time,
            ("d3", Given::Time(time)) => self.d3 = time,
            ("gamma", Given::Number(number)) => self.gamma = number,
            ("base_delay_window", Given::Time(time)) => self.base_delay_window = time,
            ("initial_rate", Given::Rate(rate)) => self.initial_rate = rate,
            _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
        }
    }

    /// What holds between parameters.
    fn check(&self) -> Result<(), SpecError> {
        let Self {
            amin,
            amax,
            bmin,
            bmid,
            bmax,
            d0,
            d1,
            d2,
            d3,
            ..
        } = self;
        let order = |holds: bool, order: &str, got: String| match holds {
            true => Ok(()),
            false => Err(SpecError::new(format!(
                "{NAME}: {got} is not allowed; it must hold that {order}"
            ))),
        };
        order(
            d0 < d1 && d1 < d2 && d2 < d3,
            "d0 < d1 < d2 < d3",
            format!("d0={d0:?}, d1={d1:?}, d2={d2:?}, d3={d3:?}"),
        )?;
        order(
            bmin <= bmid && bmid <= bmax,
            "bmin <= bmid <= bmax",
            format!("bmin={bmin}, bmid={bmid}, bmax={bmax}"),
        )?;
        order(
            amin <= amax,
            "amin <= amax",
            format!("amin={amin}, amax={amax}"),
        )
    }

    /// Every parameter with its value, for the trace.
    pub(super) fn report(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("amin", Value::Number(self.amin.bps())),
            ("amax", Value::Number(self.amax.bps())),
            ("bmin", Value::Number(self.bmin)),
            ("bmid", Value::Number(self.bmid)),
            ("bmax", Value::Number(self.bmax)),
            ("d0", millis(self.d0)),
            ("d1", millis(self.d1)),
            ("d2", millis(self.d2)),
            ("d3", millis(self.d3)),
            ("gamma", Value::Number(self.gamma)),
            ("base_delay_window", millis(self.base_delay_window)),
            ("initial_rate", rate_or_auto(self.initial_rate)),
        ]
    }
}
