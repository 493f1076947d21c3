//! Senders with a controller each on one bottleneck, in virtual time and without quiche: enough to see a law at work.

#![allow(
    dead_code,
    reason = "shared by several test programs, none of which uses all of it"
)]

pub mod flow;
pub mod measure;
pub mod scenario;
pub mod summary;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use quiche_cc::units::{Bytes, Time};
use quiche_cc_bottleneck::{Ecn, Fate, Link, LinkConfig, Packet, Time as LinkTime};

use flow::{Flow, Sender};

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
    /// A probe timeout of this packet.
    Timeout {
        flow: usize,
        number: u64,
    },
}

/// How long a packet stays unacknowledged before it counts as lost: far beyond any queue here.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

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

    /// A drop-tail bottleneck with a buffer of so long, and no delay of its own.
    pub fn drop_tail(mbps: f64, buffer_ms: f64, flows: Vec<Flow>) -> Self {
        let (rate, buffer) = (format!("{mbps}Mbps"), format!("{buffer_ms}ms"));
        Self::on([&rate, &buffer, "0ms", "0%"], flows)
    }

    /// What of each flow has arrived since the last look, in Mbit/s, if that was `period` ago.
    pub fn shares(&self, period: Duration) -> Shares {
        Shares(self.flows.iter().map(|flow| flow.arrived(period)).collect())
    }

    /// What the bottleneck has done so far.
    pub fn totals(&mut self) -> Totals {
        self.link.advance(link_time(self.now));
        let counters = self.link.counters();
        Totals {
            busy: self.link.busy_time(),
            arrived: counters.arrived.packets,
            dropped: counters.lost_overflow.packets,
        }
    }

    /// Bytes that the bottleneck can send in a second, on average between two times.
    pub fn capacity(&self, from: Duration, until: Duration) -> f64 {
        let bytes = self.link.capacity(link_time(from), link_time(until));
        bytes.map_or(f64::INFINITY, |bytes| bytes as f64) / (until - from).as_secs_f64()
    }

    /// Quantile of the time in the queue of all flows' packets since the last look, in ms.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut waits: Vec<u64> = self
            .flows
            .iter()
            .flat_map(|flow| &flow.waits)
            .copied()
            .collect();
        flow::quantile(&mut waits, share)
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
        let at = link_time(self.now);
        while let Some(exit) = self.link.receive(at) {
            let Fate::Delivered(transit) = exit.fate else {
                continue;
            };
            let (flow, number, _) = exit.packet.payload;
            let of = &mut self.flows[flow];
            of.queueing += transit.queueing;
            of.waits.push(transit.queueing.as_nanos() as u64);
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
                    flow: flow as u64,
                    payload: (flow, number, sent),
                };
                self.link.send(link_time(now), packet);
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
            Event::Timeout { flow, number } => {
                self.flows[flow].on_timeout(now, number);
                let at = self.flows[flow].next_send.max(now);
                self.events.push(Reverse((at, Event::Send { flow })));
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
            // Nobody is told: quiche does not try to make a packet then.
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
        if !matches!(flow.sender, Sender::Background { .. }) {
            let timeout = Event::Timeout {
                flow: index,
                number,
            };
            let at = now + 2 * flow.delay + PROBE_TIMEOUT;
            self.events.push(Reverse((at, timeout)));
        }
    }
}

fn link_time(at: Duration) -> LinkTime {
    LinkTime::from_nanos(at.as_nanos() as u64)
}

/// What a bottleneck has done since the start.
pub struct Totals {
    /// Time in which it sent.
    pub busy: Duration,
    /// Packets that came to it.
    pub arrived: u64,
    /// Those that found its queue full.
    pub dropped: u64,
}

/// Rates of several flows.
#[derive(Debug)]
pub struct Shares(Vec<f64>);

impl Shares {
    /// Jain's index.
    pub fn jain(&self) -> f64 {
        let sum: f64 = self.0.iter().sum();
        let squares: f64 = self.0.iter().map(|share| share * share).sum();
        sum * sum / (self.0.len() as f64 * squares)
    }

    /// The largest by the smallest.
    pub fn bias(&self) -> f64 {
        let least = self.0.iter().copied().fold(f64::MAX, f64::min);
        let most = self.0.iter().copied().fold(0.0, f64::max);
        most / least
    }
}
