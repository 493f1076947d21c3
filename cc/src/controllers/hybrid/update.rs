//! How an epoch changes the rate: start-up, and equation (2).

use std::time::Duration;

use super::law::{alpha, beta, zone, Observed, Zone};
use super::params::Params;
use crate::units::{Bytes, Owd, Rate};

/// A queueing delay above d1 divided by this ends start-up.
const STARTUP_DELAY_DIVISOR: u32 = 2;

/// Where the controller stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// No epoch has ended with a sample.
    Initial,
    /// The rate multiplies until queueing shows (not in the paper).
    Startup,
    /// Zones.
    Steady(Zone),
}

/// What an update starts from.
#[derive(Debug, Clone, Copy)]
pub struct Situation {
    /// R.
    pub rate: Rate,
    /// The rate at which packets were acknowledged.
    pub arrived: Rate,
    /// Size of a full packet.
    pub packet: Bytes,
    /// L.
    pub length: Duration,
    /// Whether the application limits.
    pub app_limited: bool,
}

/// The change that an epoch makes to the rate.
#[derive(Debug, Clone, Copy)]
pub struct Update {
    /// R.
    pub rate: Rate,
    /// The increase, in zone 1 of the steady phase.
    pub alpha: Option<Rate>,
    /// The decrease.
    pub beta: Option<f64>,
    /// Where this leads.
    pub phase: Phase,
}

/// Whether start-up must not go on with this queueing delay.
pub fn ends_startup(params: &Params, delta: Owd) -> bool {
    delta > Owd::from(params.d1 / STARTUP_DELAY_DIVISOR)
}

/// DEVIATION: the paper has no start-up.
pub fn startup(params: &Params, seen: &Observed, from: &Situation) -> Update {
    let zone = zone(params, seen);
    if zone == Zone::One && !ends_startup(params, seen.delta) {
        let growth = if from.app_limited {
            1.0
        } else {
            params.startup
        };
        return Update {
            rate: from.rate * growth,
            alpha: None,
            beta: None,
            phase: Phase::Startup,
        };
    }
    // R is already beyond what the path carries, which is what has arrived.
    let beta = beta(params, seen).unwrap_or(params.bmin);
    Update {
        rate: from.rate.min(from.arrived) * (1.0 - beta),
        alpha: None,
        beta: Some(beta),
        phase: Phase::Steady(zone),
    }
}

/// Equation (2).
pub fn steady(params: &Params, seen: &Observed, from: &Situation) -> Update {
    let phase = Phase::Steady(zone(params, seen));
    if let Some(beta) = beta(params, seen) {
        return Update {
            rate: from.rate * (1.0 - beta),
            alpha: None,
            beta: Some(beta),
            phase,
        };
    }
    let (amin, amax) = params.increase(from.packet, from.length);
    let alpha = if from.app_limited {
        Rate::default()
    } else {
        alpha(params, amin, amax, seen.delta)
    };
    Update {
        rate: from.rate + alpha,
        alpha: Some(alpha),
        beta: None,
        phase,
    }
}
