//! Parameters of `vegas`, with their profiles.

use std::time::Duration;

use crate::controller::Value;
use crate::controllers::newreno::THRESHOLD;
use crate::controllers::pacing::{self, PACING};
use crate::controllers::report::{millis, number_or_null, word};
use crate::spec::{parse_options, Given, Kind, Parameter, SpecError};

/// How often the window doubles in slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlowStart {
    /// In each round trip, as NewReno's does and Linux's Vegas.
    EachRound,
    /// In every other one, so that the one between measures a window that stands: the paper's.
    EveryOther,
}

/// Which RTT a round trip stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// The smallest, which noise does not touch: Linux's.
    Smallest,
    /// The mean, which misses no queue: ns-2's. The paper takes that of one segment.
    Mean,
}

/// The parameters. [`Params::paper`] is the paper's sender; [`Default`] is the deployable profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Packets that shall wait in the queue at least: 2, as in Linux.
    pub alpha: f64,
    /// Packets that shall wait in the queue at most: 4, as in Linux.
    pub beta: f64,
    /// Packets in the queue that end slow start: 1, as in the paper and in Linux. 2 lets windows of
    /// hundreds of packets grow on: above 12 Mbit/s packets leave in pairs, of which one waits.
    pub gamma: f64,
    /// How often the window doubles in slow start.
    pub slow_start: SlowStart,
    /// Which RTT a round trip stands for.
    pub rtt: Statistic,
    /// For how long the smallest RTT holds, from 1 s. A day is as long as the connection: with a
    /// shorter window the flow forgets the empty queue, and takes what it keeps in it for part of
    /// the path.
    pub basewin: Duration,
    /// Pacing rate in windows per smoothed RTT (RFC 9002, section 7.7), from 1 to 4.
    pub pacing: f64,
    /// The first slow start threshold in packets; `None` leaves slow start for the queue or for a
    /// loss.
    pub ssthresh: Option<f64>,
}

impl Params {
    /// The paper's Vegas-1,3, which is also what ns-2 simulates unless told otherwise. Nothing but
    /// the ACK clock spaces its packets; RFC 9002 does not allow that, so the pacing gain is large
    /// instead.
    pub fn paper() -> Self {
        Self {
            alpha: 1.0,
            beta: 3.0,
            slow_start: SlowStart::EveryOther,
            rtt: Statistic::Mean,
            pacing: pacing::LARGEST_GAIN,
            ..Self::default()
        }
    }

    /// Reads what follows `vegas:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let options = parse_options("vegas", text, &PROFILES, &PARAMETERS)?;
        let mut params = match options.profile {
            Some("paper") => Self::paper(),
            _ => Self::default(),
        };
        for (name, value) in &options.values {
            params.set(name, *value);
        }
        if params.alpha > params.beta {
            return Err(SpecError::new(format!(
                "vegas: alpha={}, beta={} is not allowed; it must hold that alpha <= beta",
                params.alpha, params.beta
            )));
        }
        Ok(params)
    }

    fn set(&mut self, name: &str, value: Given) {
        match (name, value) {
            ("alpha", Given::Number(packets)) => self.alpha = packets,
            ("beta", Given::Number(packets)) => self.beta = packets,
            ("gamma", Given::Number(packets)) => self.gamma = packets,
            ("slowstart", Given::Word(place)) => {
                self.slow_start = [SlowStart::EachRound, SlowStart::EveryOther][place];
            }
            ("rtt", Given::Word(place)) => {
                self.rtt = [Statistic::Smallest, Statistic::Mean][place];
            }
            ("basewin", Given::Time(time)) => self.basewin = time,
            ("pacing", Given::Number(gain)) => self.pacing = gain,
            ("ssthresh", Given::Number(packets)) => {
                self.ssthresh = Some(packets).filter(|packets| *packets > 0.0);
            }
            _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
        }
    }

    /// For the trace.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        let slow_start = match self.slow_start {
            SlowStart::EachRound => SLOW_START[0],
            SlowStart::EveryOther => SLOW_START[1],
        };
        let rtt = match self.rtt {
            Statistic::Smallest => STATISTICS[0],
            Statistic::Mean => STATISTICS[1],
        };
        vec![
            ("alpha", Value::Number(self.alpha)),
            ("beta", Value::Number(self.beta)),
            ("gamma", Value::Number(self.gamma)),
            ("slowstart", word(slow_start)),
            ("rtt", word(rtt)),
            ("basewin", millis(self.basewin)),
            ("pacing", Value::Number(self.pacing)),
            ("ssthresh", number_or_null(self.ssthresh)),
        ]
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            alpha: 2.0,
            beta: 4.0,
            gamma: 1.0,
            slow_start: SlowStart::EachRound,
            rtt: Statistic::Smallest,
            basewin: DAY,
            pacing: pacing::GAIN,
            ssthresh: None,
        }
    }
}

const DAY: Duration = Duration::from_secs(86_400);

/// Names of the profiles; the first is the default.
pub const PROFILES: [&str; 2] = ["default", "paper"];

const SLOW_START: &[&str] = &["each", "other"];
const STATISTICS: &[&str] = &["min", "mean"];
const PACKETS: Kind = Kind::Number(0.0, 10_000.0);

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 8] = [
    Parameter {
        name: "alpha",
        kind: PACKETS,
        default: "2",
        help: "packets that shall wait in the queue at least",
    },
    Parameter {
        name: "beta",
        kind: PACKETS,
        default: "4",
        help: "packets that shall wait in the queue at most",
    },
    Parameter {
        name: "gamma",
        kind: PACKETS,
        default: "1",
        help: "packets in the queue that end slow start",
    },
    Parameter {
        name: "slowstart",
        kind: Kind::Word(SLOW_START),
        default: "each",
        help: "whether slow start doubles the window in each round trip or in every other",
    },
    Parameter {
        name: "rtt",
        kind: Kind::Word(STATISTICS),
        default: "min",
        help: "whether a round trip stands for its smallest or its mean RTT",
    },
    Parameter {
        name: "basewin",
        kind: Kind::Millis(1_000.0, 86_400_000.0),
        default: "86400s",
        help: "window of the smallest RTT",
    },
    PACING,
    THRESHOLD,
];
