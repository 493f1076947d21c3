//! DEVIATION: start-up, which the paper does not have. The rate grows with every ACK until a queue lasts.

use super::law::SHORT_PATH;
use super::mechanism::Mechanism;
use super::update::{self, Met, Phase};
use super::Hybrid;
use crate::controller::Burst;
use crate::controllers::pacing;
use crate::feedback::Feedback;
use crate::measure::owd::Source;
use crate::units::{scaled, Owd, Rate, Time};

/// Share of L for which a queue lasts that ends start-up.
const QUEUE_LASTS: f64 = 0.25;
/// R, times this, is the rate of the first flight.
const FIRST_FLIGHT: f64 = 2.0;
/// Who sends in bursts shorter than L uses R without having R L in flight: by so much more than what doubles.
const BURSTS: f64 = 2.0;
/// Packets that show the time that one takes on the slowest link.
const PROBE_PACKETS: usize = 3;
/// Epochs in which they are sent anyway.
const PROBE_EPOCHS: u64 = 2;

impl Hybrid {
    /// Whether nothing has come back yet.
    pub(super) fn in_first_flight(&self) -> bool {
        self.epochs == 0 && self.epoch.is_none() && self.in_startup()
    }

    /// R; but the initial window leaves in half of L, so that the first packets come back early.
    pub(super) fn pacing(&self) -> Rate {
        if self.in_first_flight() {
            self.rate * FIRST_FLIGHT
        } else {
            self.rate
        }
    }

    pub(super) fn in_startup(&self) -> bool {
        !matches!(self.phase, Phase::Steady(_))
    }

    /// Whether R puts no more into L than a few times what was in flight, and the initial window (RFC 9002, sections 7.2 and 7.8).
    fn is_used(&self) -> bool {
        let window = self.limits.max_datagram_size * self.start.initial_window_packets;
        let beyond = self.rate.over(self.length()) - window.0 as f64;
        self.used.may_double(beyond / BURSTS)
    }

    /// DEVIATION: in start-up every byte that comes back adds to the rate, unless it is not used.
    pub(super) fn grow(&mut self, feedback: &Feedback<'_>) {
        let used = self.is_used();
        if let Some(epoch) = self.epoch.as_mut().filter(|_| !used) {
            epoch.app_limited = true;
        }
        if self.epoch.as_ref().is_none_or(|epoch| epoch.app_limited) {
            return;
        }
        let growth = feedback.acked_bytes().per(self.length()) * (self.params.startup_gain - 1.0);
        let grown = self.rate + growth;
        let rate = self
            .capacity()
            .map_or(grown, |capacity| grown.min(capacity));
        self.rate = self.bounded(rate);
        self.decision = None;
    }

    /// The rate beyond which start-up does not go. DEVIATION: packet dispersion shows what the slowest link carries before a
    /// queue does. On a short path it shows how receivers wait for a processor.
    fn capacity(&self) -> Option<Rate> {
        let links = self.length() >= SHORT_PATH;
        let known =
            self.params.has(Mechanism::LinkRate) && links && self.transmission.is_dispersed();
        let time = known.then(|| self.transmission_time())?;
        (!time.is_zero()).then(|| self.limits.max_datagram_size.per(time))
    }

    /// What ends start-up.
    pub(super) fn met(&self, now: Time) -> Met {
        let full = |capacity| self.rate >= self.bounded(capacity);
        if self.queues(now) {
            Met::Queue
        } else if self.capacity().is_some_and(full) {
            Met::Capacity
        } else {
            Met::Nothing
        }
    }

    /// Whether in start-up a queue has been there for a while. Jitter and batches come and go, while that queue only grows; and
    /// where ACKs are far apart, two of them in a row are no evidence.
    pub(super) fn queues(&self, now: Time) -> bool {
        self.queueing_since
            .is_some_and(|since| now.since(since) >= scaled(self.length(), QUEUE_LASTS) + self.gap)
    }

    /// Takes the newest delay of an ACK for what all its packets have met.
    pub(super) fn look_for_queue(&mut self, now: Time, newest: Option<Owd>) {
        let Some(newest) = newest.filter(|_| !self.path_is_new) else {
            return;
        };
        let delta = self.queueing(newest);
        let Some(epoch) = &self.epoch else { return };
        let situation = self.situation(epoch, self.length(), self.thresholds());
        if update::ends_startup(&self.params, &situation, delta) {
            self.queueing_since.get_or_insert(now);
        } else {
            self.queueing_since = None;
        }
    }

    /// In start-up three packets leave together: from how far apart they arrive the slowest link is known.
    pub(super) fn burst(&self) -> Burst {
        let smooth = pacing::smooth(self.rate, self.known_rtt().is_some());
        let together = if self.probes() {
            PROBE_PACKETS
        } else {
            smooth.together
        };
        Burst { together, ..smooth }
    }

    /// Whether start-up needs to know the slowest link.
    fn probes(&self) -> bool {
        if !self.params.has(Mechanism::Insist)
            || !self.in_startup()
            || self.meter.source() == Source::Ack
        {
            return false;
        }
        let packet = self.limits.max_datagram_size;
        let alone = update::rate_alone(packet, self.transmission_time());
        self.epochs < PROBE_EPOCHS || alone.is_none_or(|alone| self.rate < alone)
    }
}
