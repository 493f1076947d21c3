//! A sender that reacts, for queues that act on senders: NewReno's congestion avoidance on single packets.

use std::collections::VecDeque;
use std::time::Duration;

use quiche_cc_bottleneck::{Ecn, Fate, Link, LinkConfig, Packet, Time};

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
                payload: (flow, self.next),
            };
            link.send(now, packet);
            self.next += 1;
            self.in_flight += 1.0;
        }
    }
}

/// Runs so many senders over `config` for so long; reports take as long back as packets take there.
pub fn run_senders(config: &LinkConfig, flows: usize, ecn: Ecn, seconds: u64) -> Outcome {
    let mut link = config.build::<(usize, u64)>(3, 0).unwrap();
    let start = || Sender {
        window: 10.0,
        in_flight: 0.0,
        recovery: 0,
        next: 0,
    };
    let mut senders: Vec<_> = (0..flows).map(|_| start()).collect();
    let mut reports = VecDeque::new();
    let middle = Time::from(Duration::from_secs(seconds / 2));
    let end = Time::from(Duration::from_secs(seconds));
    let (mut delays, mut delivered, mut bytes) = (0.0, 0.0, 0.0);
    for (flow, sender) in senders.iter_mut().enumerate() {
        sender.send(Time::ZERO, flow, ecn, &mut link);
    }
    loop {
        let report = reports.front().map(|report: &Report| report.at);
        let Some(now) = link.next_event().into_iter().chain(report).min() else {
            break;
        };
        if now >= end {
            break;
        }
        while let Some(exit) = link.receive(now) {
            let (flow, number) = exit.packet.payload;
            let congestion = exit.packet.ecn == Ecn::Ce || matches!(exit.fate, Fate::Lost(_));
            reports.push_back(Report {
                at: now + config.delay.first(),
                flow,
                number,
                congestion,
            });
            if let (Fate::Delivered(transit), true) = (exit.fate, now >= middle) {
                delays += transit.queueing.as_secs_f64() * 1e3;
                delivered += 1.0;
                bytes += f64::from(exit.packet.size);
            }
        }
        while reports.front().is_some_and(|report| report.at <= now) {
            let report = reports.pop_front().expect("there is one");
            senders[report.flow].on_report(&report);
            senders[report.flow].send(now, report.flow, ecn, &mut link);
        }
    }
    Outcome {
        delay: delays / delivered,
        utilisation: bytes / link.capacity(middle, end).expect("a limited rate") as f64,
        marked: link.counters().marked.packets,
        dropped: link.counters().lost_discipline.packets,
    }
}
