//! DEVIATION: paths whose capacity varies, as that of cellular links does. What arrives in one bad moment is not what the path
//! carries, and where such moments are many, what was lost by giving way comes back soon.

use std::time::Duration;

use super::mechanism::Mechanism;
use super::summary::Summary;
use super::update::Situation;
use super::Hybrid;
use crate::feedback::{Feedback, Space};
use crate::measure::epoch::Epoch;
use crate::units::{scaled, Bytes, Owd, Rate};

/// Share of the largest rate of arrival of late that the path is taken to carry at least.
pub const BELIEVED: f64 = 0.7;
/// Epochs whose arrivals are compared.
const EPOCHS: usize = 8;
/// Packets at the flow's own rate after which something should have come back, if L and the queue are not longer.
const USUAL_PACKETS: u32 = 4;
/// The path has stood still in an epoch that lasted so many times as long.
const STALLS: f64 = 1.5;
/// By so much at least less arrives at a dip: packets are whole, so that it is often exactly `dip` of what did before, and rounding
/// is not to decide.
const LEAST_DIP: f64 = 1e-6;
/// What a decrease adds to what is known of the decreases before it.
const WEIGHT: f64 = 1.0 / 8.0;
/// Periods of growth that a decrease costs on a steady path, and none of which where every decrease is at a dip.
const PERIODS: f64 = 12.0;

/// What arrived of late, and how often decreases were at dips.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dips {
    recent: [Rate; EPOCHS],
    latest: usize,
    /// V, the share of decreases at a dip, smoothed.
    varies: f64,
    /// The delay of the last epoch that had samples.
    queue: Duration,
}

impl Dips {
    /// Takes in what arrived in an epoch, and its delay if it had samples.
    pub fn add(&mut self, arrived: Rate, delta: Option<Owd>) {
        self.latest = (self.latest + 1) % EPOCHS;
        self.recent[self.latest] = arrived;
        self.queue = delta.map_or(self.queue, Owd::to_duration);
    }

    /// The largest rate of arrival of late.
    pub fn most(&self) -> Rate {
        let larger = |most: Rate, rate: Rate| if rate > most { rate } else { most };
        self.recent.into_iter().fold(Rate::default(), larger)
    }

    /// Takes in whether a decrease was at a dip.
    pub fn learn(&mut self, dipped: bool) {
        self.varies += (f64::from(u8::from(dipped)) - self.varies) * WEIGHT;
    }

    /// V.
    pub fn varies(&self) -> f64 {
        self.varies
    }

    /// How long the increase counts as having grown when it begins to, where growth has a period of so many seconds.
    pub fn head_start(&self, period: f64) -> Duration {
        Duration::from_secs_f64(period * PERIODS * self.varies)
    }

    /// The time in which something comes back, as a rule, behind the last queue that was seen: that of L, or of a few packets.
    pub fn usual(&self, length: Duration, packet_time: Duration) -> Duration {
        (length + self.queue).max(packet_time * USUAL_PACKETS)
    }
}

/// Whether less arrived than the path is taken to carry.
pub fn is_dip(arrived: Rate, believed: Rate) -> bool {
    arrived < believed * (1.0 - LEAST_DIP)
}

/// Whether an epoch lasted so much longer than as a rule something takes to come back that the path has stood still.
pub fn stalls(duration: Duration, usual: Duration) -> bool {
    duration > scaled(usual, STALLS)
}

/// Whether this feedback acknowledges an ack-eliciting packet that was sent before the epoch began.
pub fn overlaps(epoch: &Epoch, feedback: &Feedback<'_>) -> bool {
    let mut eliciting = feedback
        .acked
        .iter()
        .filter(|packet| packet.size > Bytes(0));
    let oldest = eliciting.next();
    feedback.space == Space::Application && oldest.is_some_and(|packet| packet.sent < epoch.start())
}

impl Hybrid {
    /// The time in which something comes back, as a rule.
    pub(super) fn usual(&self) -> Duration {
        let packet_time = self.rate.delay_of(self.limits.max_datagram_size);
        self.dips.usual(self.length(), packet_time.to_duration())
    }

    /// What of the duration of an epoch counts for the rate of arrival. If what had been sent before it came back at its end, and that
    /// took much longer than it does as a rule, the path has stood still.
    pub(super) fn arriving(&self, epoch: &Epoch, duration: Duration) -> Duration {
        if !self.params.has(Mechanism::Dips) || !epoch.overlaps {
            return duration;
        }
        let usual = self.usual();
        if stalls(duration, usual) {
            usual
        } else {
            duration
        }
    }

    /// Takes in what arrived in an epoch, and gives the rate that the path is taken to carry although less arrives. What start-up ends
    /// in is what arrived.
    pub(super) fn believe(&mut self, arrived: Rate, summary: &Summary) -> Rate {
        self.dips.add(arrived, summary.seen.map(|seen| seen.delta));
        if summary.startup || !self.params.has(Mechanism::Dips) {
            Rate::default()
        } else {
            self.dips.most() * BELIEVED
        }
    }

    /// Learns from a decrease whether the path is steady. One while a queue drains says more of the decrease before it.
    pub(super) fn learn_dip(&mut self, from: &Situation) {
        let tells = from.drain.is_none() && !from.sent_little;
        if tells && from.believed > Rate::default() {
            self.dips.learn(is_dip(from.arrived, from.believed));
        }
    }
}
