//! A sender: a controller with RFC 9002 around it, as quiche has it.

use std::time::Duration;

use quiche_cc::controller::{self, Controller, Decision, Start};
use quiche_cc::feedback::{Acked, Feedback, Lost, Space};
use quiche_cc::units::Bytes;
use quiche_cc_bottleneck::Ecn;

use super::demand::Demand;
use super::flight::{Flight, Sent};
use super::pacer::{Departure, Pacer};
use super::receiver::{Ack, Arrival, Marks, MAX_ACK_DELAY};
use super::rtt::Rtt;
use super::{time, SIZE};
use crate::{bytes_of, Checked, Subject};

/// quiche's defaults, as the plug-in gets them.
const INITIAL_WINDOW_PACKETS: u64 = 10;
const INITIAL_RTT: Duration = Duration::from_millis(333);
/// RFC 9002, section 6.2.4.
const PROBES: u32 = 2;
/// As often a receiver that is quiche asks for an acknowledgement of its ACKs (RFC 9000, section 13.2.4).
const ACKS_UNTIL_ASKED: u64 = 24;

/// A decision, and when it was made.
pub type Decided = (Duration, Decision);

/// The near end of a flow.
pub struct Sender {
    subject: Subject,
    controller: Checked,
    pacer: Pacer,
    demand: Demand,
    size: Bytes,
    sent: Bytes,
    next_number: u64,
    flight: Flight,
    rtt: Rtt,
    timeouts: u32,
    probes: u32,
    acks: u64,
    /// Of the receiver's arrivals, how many were in ACKs.
    arrivals: usize,
    marks: Marks,
    acked: Vec<Acked>,
    lost: Vec<Lost>,
    decided: Option<Vec<Decided>>,
}

impl Sender {
    /// One that always has something to send.
    pub fn new(subject: &Subject) -> Self {
        Self::with_demand(subject, Demand::Endless)
    }

    /// One that sends when the application has something.
    pub fn with_demand(subject: &Subject, demand: Demand) -> Self {
        let controller = start(subject, SIZE);
        Self {
            pacer: Pacer::new(&controller.decision()),
            subject: subject.clone(),
            controller,
            demand,
            size: SIZE,
            sent: Bytes(0),
            next_number: 0,
            flight: Flight::default(),
            rtt: Rtt::new(INITIAL_RTT),
            timeouts: 0,
            probes: 0,
            acks: 0,
            arrivals: 0,
            marks: Marks::default(),
            acked: Vec::new(),
            lost: Vec::new(),
            decided: None,
        }
    }

    /// The application changes its ways.
    pub fn set_demand(&mut self, demand: Demand) {
        self.demand = demand;
    }

    /// Keeps every decision from now on.
    pub fn keep_decisions(mut self) -> Self {
        self.decided = Some(Vec::new());
        self
    }

    /// The decisions that were kept.
    pub fn decisions(&self) -> &[Decided] {
        self.decided.as_deref().unwrap_or_default()
    }

    /// Its controller.
    pub fn controller(&self) -> &Checked {
        &self.controller
    }

    /// Size of its packets.
    pub fn packet_size(&self) -> Bytes {
        self.size
    }

    /// Path MTU discovery, or the peer, changes the size of packets.
    pub fn set_packet_size(&mut self, size: Bytes) {
        self.size = size;
        self.controller.on_max_datagram_size(size);
    }

    /// The field of outgoing packets.
    pub(super) fn ecn(&self) -> Ecn {
        match self.controller.decision().ecn {
            controller::Ecn::NotEct => Ecn::NotEct,
            controller::Ecn::Ect0 => Ecn::Ect0,
            controller::Ecn::Ect1 => Ecn::Ect1,
        }
    }

    /// A new path begins with a new controller; what was in flight belongs to the old one.
    pub(super) fn migrate(&mut self, arrivals: &[Arrival]) {
        self.controller = start(&self.subject, self.size);
        self.pacer = Pacer::new(&self.controller.decision());
        self.flight = Flight::default();
        self.rtt = Rtt::new(INITIAL_RTT);
        self.timeouts = 0;
        self.probes = 0;
        self.arrivals = arrivals.len();
    }

    fn may_send(&self) -> bool {
        self.probes > 0 || self.flight.bytes() + self.size <= self.controller.decision().window
    }

    fn departure(&self, now: Duration) -> Option<Duration> {
        let ready = if self.probes > 0 {
            now
        } else {
            self.demand.ready(now, self.sent, self.size)
        };
        self.may_send().then(|| self.pacer.release(now).max(ready))
    }

    fn probe_time(&self) -> Option<Duration> {
        let timeout = self.rtt.probe_timeout(MAX_ACK_DELAY);
        let backoff = 2_u32.saturating_pow(self.timeouts.min(20));
        let latest = self.flight.latest().filter(|_| self.probes == 0);
        latest.map(|latest| latest + timeout * backoff)
    }

    pub(super) fn next_event(&self, now: Duration) -> Option<Duration> {
        let loss = self.flight.loss_time(self.rtt.loss_delay());
        let timer = loss.or_else(|| self.probe_time());
        self.departure(now).into_iter().chain(timer).min()
    }

    /// Lets timers fire; gives the number of packets declared lost.
    pub(super) fn on_timers(&mut self, now: Duration) -> u64 {
        match self.flight.loss_time(self.rtt.loss_delay()) {
            Some(at) if at <= now => {
                self.acked.clear();
                self.feed_back(now, Duration::ZERO, false, Marks::default())
            }
            Some(_) => 0,
            None => {
                if self.probe_time().is_some_and(|at| at <= now) && self.probes == 0 {
                    self.timeouts += 1;
                    self.probes = PROBES;
                }
                0
            }
        }
    }

    /// An ACK has come; gives the number of packets declared lost.
    pub(super) fn on_ack(&mut self, now: Duration, ack: &Ack, arrivals: &[Arrival]) -> u64 {
        let new = &arrivals[self.arrivals.min(ack.arrivals)..ack.arrivals];
        self.arrivals = self.arrivals.max(ack.arrivals);
        let mut packets: Vec<(Sent, Option<Duration>)> = new
            .iter()
            .filter_map(|arrival| Some((self.flight.take(arrival.number)?, arrival.received)))
            .collect();
        packets.sort_unstable_by_key(|(packet, _)| packet.number);
        let Some((newest, _)) = packets.last().copied() else {
            return 0;
        };
        self.acked.clear();
        self.acked
            .extend(packets.iter().map(|(packet, received)| Acked {
                sent: time(packet.at),
                size: packet.size,
                received: *received,
            }));
        let sampled = self.flight.on_largest(newest.number);
        if sampled {
            self.rtt
                .update(now - newest.at, ack.delay.min(MAX_ACK_DELAY));
        }
        self.timeouts = 0;
        self.probes = 0;
        let increase = Marks {
            ect: ack.marks.ect - self.marks.ect,
            ce: ack.marks.ce - self.marks.ce,
        };
        self.marks = ack.marks;
        let lost = self.feed_back(now, ack.delay, sampled, increase);
        self.acks += 1;
        if self.acks.is_multiple_of(ACKS_UNTIL_ASKED) {
            self.acknowledge(now);
        }
        lost
    }

    /// Makes a packet with nothing but an ACK: only then quiche sees, and tells, that there is no data although there is room.
    fn acknowledge(&mut self, now: Duration) {
        let ready = self.demand.ready(now, self.sent, self.size);
        if ready > now && self.may_send() {
            self.controller.on_app_limited();
            self.pacer.on_app_limited();
        }
    }

    fn feed_back(&mut self, now: Duration, ack_delay: Duration, sampled: bool, ecn: Marks) -> u64 {
        let too_old = now.checked_sub(self.rtt.loss_delay());
        self.lost.clear();
        while let Some(packet) = self.flight.take_lost(too_old) {
            self.lost.push(Lost {
                sent: time(packet.at),
                size: packet.size,
            });
        }
        self.controller.on_feedback(&Feedback {
            now: time(now),
            space: Space::Application,
            acked: &self.acked,
            lost: &self.lost,
            in_flight: self.flight.bytes() + bytes_of(&self.acked, &self.lost),
            rtt_sampled: sampled,
            ack_delay,
            max_ack_delay: MAX_ACK_DELAY,
            min_rtt: self.rtt.min(),
            ecn_ect: ecn.ect,
            ecn_ce: ecn.ce,
        });
        if !self.lost.is_empty() {
            self.pacer.on_lost();
        }
        if let Some(decided) = &mut self.decided {
            decided.push((now, self.controller.decision()));
        }
        self.lost.len() as u64
    }

    /// The next packet that leaves at `now`: its number and size.
    pub(super) fn send(&mut self, now: Duration) -> Option<(u64, Bytes)> {
        let departure = self.departure(now)?;
        if departure > now {
            // Whether it waits for the pacer or for data nobody is told: quiche does not try to make a packet then.
            return None;
        }
        let packet = Sent {
            number: self.next_number,
            at: now,
            size: self.size,
        };
        let sent = Departure {
            now,
            size: packet.size,
            in_flight: self.flight.bytes(),
            max_datagram_size: self.size,
        };
        self.pacer.on_sent(&self.controller.decision(), &sent);
        self.controller.on_sent(time(now), packet.size);
        self.flight.push(packet);
        self.sent = self.sent + packet.size;
        self.next_number += 1;
        self.probes = self.probes.saturating_sub(1);
        Some((packet.number, packet.size))
    }
}

fn start(subject: &Subject, size: Bytes) -> Checked {
    subject.controller(Start {
        initial_window_packets: INITIAL_WINDOW_PACKETS,
        max_datagram_size: size,
        initial_rtt: INITIAL_RTT,
    })
}
