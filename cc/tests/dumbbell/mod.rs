//! Senders with a controller each on one bottleneck, in virtual time and without quiche: enough to see a law at work.

#![allow(
    dead_code,
    reason = "shared by several test programs, none of which uses all of it"
)]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use quiche_cc::controller::{Controller, Start};
use quiche_cc::feedback::{Acked, Feedback, Lost, Space};
use quiche_cc::units::{Bytes, Rate, Time};
use quiche_cc::Algorithm;
use quiche_cc_bottleneck::{Ecn, Fate, Link, LinkConfig, Packet, Time as LinkTime};

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

/// A source of packets and what sends them.
pub enum Sender {
    /// A controller, with whatever it may send.
    Controlled(Box<dyn Controller>),
    /// Packets at a constant rate, or spaced at random (Poisson).
    Background { rate: f64, random: bool },
}

/// One flow, and what became of it.
pub struct Flow {
    sender: Sender,
    report: Report,
    size: u32,
    /// From sender to bottleneck and from there back to the sender, besides the bottleneck's own delay.
    delay: Duration,
    start: Duration,
    stop: Duration,
    /// When the application has data, in a period: (on, off).
    duty: Option<(Duration, Duration)>,
    in_flight: VecDeque<(u64, Duration)>,
    next_number: u64,
    next_send: Duration,
    random: u64,
    /// Totals since the last look.
    pub sent: u64,
    pub delivered: u64,
    pub lost: u64,
    pub queueing: Duration,
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
            random: 0x9e37_79b9_7f4a_7c15,
            sent: 0,
            delivered: 0,
            lost: 0,
            queueing: Duration::ZERO,
        }
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
    fn look(&mut self) {
        (self.sent, self.delivered, self.lost) = (0, 0, 0);
        self.queueing = Duration::ZERO;
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
    fn has_data(&self, now: Duration) -> Duration {
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

    fn may_send(&self) -> bool {
        let Sender::Controlled(controller) = &self.sender else {
            return true;
        };
        let size = u64::from(self.size);
        (self.in_flight.len() as u64 + 1) * size <= controller.decision().window.0
    }

    fn gap(&mut self) -> Duration {
        let mean = f64::from(self.size) * 8.0 / self.pacing().bps();
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

    fn on_ack(&mut self, now: Duration, number: u64, received: Duration) {
        let Sender::Controlled(controller) = &mut self.sender else {
            return;
        };
        let place = self.in_flight.partition_point(|packet| packet.0 < number);
        let Some((_, sent)) = self
            .in_flight
            .remove(place)
            .filter(|packet| packet.0 == number)
        else {
            return;
        };
        let size = Bytes(u64::from(self.size));
        let lost_before = self
            .in_flight
            .partition_point(|packet| packet.0 + REORDERING_THRESHOLD <= number);
        let lost: Vec<Lost> = self
            .in_flight
            .drain(..lost_before)
            .map(|(_, sent)| Lost {
                sent: Time::from_origin(sent),
                size,
            })
            .collect();
        self.lost += lost.len() as u64;
        self.delivered += 1;
        let acked = [Acked {
            sent: Time::from_origin(sent),
            size,
            received: (self.report)(sent, received),
        }];
        controller.on_feedback(&Feedback {
            now: Time::from_origin(now),
            space: Space::Application,
            acked: &acked,
            lost: &lost,
            rtt_sampled: true,
            ack_delay: Duration::ZERO,
            max_ack_delay: Duration::ZERO,
            min_rtt: None,
            ecn_ect: 0,
            ecn_ce: 0,
        });
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Send {
        flow: usize,
    },
    Arrive {
        flow: usize,
        number: u64,
        sent: Duration,
    },
    Ack {
        flow: usize,
        number: u64,
        received: Duration,
    },
}

/// What the bottleneck carries: flow, number, send time.
type Cargo = (usize, u64, Duration);

/// Flows on a bottleneck.
pub struct Dumbbell {
    link: Link<Cargo>,
    pub flows: Vec<Flow>,
    events: BinaryHeap<Reverse<(Duration, Event)>>,
    now: Duration,
}

impl Dumbbell {
    fn new(link: Link<Cargo>, flows: Vec<Flow>) -> Self {
        let mut events = BinaryHeap::new();
        for (flow, of) in flows.iter().enumerate() {
            events.push(Reverse((of.start, Event::Send { flow })));
        }
        Self {
            link,
            flows,
            events,
            now: Duration::ZERO,
        }
    }

    /// A drop-tail bottleneck in the words of [`LinkConfig`]: rate, buffer, one-way delay, random loss.
    pub fn on([rate, buffer, delay, loss]: [&str; 4], flows: Vec<Flow>) -> Self {
        let config = LinkConfig {
            rate: rate.parse().unwrap(),
            buffer: buffer.parse().unwrap(),
            delay: delay.parse().unwrap(),
            loss: loss.parse().unwrap(),
            ..LinkConfig::default()
        };
        Self::new(config.build(1, 0).unwrap(), flows)
    }

    /// Lets time pass until `end`, and counts only what happens in it.
    pub fn watch_until(&mut self, end: Duration) {
        self.flows.iter_mut().for_each(Flow::look);
        self.run_until(end);
    }

    /// Lets time pass until `end`.
    pub fn run_until(&mut self, end: Duration) {
        loop {
            let event = self
                .events
                .peek()
                .map_or(Duration::MAX, |Reverse((at, _))| *at);
            let link = self
                .link
                .next_event()
                .map_or(Duration::MAX, |at| Duration::from_nanos(at.as_nanos()));
            self.now = event.min(link).min(end);
            if event.min(link) > end {
                return;
            }
            if link <= event {
                self.drain();
            } else if let Some(Reverse((_, event))) = self.events.pop() {
                self.handle(event);
            }
        }
    }

    fn drain(&mut self) {
        let at = LinkTime::from_nanos(self.now.as_nanos() as u64);
        while let Some(exit) = self.link.receive(at) {
            let Fate::Delivered(transit) = exit.fate else {
                continue;
            };
            let (flow, number, _) = exit.packet.payload;
            let of = &mut self.flows[flow];
            of.queueing += transit.queueing;
            if matches!(of.sender, Sender::Background { .. }) {
                of.delivered += 1;
                continue;
            }
            let received = Duration::from_nanos(exit.at.as_nanos());
            let ack = Event::Ack {
                flow,
                number,
                received,
            };
            self.events.push(Reverse((received + of.delay / 2, ack)));
        }
    }

    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Arrive { flow, number, sent } => {
                let packet = Packet {
                    size: self.flows[flow].size,
                    ecn: Ecn::NotEct,
                    payload: (flow, number, sent),
                };
                self.link
                    .send(LinkTime::from_nanos(now.as_nanos() as u64), packet);
            }
            Event::Ack {
                flow,
                number,
                received,
            } => {
                let full = !self.flows[flow].may_send();
                self.flows[flow].on_ack(now, number, received);
                if full && self.flows[flow].may_send() {
                    let at = self.flows[flow].next_send.max(now);
                    self.events.push(Reverse((at, Event::Send { flow })));
                }
            }
            Event::Send { flow } => self.send(flow),
        }
    }

    fn send(&mut self, index: usize) {
        let now = self.now;
        let flow = &mut self.flows[index];
        if !flow.may_send() || now < flow.next_send || now >= flow.stop {
            return;
        }
        let ready = flow.has_data(now);
        if ready > now {
            if let Sender::Controlled(controller) = &mut flow.sender {
                controller.on_app_limited();
            }
            self.events
                .push(Reverse((ready, Event::Send { flow: index })));
            return;
        }
        let number = flow.next_number;
        flow.next_number += 1;
        flow.sent += 1;
        if let Sender::Controlled(controller) = &mut flow.sender {
            flow.in_flight.push_back((number, now));
            controller.on_sent(Time::from_origin(now), Bytes(u64::from(flow.size)));
        }
        flow.next_send = now + flow.gap();
        let next = Reverse((flow.next_send, Event::Send { flow: index }));
        let arrive = Event::Arrive {
            flow: index,
            number,
            sent: now,
        };
        let arrives = Reverse((now + flow.delay / 2, arrive));
        self.events.push(next);
        self.events.push(arrives);
    }
}
