//! Parameters of `hybrid`, with their profiles.

use std::time::Duration;

use crate::spec::{parse_options, Given, Kind, Parameter, SpecError};
use crate::units::{Bytes, Rate};

/// Which samples count after a decrease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum React {
    /// All: the paper's equations, literally.
    EveryEpoch,
    /// DEVIATION: only those of packets sent after it.
    Once,
}

/// The paper's parameters and ours. [`Params::paper`] is section III of the paper; [`Default`]
/// is the deployable profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Increase at d1; `None` scales with the path.
    pub amin: Option<Rate>,
    /// Increase at d0; `None` scales with the path.
    pub amax: Option<Rate>,
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
    /// Queueing delay that the window allows for beyond R L; `None` is d2.
    pub wextra: Option<Duration>,
    /// Share of lost packets beyond which the rate decreases whatever the delay; 1 is never.
    pub losscap: f64,
    /// Growth of the rate per step of start-up; 1 is no start-up.
    pub startup: f64,
    /// Which samples count after a decrease.
    pub react: React,
    /// Whether the trend of one-way delays is tested.
    pub trend: bool,
    /// DEVIATION: so much of the time that a packet takes on the slowest link is no queueing; 0 is none.
    pub packet: f64,
    /// Window of the sliding minima.
    pub owdwin: Duration,
    /// Initial rate; `None` is the initial window per RTT.
    pub r0: Option<Rate>,
}

const MILLI: Duration = Duration::from_millis(1);
/// Increase at d1 in packets per L, per epoch, where it scales with the path: the paper's.
const AUTO_AMIN: f64 = 0.01;
/// Increase at d0 likewise; less than the paper's 0.5, for packets are larger now.
const AUTO_AMAX: f64 = 0.3;

impl Params {
    /// The paper's set (section III), tuned for 1 Mbit/s and 100 ms.
    pub fn paper() -> Self {
        Self {
            amin: Some(Rate::from_bps(800.0)),
            amax: Some(Rate::from_bps(40e3)),
            bmin: 0.25,
            bmid: 0.33,
            d0: Duration::ZERO,
            wextra: Some(Duration::ZERO),
            losscap: 1.0,
            startup: 1.0,
            react: React::EveryEpoch,
            packet: 0.0,
            ..Self::default()
        }
    }

    /// `amin` and `amax` on a path with packets of `size` and epochs of `length`.
    ///
    /// The paper's 800 bit/s and 40 kbit/s are 0.01 and 0.5 of its 1000-byte packets per epoch of
    /// 100 ms, added to the rate every epoch; in such units they scale with the path.
    pub fn increase(&self, size: Bytes, length: Duration) -> (Rate, Rate) {
        let packet = size.per(length);
        (
            self.amin.unwrap_or(packet * AUTO_AMIN),
            self.amax.unwrap_or(packet * AUTO_AMAX),
        )
    }

    /// Queueing delay that the window allows for beyond R L.
    pub fn window_extra(&self) -> Duration {
        self.wextra.unwrap_or(self.d2)
    }

    /// Reads what follows `hybrid:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let options = parse_options("hybrid", text, &PROFILES, &PARAMETERS)?;
        let mut params = match options.profile {
            Some("paper") => Self::paper(),
            _ => Self::default(),
        };
        for (name, value) in &options.values {
            params.set(name, *value);
        }
        params.check()?;
        Ok(params)
    }

    fn set(&mut self, name: &str, value: Given) {
        match (name, value) {
            ("amin", Given::Rate(rate)) => self.amin = rate,
            ("amax", Given::Rate(rate)) => self.amax = rate,
            ("r0", Given::Rate(rate)) => self.r0 = rate,
            ("bmin", Given::Number(number)) => self.bmin = number,
            ("bmid", Given::Number(number)) => self.bmid = number,
            ("bmax", Given::Number(number)) => self.bmax = number,
            ("gamma", Given::Number(number)) => self.gamma = number,
            ("startup", Given::Number(number)) => self.startup = number,
            ("losscap", Given::Number(number)) => self.losscap = number,
            ("packet", Given::Number(number)) => self.packet = number,
            ("d0", Given::Time(time)) => self.d0 = time,
            ("d1", Given::Time(time)) => self.d1 = time,
            ("d2", Given::Time(time)) => self.d2 = time,
            ("d3", Given::Time(time)) => self.d3 = time,
            ("wextra", Given::Time(time)) => self.wextra = Some(time),
            ("owdwin", Given::Time(time)) => self.owdwin = time,
            ("react", Given::Word(place)) => self.react = [React::EveryEpoch, React::Once][place],
            ("trend", Given::Word(place)) => self.trend = place == 1,
            _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
        }
    }

    /// What holds between parameters.
    fn check(&self) -> Result<(), SpecError> {
        let refuse = |order: &str, got: String| {
            Err(SpecError::new(format!(
                "hybrid: {got} is not allowed; it must hold that {order}"
            )))
        };
        let Self {
            d0,
            d1,
            d2,
            d3,
            bmin,
            bmid,
            bmax,
            ..
        } = self;
        if !(d0 < d1 && d1 < d2 && d2 < d3) {
            return refuse(
                "d0 < d1 < d2 < d3",
                format!("d0={d0:?}, d1={d1:?}, d2={d2:?}, d3={d3:?}"),
            );
        }
        if !(bmin <= bmid && bmid <= bmax) {
            return refuse(
                "bmin <= bmid <= bmax",
                format!("bmin={bmin}, bmid={bmid}, bmax={bmax}"),
            );
        }
        match (self.amin, self.amax) {
            (Some(amin), Some(amax)) if amin > amax => {
                refuse("amin <= amax", format!("amin={amin}, amax={amax}"))
            }
            (Some(_), None) | (None, Some(_)) => refuse(
                "amin and amax are both rates or both auto",
                format!("amin={}, amax={}", text_of(self.amin), text_of(self.amax)),
            ),
            _ => Ok(()),
        }
    }
}

fn text_of(rate: Option<Rate>) -> String {
    rate.map_or_else(|| "auto".to_owned(), |rate| rate.to_string())
}

impl Default for Params {
    fn default() -> Self {
        Self {
            amin: None,
            amax: None,
            bmin: 0.15,
            bmid: 0.25,
            bmax: 0.5,
            d0: MILLI,
            d1: 12 * MILLI,
            d2: 24 * MILLI,
            d3: 48 * MILLI,
            gamma: 1.0,
            wextra: None,
            losscap: 0.1,
            startup: 1.5,
            react: React::Once,
            trend: true,
            packet: 0.5,
            owdwin: 10_000 * MILLI,
            r0: None,
        }
    }
}

/// Names of the profiles; the first is the default.
pub const PROFILES: [&str; 2] = ["default", "paper"];

const DELAY: Kind = Kind::Millis(0.05, 10_000.0);
const RATE: Kind = Kind::RateOrAuto(1.0, 1e10);
const SHARE: Kind = Kind::Number(0.0, 0.9);

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 18] = [
    Parameter {
        name: "amin",
        kind: RATE,
        help: "increase per epoch at d1",
    },
    Parameter {
        name: "amax",
        kind: RATE,
        help: "increase per epoch at d0",
    },
    Parameter {
        name: "bmin",
        kind: SHARE,
        help: "decrease at d1",
    },
    Parameter {
        name: "bmid",
        kind: SHARE,
        help: "decrease at d2",
    },
    Parameter {
        name: "bmax",
        kind: SHARE,
        help: "decrease at d3",
    },
    Parameter {
        name: "d0",
        kind: Kind::Millis(0.0, 10_000.0),
        help: "queueing delay up to which the increase is amax",
    },
    Parameter {
        name: "d1",
        kind: DELAY,
        help: "queueing delay up to which the rate increases",
    },
    Parameter {
        name: "d2",
        kind: DELAY,
        help: "queueing delay that should not be exceeded",
    },
    Parameter {
        name: "d3",
        kind: DELAY,
        help: "queueing delay at which the decrease is largest",
    },
    Parameter {
        name: "gamma",
        kind: Kind::Number(0.0, 1.0),
        help: "pacing: 1 is fully paced, 0 is window only",
    },
    Parameter {
        name: "wextra",
        kind: Kind::Millis(0.0, 10_000.0),
        help: "queueing delay that the window allows for beyond R L",
    },
    Parameter {
        name: "losscap",
        kind: Kind::Number(0.0, 1.0),
        help: "share of lost packets beyond which the rate decreases whatever the delay",
    },
    Parameter {
        name: "startup",
        kind: Kind::NumberOrOff(1.0, 4.0),
        help: "growth of the rate per epoch until queueing shows",
    },
    Parameter {
        name: "react",
        kind: Kind::Word(&["epoch", "once"]),
        help: "after a decrease count all samples, or only those of packets sent since",
    },
    Parameter {
        name: "trend",
        kind: Kind::Word(&["off", "on"]),
        help: "test the trend of one-way delays",
    },
    Parameter {
        name: "packet",
        kind: Kind::Number(0.0, 2.0),
        help: "share of a packet's time on the slowest link that is no queueing",
    },
    Parameter {
        name: "owdwin",
        kind: Kind::Millis(1_000.0, 600_000.0),
        help: "window of the sliding minima of delay",
    },
    Parameter {
        name: "r0",
        kind: Kind::RateOrAuto(1_000.0, 1e10),
        help: "initial rate",
    },
];
