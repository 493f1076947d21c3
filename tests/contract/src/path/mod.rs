//! Whole controllers over one bottleneck, in virtual time.
//!
//! ```text
//!   Sender ──► bottleneck::Link ──► Receiver ──┐
//!   controller, pacer, loss recovery           │ ACKs, receive timestamps, CE counts
//!     ▲───────────── delay, outages ◄──────────┘
//! ```
//!
//! Senders keep to RFC 9002 as quiche does: packet and time thresholds, probe timeouts, a pacer with the
//! controller's burst allowance. Nothing is drawn at random but losses of the link, which are seeded.

mod clock;
mod demand;
mod flight;
mod pacer;
mod receiver;
mod rtt;
mod sender;
mod stage;
mod topology;

use std::collections::VecDeque;
use std::time::Duration;

use quiche_cc::units::{Bytes, Time};
use quiche_cc_bottleneck::{Exit, Fate, Link, Packet};

pub use self::clock::Clock;
pub use self::demand::Demand;
pub use self::receiver::{honest, silent, AckPolicy, CeReport, Receiver, Report};
pub use self::sender::{Decided, Sender};
pub use self::stage::{FlowStage, Stage};
pub use self::topology::{Direction, Outage, Reordering, Topology};

use self::receiver::Ack;
use crate::Subject;

/// Size of a full packet, unless the maximum changes.
pub const SIZE: Bytes = Bytes(1250);

/// What controllers are told as the time: `now` as the path counts it, which starts at zero, after an origin
/// that lies long before.
fn time(now: Duration) -> Time {
    Time::from_origin(Duration::from_secs(43_200) + now)
}

/// What the link carries.
#[derive(Debug, Clone, Copy)]
struct Carried {
    flow: usize,
    number: u64,
    size: Bytes,
    sent: Duration,
}

/// A sender with its receiver, and ACKs on their way.
struct Flow {
    sender: Sender,
    receiver: Receiver,
    acks: VecDeque<(Duration, Ack)>,
}

/// A bottleneck with flows on it.
pub struct Path {
    topology: Topology,
    link: Link<Carried>,
    flows: Vec<Flow>,
    now: Duration,
    stage: Stage,
}

impl Path {
    /// An idle path.
    pub fn new(topology: Topology) -> Self {
        Self {
            link: topology.link(),
            topology,
            flows: Vec::new(),
            now: Duration::ZERO,
            stage: Stage::default(),
        }
    }

    /// A path with one flow of `subject` that always has something to send, to an honest receiver.
    pub fn with_flow(topology: Topology, subject: &Subject) -> Self {
        let mut path = Self::new(topology);
        path.add(Sender::new(subject), Receiver::default());
        path
    }

    /// Adds a flow, which starts now, and returns its number.
    pub fn add(&mut self, sender: Sender, receiver: Receiver) -> usize {
        self.flows.push(Flow {
            sender,
            receiver,
            acks: VecDeque::new(),
        });
        self.stage.flows.push(FlowStage::default());
        self.flows.len() - 1
    }

    /// The sender of a flow.
    pub fn sender(&mut self, flow: usize) -> &mut Sender {
        &mut self.flows[flow].sender
    }

    /// The time since the path exists.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Moves all flows to another path: new controllers, and what was on the way is gone.
    pub fn migrate(&mut self, topology: Topology) {
        self.link = topology.link();
        self.topology = topology;
        for flow in &mut self.flows {
            flow.acks.clear();
            flow.sender.migrate(flow.receiver.reports());
        }
    }

    /// Lets `span` pass, and says what happened in it.
    pub fn run_for(&mut self, span: Duration) -> Stage {
        let end = self.now + span;
        self.stage = Stage::new(span, self.flows.len());
        while let Some(at) = self.next_event().filter(|at| *at <= end) {
            self.now = at.max(self.now);
            self.step();
        }
        self.now = end;
        std::mem::take(&mut self.stage)
    }

    fn next_event(&self) -> Option<Duration> {
        let link = self.link.next_event().map(topology::since_start);
        let flows = self.flows.iter().flat_map(|flow| {
            [
                flow.acks.front().map(|(at, _)| *at),
                flow.receiver.next_event(),
                flow.sender.next_event(self.now),
            ]
        });
        flows.flatten().chain(link).min()
    }

    fn step(&mut self) {
        let now = self.now;
        while let Some(exit) = self.link.receive(now.into()) {
            self.on_exit(&exit);
        }
        for index in 0..self.flows.len() {
            self.return_acks(index);
            let flow = &mut self.flows[index];
            let lost = flow.sender.on_timers(now);
            self.stage.flows[index].lost += lost;
            self.send(index);
        }
    }

    fn on_exit(&mut self, exit: &Exit<Carried>) {
        let packet = exit.packet.payload;
        if let Fate::Delivered(transit) = exit.fate {
            self.stage.on_delivered(packet.flow, packet.size, &transit);
            let ecn = exit.packet.ecn;
            self.flows[packet.flow]
                .receiver
                .on_packet(self.now, packet.number, packet.sent, ecn);
        }
    }

    fn return_acks(&mut self, index: usize) {
        let now = self.now;
        let flow = &mut self.flows[index];
        if let Some(ack) = flow.receiver.take_ack(now) {
            if !self.topology.is_out(Direction::Return, now) {
                flow.acks.push_back((now + self.topology.rtt / 2, ack));
            }
        }
        while flow.acks.front().is_some_and(|(at, _)| *at <= now) {
            let Some((_, ack)) = flow.acks.pop_front() else {
                break;
            };
            let lost = flow.sender.on_ack(now, &ack, flow.receiver.reports());
            self.stage.flows[index].lost += lost;
        }
    }

    fn send(&mut self, flow: usize) {
        let now = self.now;
        while let Some((number, size)) = self.flows[flow].sender.send(now) {
            self.stage.on_sent(flow, &self.flows[flow].sender);
            let payload = Carried {
                flow,
                number,
                size,
                sent: now,
            };
            let packet = Packet {
                size: u32::try_from(size.0).unwrap_or(u32::MAX),
                ecn: self.flows[flow].sender.ecn(),
                flow: flow as u64,
                payload,
            };
            self.link.send(now.into(), packet);
        }
    }
}
