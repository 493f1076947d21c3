//! A bottleneck with senders on it, in virtual time, for whole controllers without quiche.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use quiche_cc::controller::{Controller, Start};
use quiche_cc::feedback::{Acked, Feedback, Lost, Space};
use quiche_cc::units::{Bytes, Time};
use quiche_cc::Algorithm;

pub const SIZE: u64 = 1250;
const MILLI: Duration = Duration::from_millis(1);

/// What a receiver says of a packet that was sent and received at these times, on its own clock.
pub type Report = fn(sent: Duration, received: Duration) -> Option<Duration>;

/// Tells the truth, on a clock that is ahead by an hour.
pub fn honest(_sent: Duration, received: Duration) -> Option<Duration> {
    Some(received + Duration::from_secs(3_600))
}

/// A drop-tail bottleneck: rate in bit/s, one-way delay of each direction, buffer as waiting time.
pub struct Link {
    pub rate: f64,
    pub delay: Duration,
    pub buffer: Duration,
}

/// One sender with its receiver.
pub struct Flow {
    controller: Box<dyn Controller>,
    report: Report,
    in_flight: Vec<(u64, Duration)>,
    next_number: u64,
    next_send: Duration,
    pub delivered: u64,
    pub lost: u64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Send {
        flow: usize,
    },
    Ack {
        flow: usize,
        number: u64,
        received: Duration,
    },
}

impl Flow {
    pub fn new(spec: &str, report: Report) -> Self {
        let Ok(Algorithm::Ours { build, .. }) = quiche_cc::parse(spec) else {
            panic!("{spec} is none of ours");
        };
        let controller = build(Start {
            initial_window_packets: 10,
            max_datagram_size: Bytes(SIZE),
            initial_rtt: 333 * MILLI,
        });
        Self {
            controller,
            report,
            in_flight: Vec::new(),
            next_number: 0,
            next_send: Duration::ZERO,
            delivered: 0,
            lost: 0,
        }
    }

    fn may_send(&self) -> bool {
        let window = self.controller.decision().window.0;
        (self.in_flight.len() as u64 + 1) * SIZE <= window
    }

    fn on_ack(&mut self, now: Duration, number: u64, received: Duration) {
        let Some(place) = self.in_flight.iter().position(|(n, _)| *n == number) else {
            return;
        };
        let (_, sent) = self.in_flight.remove(place);
        // RFC 9002, section 6.1.1, without reordering: what is three packets older is lost.
        let is_lost = |packet: &(u64, Duration)| packet.0 + 3 <= number;
        let lost: Vec<Lost> = self
            .in_flight
            .iter()
            .filter(|packet| is_lost(packet))
            .map(|(_, sent)| Lost {
                sent: Time::from_origin(*sent),
                size: Bytes(SIZE),
            })
            .collect();
        self.in_flight.retain(|packet| !is_lost(packet));
        self.lost += lost.len() as u64;
        let acked = [Acked {
            sent: Time::from_origin(sent),
            size: Bytes(SIZE),
            received: (self.report)(sent, received),
        }];
        self.controller.on_feedback(&Feedback {
            now: Time::from_origin(now),
            space: Space::Application,
            acked: &acked,
            lost: &lost,
            rtt_sampled: true,
            ack_delay: Duration::ZERO,
            max_ack_delay: 25 * MILLI,
            min_rtt: None,
            ecn_ce: 0,
        });
    }
}

/// Lets the flows send without end, each starting a second after the one before, and counts what
/// arrives in `counted` after `warm_up`.
pub fn run(link: &Link, flows: &mut [Flow], warm_up: Duration, counted: Duration) {
    let serialisation = Duration::from_secs_f64(SIZE as f64 * 8.0 / link.rate);
    let mut free_at = Duration::ZERO;
    let mut events = BinaryHeap::new();
    for flow in 0..flows.len() {
        events.push(Reverse((
            1_000 * MILLI * (flow as u32 + 1),
            Event::Send { flow },
        )));
    }
    while let Some(Reverse((now, event))) = events.pop() {
        if now > warm_up + counted {
            break;
        }
        match event {
            Event::Ack {
                flow,
                number,
                received,
            } => {
                flows[flow].delivered += u64::from(now > warm_up);
                let full = !flows[flow].may_send();
                flows[flow].on_ack(now, number, received);
                if full && flows[flow].may_send() {
                    let at = flows[flow].next_send.max(now);
                    events.push(Reverse((at, Event::Send { flow })));
                }
            }
            Event::Send { flow: index } => {
                let flow = &mut flows[index];
                if !flow.may_send() || now < flow.next_send {
                    continue;
                }
                let number = flow.next_number;
                flow.next_number += 1;
                flow.in_flight.push((number, now));
                flow.controller.on_sent(Time::from_origin(now), Bytes(SIZE));
                let gap = SIZE as f64 * 8.0 / flow.controller.decision().pacing.bps();
                flow.next_send = now + Duration::from_secs_f64(gap);
                events.push(Reverse((flow.next_send, Event::Send { flow: index })));
                let start = free_at.max(now);
                if start - now <= link.buffer {
                    free_at = start + serialisation;
                    let received = free_at + link.delay;
                    let ack = Event::Ack {
                        flow: index,
                        number,
                        received,
                    };
                    events.push(Reverse((received + link.delay, ack)));
                }
            }
        }
    }
}
