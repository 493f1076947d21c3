//! One flow of a [`super::Dumbbell`]: a source, what sends it, and what became of it.

use std::collections::VecDeque;
use std::time::Duration;

use quiche_cc::controller::{Controller, Start};
use quiche_cc::feedback::{Acked, Feedback, Lost, Space};
use quiche_cc::units::{Bytes, Rate, Time};
use quiche_cc::Algorithm;

const MILLI: Duration = Duration::from_millis(1);
const REORDERING_THRESHOLD: u64 = 3;
/// The receiver's clock is ahead by this much.
const CLOCK: Duration = Duration::from_secs(3_600);

/// What the receiver says of a packet sent and received at these times.
pub type Report = fn(sent: Duration, received: Duration) -> Option<Duration>;

/// The truth, on its own clock.
pub fn honest(_sent: Duration, received: Duration) -> Option<Duration> {
    Some(received + CLOCK)
}

/// Nothing.
pub fn silent(_sent: Duration, _received: Duration) -> Option<Duration> {
    None
}

/// Quantile of times in ns, in ms; 0 of none.
pub(super) fn quantile(waits: &mut [u64], share: f64) -> f64 {
    let place = (waits.len() as f64 * share) as usize;
    if place >= waits.len() {
        return 0.0;
    }
    *waits.select_nth_unstable(place).1 as f64 / 1e6
}

/// A source of packets and what sends them.
pub enum Sender {
    /// A controller, with whatever it may send.
    Controlled(Box<dyn Controller>),
    /// Packets at a constant rate, or spaced at random (Poisson).
    Background { rate: f64, random: bool },
}

/// One flow, and what became of it.
pub struct Flow {
    pub(super) sender: Sender,
    pub(super) report: Report,
    pub(super) size: u32,
    /// From sender to bottleneck and from there back to the sender, besides the bottleneck's own delay.
    pub(super) delay: Duration,
    pub start: Duration,
    pub(super) stop: Duration,
    /// When the application has data, in a period: (on, off).
    pub(super) duty: Option<(Duration, Duration)>,
    pub(super) in_flight: VecDeque<(u64, Duration)>,
    pub(super) next_number: u64,
    pub(super) next_send: Duration,
    random: u64,
    /// Packets that have left since the last gap.
    together: usize,
    /// Totals since the last look.
    pub sent: u64,
    pub delivered: u64,
    pub lost: u64,
    pub queueing: Duration,
    /// Of every packet delivered since the last look, in ns.
    pub(super) waits: Vec<u64>,
}

impl Flow {
    pub fn new(spec: &str, size: u32, delay: Duration) -> Self {
        let Ok(Algorithm::Ours { build, .. }) = quiche_cc::parse(spec) else {
            panic!("{spec} is none of ours");
        };
        let controller = build(Start {
            initial_window_packets: 10,
            max_datagram_size: Bytes(u64::from(size)),
            initial_rtt: 333 * MILLI,
        });
        Self::with(Sender::Controlled(controller), size, delay)
    }

    /// Packets of other flows, which do not react.
    pub fn background(rate: f64, random: bool, size: u32) -> Self {
        Self::with(Sender::Background { rate, random }, size, Duration::ZERO)
    }

    fn with(sender: Sender, size: u32, delay: Duration) -> Self {
        Self {
            sender,
            report: honest,
            size,
            delay,
            start: Duration::ZERO,
            stop: Duration::MAX,
            duty: None,
            in_flight: VecDeque::new(),
            next_number: 0,
            next_send: Duration::ZERO,
            together: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            sent: 0,
            delivered: 0,
            lost: 0,
            queueing: Duration::ZERO,
            waits: Vec::new(),
        }
    }

    /// Name of the controller's state.
    pub fn state(&self) -> &'static str {
        match &self.sender {
            Sender::Controlled(controller) => controller.state(),
            Sender::Background { .. } => "background",
        }
    }

    /// Quantile of the time in the queue since the last look, in ms.
    pub fn quantile(&mut self, share: f64) -> f64 {
        quantile(&mut self.waits, share)
    }

    pub fn between(mut self, start: u64, stop: u64) -> Self {
        self.start = Duration::from_secs(start);
        self.stop = Duration::from_secs(stop);
        self
    }

    pub fn reporting(mut self, report: Report) -> Self {
        self.report = report;
        self
    }

    /// From now on the application has data for a time, then none for a time, and so on; or always.
    pub fn set_bursts(&mut self, duty: Option<(Duration, Duration)>) {
        self.duty = duty;
    }

    pub fn pacing(&self) -> Rate {
        match &self.sender {
            Sender::Controlled(controller) => controller.decision().pacing,
            Sender::Background { rate, .. } => Rate::from_bps(*rate),
        }
    }

    /// Forgets the totals.
    pub(super) fn look(&mut self) {
        (self.sent, self.delivered, self.lost) = (0, 0, 0);
        self.queueing = Duration::ZERO;
        self.waits.clear();
    }

    /// What has arrived since the last look, in Mbit/s, if that was `period` ago.
    pub fn arrived(&self, period: Duration) -> f64 {
        self.delivered as f64 * f64::from(self.size) * 8e-6 / period.as_secs_f64()
    }

    /// What was sent, likewise.
    pub fn offered(&self, period: Duration) -> f64 {
        self.sent as f64 * f64::from(self.size) * 8e-6 / period.as_secs_f64()
    }

    /// Share of packets lost since the last look.
    pub fn loss(&self) -> f64 {
        self.lost as f64 / (self.lost + self.delivered).max(1) as f64
    }

    /// Mean time in the queue since the last look, in ms.
    pub fn queue_millis(&self) -> f64 {
        self.queueing.as_secs_f64() * 1e3 / self.delivered.max(1) as f64
    }

    /// When the application has data next, at or after `now`.
    pub(super) fn has_data(&self, now: Duration) -> Duration {
        let Some((on, off)) = self.duty else {
            return now;
        };
        let period = (on + off).as_nanos();
        let phase = now.as_nanos() % period;
        if phase < on.as_nanos() {
            now
        } else {
            now + Duration::from_nanos((period - phase) as u64)
        }
    }

    pub(super) fn may_send(&self) -> bool {
        let Sender::Controlled(controller) = &self.sender else {
            return true;
        };
        let size = u64::from(self.size);
        (self.in_flight.len() as u64 + 1) * size <= controller.decision().window.0
    }

    /// Between this packet and the next; those that may leave together do, and the gap after them is as much longer.
    pub(super) fn gap(&mut self) -> Duration {
        self.together += 1;
        let together = match &self.sender {
            Sender::Controlled(controller) => controller.decision().burst.together,
            Sender::Background { .. } => 1,
        };
        if self.together < together {
            return Duration::ZERO;
        }
        let packets = std::mem::take(&mut self.together) as f64;
        let mean = packets * f64::from(self.size) * 8.0 / self.pacing().bps();
        let factor = match self.sender {
            Sender::Background { random: true, .. } => {
                self.random = self
                    .random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                -(1.0 - (self.random >> 11) as f64 / (1u64 << 53) as f64).ln()
            }
            _ => 1.0,
        };
        Duration::try_from_secs_f64(mean * factor).unwrap_or(Duration::from_secs(10_000))
    }

    /// Nothing was heard of a packet, and so of those before it.
    pub(super) fn on_timeout(&mut self, now: Duration, number: u64) {
        let controlled = matches!(self.sender, Sender::Controlled(_));
        let until = self.in_flight.partition_point(|packet| packet.0 <= number);
        if controlled && until > 0 {
            let lost = self.lose(until);
            self.tell(now, &[], &lost);
        }
    }

    pub(super) fn on_ack(&mut self, now: Duration, number: u64, received: Duration) {
        if matches!(self.sender, Sender::Background { .. }) {
            return;
        }
        let place = self.in_flight.partition_point(|packet| packet.0 < number);
        let acked = self.in_flight.get(place).copied();
        // None of this number is in flight if it counts as lost already.
        let Some((_, sent)) = acked.filter(|packet| packet.0 == number) else {
            return;
        };
        self.in_flight.remove(place);
        let until = self
            .in_flight
            .partition_point(|packet| packet.0 + REORDERING_THRESHOLD <= number);
        let lost = self.lose(until);
        self.delivered += 1;
        let acked = [Acked {
            sent: Time::from_origin(sent),
            size: Bytes(u64::from(self.size)),
            received: (self.report)(sent, received),
        }];
        self.tell(now, &acked, &lost);
    }

    /// The first packets in flight, so many, are lost.
    fn lose(&mut self, packets: usize) -> Vec<Lost> {
        let size = Bytes(u64::from(self.size));
        let gone = self.in_flight.drain(..packets);
        let lost: Vec<Lost> = gone
            .map(|(_, sent)| Lost {
                sent: Time::from_origin(sent),
                size,
            })
            .collect();
        self.lost += lost.len() as u64;
        lost
    }

    fn tell(&mut self, now: Duration, acked: &[Acked], lost: &[Lost]) {
        let packets = self.in_flight.len() + acked.len() + lost.len();
        if let Sender::Controlled(controller) = &mut self.sender {
            controller.on_feedback(&Feedback {
                now: Time::from_origin(now),
                space: Space::Application,
                acked,
                lost,
                in_flight: Bytes(u64::from(self.size) * packets as u64),
                rtt_sampled: !acked.is_empty(),
                ack_delay: Duration::ZERO,
                max_ack_delay: Duration::ZERO,
                min_rtt: None,
                ecn_ect: 0,
                ecn_ce: 0,
            });
        }
    }
}
