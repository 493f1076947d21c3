//! A sender that reacts, for queues that act on senders: NewReno's congestion avoidance on single packets.

use std::collections::VecDeque;
use std::time::Duration;

use quiche_cc_bottleneck::{Ecn, Exit, Fate, Link, LinkConfig, Packet, Time};

/// Bytes of each packet.
const SIZE: u32 = 1250;

/// What came of a run, from its middle to its end.
#[derive(Debug)]
pub struct Outcome {
    /// Mean queueing delay of the packets that were delivered, milliseconds.
    pub delay: f64,
    /// Share of the link's capacity that was used.
    pub utilisation: f64,
    /// Packets that the discipline marked.
    pub marked: u64,
    /// Packets that it dropped.
    pub dropped: u64,
}

/// A bulk sender with its window, in packets.
struct Sender {
    window: f64,
    in_flight: f64,
    /// Packets sent before this one are of the round trip in which the window was last reduced.
    recovery: u64,
    next: u64,
}

/// An acknowledgement, or what tells of a loss, on its way back.
struct Report {
    at: Time,
    flow: usize,
    number: u64,
    congestion: bool,
}

impl Sender {
    fn new() -> Self {
        Self {
            window: 10.0,
            in_flight: 0.0,
            recovery: 0,
            next: 0,
        }
    }

    fn on_report(&mut self, report: &Report) {
        self.in_flight -= 1.0;
        if !report.congestion {
            self.window += 1.0 / self.window;
        } else if report.number >= self.recovery {
            self.window = (self.window / 2.0).max(2.0);
            self.recovery = self.next;
        }
    }

    fn send(&mut self, now: Time, flow: usize, ecn: Ecn, link: &mut Link<(usize, u64)>) {
        while self.in_flight + 1.0 <= self.window {
            let packet = Packet {
                size: SIZE,
                ecn,
                flow: flow as u64,
                payload: (flow, self.next),
            };
            link.send(now, packet);
            self.next += 1;
            self.in_flight += 1.0;
        }
    }
}

impl Report {
    /// What the sender learns of a packet that left the link, `delay` later.
    fn of(exit: &Exit<(usize, u64)>, delay: Duration) -> Self {
        let (flow, number) = exit.packet.payload;
        Self {
            at: exit.at + delay,
            flow,
            number,
            congestion: exit.packet.ecn == Ecn::Ce || matches!(exit.fate, Fate::Lost(_)),
        }
    }
}

/// Runs so many senders over `config` for so long; reports take as long back as packets take there.
pub fn run_senders(config: &LinkConfig, flows: usize, ecn: Ecn, seconds: u64) -> Outcome {
    let mut link = config.build::<(usize, u64)>(3, 0).unwrap();
    let mut senders: Vec<_> = (0..flows).map(|_| Sender::new()).collect();
    let mut reports: VecDeque<Report> = VecDeque::new();
    let middle = Time::from(Duration::from_secs(seconds / 2));
    let end = Time::from(Duration::from_secs(seconds));
    let mut delivered = Vec::new();
    for (flow, sender) in senders.iter_mut().enumerate() {
        sender.send(Time::ZERO, flow, ecn, &mut link);
    }
    loop {
        let report = reports.front().map(|report| report.at);
        let events = link.next_event().into_iter().chain(report);
        let Some(now) = events.min().filter(|&now| now < end) else {
            break;
        };
        while let Some(exit) = link.receive(now) {
            reports.push_back(Report::of(&exit, config.delay.first()));
            if let (Fate::Delivered(transit), true) = (exit.fate, now >= middle) {
                delivered.push(transit.queueing.as_secs_f64() * 1e3);
            }
        }
        while reports.front().is_some_and(|report| report.at <= now) {
            let report = reports.pop_front().expect("there is one");
            senders[report.flow].on_report(&report);
            senders[report.flow].send(now, report.flow, ecn, &mut link);
        }
    }
    let capacity = link.capacity(middle, end).expect("a limited rate") as f64;
    Outcome {
        delay: delivered.iter().sum::<f64>() / delivered.len() as f64,
        utilisation: delivered.len() as f64 * f64::from(SIZE) / capacity,
        marked: link.counters().marked.packets,
        dropped: link.counters().lost_discipline.packets,
    }
}
