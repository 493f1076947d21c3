//! Applies operations to a controller, as quiche would: time never goes back, a packet is acknowledged or lost once and
//! after it was sent, packets leave while the window has room.

use std::collections::VecDeque;
use std::time::Duration;

use quiche_cc::controller::{Controller, Ecn, Start};
use quiche_cc::feedback::{Acked, Feedback, Lost, Space};
use quiche_cc::units::{Bytes, Time};

use crate::checked::SMALLEST;
use crate::operation::{AckOf, In, Opening, Operation, Times};
use crate::{bytes_of, Checked, Subject};

/// RFC 9000, section 18.2: more is refused.
const LONGEST_ACK_DELAY: Duration = Duration::from_millis((1 << 14) - 1);
/// So many packets are in flight at most, so that an operation takes no more than milliseconds.
const MOST_IN_FLIGHT: usize = 512;
/// Rounds of one operation at most, likewise.
const MOST_ROUNDS: u8 = 32;
/// Packets of a round.
const ROUND: usize = 48;

/// A packet in flight.
#[derive(Debug, Clone, Copy)]
struct Packet {
    space: Space,
    number: u64,
    sent: Duration,
    size: Bytes,
    arrives: Duration,
}

/// The receiver's clock: what it showed when it was last touched, and how fast it is.
#[derive(Debug, Clone, Copy)]
struct Clock {
    at: Duration,
    shown: i128,
    ppm: i16,
}

impl Clock {
    fn nanos(&self, now: Duration) -> i128 {
        let passed = now.as_nanos() as i128 - self.at.as_nanos() as i128;
        self.shown + passed + passed * i128::from(self.ppm) / 1_000_000
    }

    fn read(&self, now: Duration) -> Duration {
        Duration::from_nanos(self.nanos(now).clamp(0, u64::MAX.into()) as u64)
    }

    fn touch(&mut self, now: Duration) {
        self.shown = self.nanos(now);
        self.at = now;
    }
}

/// A controller and what surrounds it.
#[derive(Debug)]
pub struct World {
    controller: Checked,
    now: Duration,
    flight: VecDeque<Packet>,
    next_number: u64,
    largest_acked: [Option<u64>; 3],
    max_datagram_size: Bytes,
    max_ack_delay: Duration,
    forward: Duration,
    back: Duration,
    min_rtt: Option<Duration>,
    clock: Clock,
}

impl World {
    /// The world around a new controller of `subject`. With `traced` its events are fetched after every feedback.
    pub fn new(subject: &Subject, opening: Opening, traced: bool) -> Self {
        let max_datagram_size = SMALLEST;
        let controller = subject.controller(Start {
            initial_window_packets: opening.window_packets.into(),
            max_datagram_size,
            initial_rtt: opening.rtt.duration(),
        });
        Self {
            controller: if traced {
                controller.traced()
            } else {
                controller
            },
            // Half a day, as the plug-in has it, so that no time is before the first.
            now: Duration::from_secs(43_200),
            flight: VecDeque::new(),
            next_number: 0,
            largest_acked: [None; 3],
            max_datagram_size,
            max_ack_delay: opening.max_ack_delay.duration().min(LONGEST_ACK_DELAY),
            forward: Duration::from_millis(20),
            back: Duration::from_millis(20),
            min_rtt: None,
            clock: Clock {
                at: Duration::ZERO,
                shown: 3_600_000_000_000,
                ppm: 0,
            },
        }
    }

    /// Lets all of this happen, and checks that events have not piled up.
    pub fn run(mut self, operations: &[Operation]) {
        for operation in operations {
            self.apply(*operation);
        }
        self.controller.drain_events();
    }

    fn apply(&mut self, operation: Operation) {
        match operation {
            Operation::Wait(span) => self.now += span.duration(),
            Operation::Send {
                space,
                packets,
                size,
            } => self.send_many(space, packets, size),
            Operation::Probe => {
                self.send(Space::Application, self.max_datagram_size, Duration::ZERO)
            }
            Operation::Ack(ack) => self.ack(&ack),
            Operation::LossTimer { packets } => self.lose(packets.into()),
            Operation::LoseAll => self.lose(usize::MAX),
            Operation::Nothing => self.lose(0),
            Operation::AppLimited => self.app_limited(),
            Operation::MaxDatagramSize(more) => {
                self.max_datagram_size = SMALLEST + Bytes(more.into());
                self.controller.on_max_datagram_size(self.max_datagram_size);
            }
            Operation::Delay { forward, back } => {
                self.forward = forward.duration();
                self.back = back.duration();
            }
            Operation::ClockStep(millis) => {
                self.clock.touch(self.now);
                self.clock.shown += i128::from(millis) * 1_000_000;
            }
            Operation::ClockDrift(ppm) => {
                self.clock.touch(self.now);
                self.clock.ppm = ppm;
            }
            Operation::Rounds { count, queue } => {
                (0..count.min(MOST_ROUNDS)).for_each(|_| self.round(queue.duration()));
            }
        }
    }

    fn in_flight(&self) -> Bytes {
        Bytes(self.flight.iter().map(|packet| packet.size.0).sum())
    }

    fn has_room(&self, size: Bytes) -> bool {
        let window = self.controller.decision().window;
        self.flight.len() < MOST_IN_FLIGHT && self.in_flight() + size <= window
    }

    fn send_many(&mut self, space: In, packets: u8, size: u8) {
        let size = Bytes(self.max_datagram_size.0 * u64::from(size) / 255);
        for _ in 0..packets {
            if self.has_room(size) {
                self.send(space.into(), size, Duration::ZERO);
            }
        }
    }

    fn send(&mut self, space: Space, size: Bytes, queue: Duration) {
        // quiche does not tell of packets that are not in flight.
        if size > Bytes(0) {
            self.controller.on_sent(self.time(), size);
        }
        self.flight.push_back(Packet {
            space,
            number: self.next_number,
            sent: self.now,
            size,
            arrives: self.now + self.forward + queue,
        });
        self.next_number += 1;
    }

    fn time(&self) -> Time {
        Time::from_origin(self.now)
    }

    fn app_limited(&mut self) {
        if self.in_flight() < self.controller.decision().window {
            self.controller.on_app_limited();
        }
    }

    fn lose(&mut self, packets: usize) {
        let lost: Vec<Lost> = self
            .flight
            .drain(..packets.min(self.flight.len()))
            .map(lost)
            .collect();
        self.feed_back(Space::Application, &[], &lost, false, Duration::ZERO, 0);
    }

    fn ack(&mut self, ack: &AckOf) {
        let space = Space::from(ack.space);
        let numbers: Vec<u64> = self
            .flight
            .iter()
            .rev()
            .filter(|packet| packet.space == space)
            .skip(ack.behind.into())
            .take(ack.packets.into())
            .step_by(if ack.sparse { 2 } else { 1 })
            .map(|packet| packet.number)
            .collect();
        let Some(&largest) = numbers.first() else {
            // quiche does not hand on an ACK that acknowledges nothing new.
            return;
        };
        let (mut acked, mut lost_packets) = (Vec::new(), Vec::new());
        self.flight.retain(|packet| {
            if numbers.contains(&packet.number) {
                acked.push(*packet);
            } else if ack.losing && packet.space == space && packet.number + 3 <= largest {
                lost_packets.push(lost(*packet));
            } else {
                return true;
            }
            false
        });
        if let (true, Some(newest)) = (ack.on_time, acked.last()) {
            self.now = self.now.max(newest.arrives + self.back);
        }
        self.finish_ack(ack, &acked, &lost_packets);
    }

    fn finish_ack(&mut self, ack: &AckOf, packets: &[Packet], lost: &[Lost]) {
        let Some(newest) = packets.last() else {
            return;
        };
        let space = Space::from(ack.space);
        let largest = &mut self.largest_acked[space as usize];
        let is_largest = largest.is_none_or(|largest| newest.number > largest);
        *largest = (*largest).max(Some(newest.number));
        let sampled = is_largest && packets.iter().any(|packet| packet.size > Bytes(0));
        if sampled {
            let rtt = self.now.saturating_sub(newest.sent);
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
        let received = |(place, packet): (usize, &Packet)| match ack.times {
            Times::None => None,
            Times::Some if place % 2 == 1 => None,
            Times::True | Times::Some => Some(self.clock.read(packet.arrives.min(self.now))),
            Times::Zero => Some(Duration::ZERO),
            Times::Last => Some(Duration::MAX),
            Times::Undelayed => Some(self.clock.read(packet.sent)),
            Times::Claimed(nanos) => Some(Duration::from_nanos(nanos)),
        };
        let acked: Vec<Acked> = packets
            .iter()
            .enumerate()
            .map(|(place, packet)| Acked {
                sent: Time::from_origin(packet.sent),
                size: packet.size,
                received: received((place, packet)),
            })
            .collect();
        self.feed_back(
            space,
            &acked,
            lost,
            sampled,
            ack.delay.duration(),
            ack.marks.into(),
        );
    }

    fn feed_back(
        &mut self,
        space: Space,
        acked: &[Acked],
        lost: &[Lost],
        rtt_sampled: bool,
        ack_delay: Duration,
        marks: u64,
    ) {
        let marking = self.controller.decision().ecn != Ecn::NotEct;
        self.controller.on_feedback(&Feedback {
            now: self.time(),
            space,
            acked,
            lost,
            in_flight: self.in_flight() + bytes_of(acked, lost),
            rtt_sampled,
            ack_delay,
            max_ack_delay: self.max_ack_delay,
            min_rtt: self.min_rtt,
            ecn_ect: if marking { acked.len() as u64 } else { 0 },
            ecn_ce: if marking { marks } else { 0 },
        });
    }

    /// A window, each packet of which waits a little longer than the one before, and its ACKs.
    fn round(&mut self, queue: Duration) {
        let mut packets = 0;
        while packets < ROUND && self.has_room(self.max_datagram_size) {
            let share = queue / ROUND as u32 * packets as u32;
            self.send(Space::Application, self.max_datagram_size, share);
            packets += 1;
        }
        for behind in (0..packets).rev() {
            self.ack(&AckOf {
                space: In::Application,
                behind: behind as u8,
                packets: 1,
                sparse: false,
                losing: true,
                on_time: true,
                times: Times::True,
                delay: crate::operation::Span(0),
                marks: 0,
            });
        }
    }
}

fn lost(packet: Packet) -> Lost {
    Lost {
        sent: Time::from_origin(packet.sent),
        size: packet.size,
    }
}
