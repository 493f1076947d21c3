//! The delivery rate: what arrived recently, and how often it dips.
//!
//! DEVIATION: the capacity of cellular links varies. What arrives in one bad moment is not what the
//! path carries, and where such moments are many, what was lost by giving way comes back soon.

use std::time::Duration;

use super::super::mechanism::Mechanism;
use super::super::params::Params;
use super::ack_gap::AckGap;
use crate::units::{scaled, Owd, Rate};

/// Share of the largest recent delivery rate that the path is taken to carry at least.
pub const FLOOR_SHARE: f64 = 0.7;
/// Epochs whose delivery rates are compared.
const EPOCHS: usize = 8;
/// Packets at the flow's own rate after which something should have come back, if L and the queue
/// are not longer.
const USUAL_PACKETS: u32 = 4;
/// The path has stalled in an epoch that lasted so many times as long.
const STALLS: f64 = 1.5;
/// By so much at least less arrives at a dip: packets are whole, so that it is often exactly the
/// share of what did before, and rounding is not to decide.
const LEAST_DIP: f64 = 1e-6;
/// What a decrease adds to what is known of the decreases before it.
const WEIGHT: f64 = 1.0 / 8.0;
/// Periods of growth that a decrease costs on a steady path, and none of which where every decrease
/// is at a dip.
const PERIODS: f64 = 12.0;

/// Recent delivery rates, and how often decreases were at dips.
#[derive(Debug, Clone, Copy, Default)]
pub struct Delivery {
    recent: [Rate; EPOCHS],
    latest: usize,
    /// V, the share of decreases at a dip, smoothed.
    variability: f64,
    /// The delay of the last epoch that had samples.
    queue: Duration,
}

impl Delivery {
    /// Takes in the delivery rate of an epoch, and its delay if it had samples.
    pub fn add(&mut self, rate: Rate, delay: Option<Owd>) {
        self.latest = (self.latest + 1) % EPOCHS;
        self.recent[self.latest] = rate;
        self.queue = delay.map_or(self.queue, Owd::to_duration);
    }

    /// The rate that the path is taken to carry although less arrives.
    pub fn floor(&self, params: &Params) -> Rate {
        if !params.has(Mechanism::Dips) {
            return Rate::default();
        }
        self.largest() * FLOOR_SHARE
    }

    /// The largest recent delivery rate; zero before anything has arrived.
    pub fn largest(&self) -> Rate {
        let larger = |most: Rate, rate: Rate| if rate > most { rate } else { most };
        self.recent.into_iter().fold(Rate::default(), larger)
    }

    /// Takes in whether a decrease was at a dip.
    pub fn learn(&mut self, dipped: bool) {
        self.variability = smoothed(self.variability, dipped);
    }

    /// V.
    pub fn variability(&self) -> f64 {
        self.variability
    }

    /// The time in which something comes back, as a rule, behind the last queue that was seen: that
    /// of L, of a few packets, or for which ACKs are held back.
    pub fn usual(&self, length: Duration, packet_time: Duration, ack_gap: AckGap) -> Duration {
        let back = (length + self.queue).max(packet_time * USUAL_PACKETS);
        back.max(ack_gap.get())
    }
}

/// What V is after a decrease at a dip, or not.
pub fn smoothed(variability: f64, dipped: bool) -> f64 {
    variability + (f64::from(u8::from(dipped)) - variability) * WEIGHT
}

/// How long the increase counts as having grown when it begins to, with this V and a period of
/// growth of so many seconds.
pub fn head_start(variability: f64, period: f64) -> Duration {
    Duration::from_secs_f64(period * PERIODS * variability)
}

/// Whether less arrived than the path is taken to carry.
pub fn is_dip(arrived: Rate, floor: Rate) -> bool {
    arrived < floor * (1.0 - LEAST_DIP)
}

/// Whether an epoch lasted so much longer than as a rule something takes to come back that the path
/// has stalled.
pub fn stalls(duration: Duration, usual: Duration) -> bool {
    duration > scaled(usual, STALLS)
}
