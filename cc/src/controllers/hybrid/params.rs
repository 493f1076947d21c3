//! What an option string may set: ten parameters, of which the first four are for operators and the
//! others for research.

use std::time::Duration;

use super::mechanism::{Mechanism, Without};
use crate::controllers::hybrid_paper::PROFILES;
use crate::spec::{parse_options, Given, Kind, Parameter, SpecError};
use crate::units::{Bytes, Rate};

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 10] = [
    Parameter {
        name: "target_delay",
        kind: Kind::MillisOrAuto(0.05, 10_000.0),
        default: "auto",
        help: "queueing delay at which the rate stops growing, d1; the queue swings around it",
    },
    Parameter {
        name: "target_packets",
        kind: Kind::Number(0.5, 100.0),
        default: "2",
        help: "where target_delay is auto: the same in packets at the flow's own rate, \
               at least 0.2ms, at most 12ms or one packet if that takes longer, and never more than \
               100ms",
    },
    Parameter {
        name: "initial_rate",
        kind: Kind::RateOrAuto(1_000.0, 1e10),
        default: "auto",
        help: "rate until something is measured; auto is the initial window per round trip",
    },
    Parameter {
        name: "base_delay_window",
        kind: Kind::Millis(1_000.0, 600_000.0),
        default: "10s",
        help: "for how long the smallest delay of the path is remembered",
    },
    Parameter {
        name: "growth",
        kind: Kind::Number(1.0, 4.0),
        default: "1.5",
        help: "growth of the increase per growth_period without a decrease",
    },
    Parameter {
        name: "growth_period",
        kind: Kind::Millis(1.0, 10_000.0),
        default: "40ms",
        help: "its period, at least a round trip; shorter in proportion below 2.5ms",
    },
    Parameter {
        name: "drain_epochs",
        kind: Kind::Number(0.5, 100.0),
        default: "3",
        help: "epochs in which a decrease drains the queue",
    },
    Parameter {
        name: "min_decrease",
        kind: Kind::Number(0.0, MAX_DECREASE),
        default: "0.01",
        help: "least decrease, as a share of the rate to return to",
    },
    Parameter {
        name: "startup_gain",
        kind: Kind::Number(1.1, 4.0),
        default: "2.2",
        help: "start-up gain: each acknowledged byte adds (gain - 1) bytes to rate x RTT",
    },
    Parameter {
        name: "without",
        kind: Kind::Words(&Mechanism::NAMES),
        default: "none",
        help: "mechanisms left out, to see what they are for",
    },
];

/// The largest decrease: the paper's bmax.
pub const MAX_DECREASE: f64 = 0.5;
/// Share of lost packets beyond which the rate decreases whatever the delay: random loss beyond
/// that is rare.
const EXCESSIVE_LOSS: f64 = 0.1;
/// Of packets at rates that the path has not been found to carry, if chance does not explain them:
/// as much as BBR lets pass (draft-ietf-ccwg-bbr, `LossThresh`).
const EXCESSIVE_LOSS_BEYOND: f64 = 0.02;

/// The parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// d1, the queueing delay at which the rate stops growing; `None` is `target_packets`.
    pub target_delay: Option<Duration>,
    /// The same in packets at the flow's own rate.
    pub target_packets: f64,
    /// Initial rate; `None` is the initial window per RTT.
    pub initial_rate: Option<Rate>,
    /// Window of the sliding minima.
    pub base_delay_window: Duration,
    /// Growth of the increase per period without a decrease; 1 is none.
    pub growth: f64,
    /// Its period.
    pub growth_period: Duration,
    /// Epochs in which a decrease drains the queue.
    pub drain_epochs: f64,
    /// The least decrease.
    pub min_decrease: f64,
    /// Bytes that one acknowledged byte adds to R L in start-up, plus one.
    pub startup_gain: f64,
    /// Mechanisms that are left out.
    pub without: Without,
}

impl Params {
    /// Reads what follows `hybrid:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let mut params = Self::default();
        for (name, value) in parse_options("hybrid", text, &PROFILES, &PARAMETERS)?.values {
            params.set(name, value);
        }
        Ok(params)
    }

    fn set(&mut self, name: &str, value: Given) {
        match (name, value) {
            ("target_delay", given) => self.target_delay = given.time(),
            ("target_packets", Given::Number(number)) => self.target_packets = number,
            ("initial_rate", Given::Rate(rate)) => self.initial_rate = rate,
            ("base_delay_window", Given::Time(time)) => self.base_delay_window = time,
            ("growth", Given::Number(number)) => self.growth = number,
            ("growth_period", Given::Time(time)) => self.growth_period = time,
            ("drain_epochs", Given::Number(number)) => self.drain_epochs = number,
            ("min_decrease", Given::Number(number)) => self.min_decrease = number,
            ("startup_gain", Given::Number(number)) => self.startup_gain = number,
            ("without", Given::Words(places)) => self.without = Without::places(places),
            _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
        }
    }

    /// Losses above this share of packets are excessive; without the mechanism 1, which none
    /// exceeds.
    pub fn excessive_share(&self) -> f64 {
        self.unless_without(EXCESSIVE_LOSS)
    }

    /// The same at rates that the path has not been found to carry, of losses that chance does not
    /// explain.
    pub fn excessive_share_beyond(&self) -> f64 {
        self.unless_without(EXCESSIVE_LOSS_BEYOND)
    }

    fn unless_without(&self, share: f64) -> f64 {
        match self.has(Mechanism::ExcessiveLoss) {
            true => share,
            false => 1.0,
        }
    }

    /// How long so many times `target_packets` packets take at a rate, s.
    pub fn kept_for(&self, times: f64, packet: Bytes, rate: Rate) -> f64 {
        times * self.target_packets * packet.0 as f64 * 8.0 / rate.bps().max(1.0)
    }

    /// Whether this mechanism is in use.
    pub fn has(&self, mechanism: Mechanism) -> bool {
        !self.without.contains(mechanism)
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            target_delay: None,
            target_packets: 2.0,
            initial_rate: None,
            base_delay_window: Duration::from_secs(10),
            growth: 1.5,
            growth_period: Duration::from_millis(40),
            drain_epochs: 3.0,
            min_decrease: 0.01,
            startup_gain: 2.2,
            without: Without::default(),
        }
    }
}
