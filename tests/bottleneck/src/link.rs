//! The link: keeps order, time and accounts for discipline, service and wire.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::scheduler::{SubQueues, Waiting};
use crate::{
    Counters, Ecn, Exit, Fate, LossCause, Occupancy, Packet, Purpose, QueueView, Queues, Rate,
    Scheduler, Service, Stream, Time, Transit, Verdict, Wire,
};

/// What waits in front of a link at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets that wait, without the one in service.
    pub packets: u64,
    /// Bytes that wait, without the packet in service.
    pub bytes: u64,
    /// How long a packet that arrived now would wait before its first bit is sent: the rest of the
    /// packet in service, then all that wait.
    pub delay: Duration,
    /// How long the oldest packet has waited so far.
    pub head_age: Duration,
}

/// A queue, a service and a wire. See the [crate] for the picture and the rules.
///
/// Time only moves forward: an instant before the latest one seen counts as the latest one seen.
pub struct Link<P> {
    clock: Time,
    scheduler: Box<dyn Scheduler>,
    service: Box<dyn Service>,
    wire: Box<dyn Wire>,
    discipline_rng: Stream,
    wire_rng: Stream,
    queues: SubQueues<P>,
    busy_until: Time,
    exits: BinaryHeap<Pending<P>>,
    exits_made: u64,
    counters: Counters,
    occupancy: Occupancy,
}

impl<P> Link<P> {
    /// A link of these parts, with random streams of its own ([`Purpose::stream`]): links of one run get
    /// different ids.
    pub fn new(
        scheduler: Box<dyn Scheduler>,
        service: Box<dyn Service>,
        wire: Box<dyn Wire>,
        seed: u64,
        id: u64,
    ) -> Self {
        Self {
            clock: Time::ZERO,
            scheduler,
            service,
            wire,
            discipline_rng: Purpose::Discipline.stream(seed, id),
            wire_rng: Purpose::Wire.stream(seed, id),
            queues: SubQueues::new(),
            busy_until: Time::ZERO,
            exits: BinaryHeap::new(),
            exits_made: 0,
            counters: Counters::default(),
            occupancy: Occupancy::default(),
        }
    }

    /// Hands in a packet that arrives at `at`. Its fate, even an immediate drop, comes out of
    /// [`receive`](Link::receive).
    pub fn send(&mut self, at: Time, mut packet: Packet<P>) {
        self.advance(at);
        let arrived = self.clock;
        self.counters.arrived.add(packet.size);
        let all = self.view(arrived);
        let header = packet.header();
        let number = self.scheduler.classify(&header, &mut self.discipline_rng);
        let each = self.queues.each();
        let verdict = self.scheduler.on_arrival(
            &Queues { all, each },
            number,
            &header,
            &mut self.discipline_rng,
        );
        if let Err(cause) = self.apply(verdict, &mut packet) {
            return self.exit(arrived, arrived, packet, Fate::Lost(cause));
        }
        self.pass_time(arrived);
        self.queues.push(number, Waiting { arrived, packet });
        if all.idle {
            self.serve_next(arrived);
        } else {
            self.make_room(arrived);
        }
        let counters = &mut self.counters;
        counters.max_queue_packets = counters.max_queue_packets.max(self.queues.packets());
        counters.max_queue_bytes = counters.max_queue_bytes.max(self.queues.bytes());
    }

    /// Drops packets from the heads of queues until the scheduler is content.
    fn make_room(&mut self, now: Time) {
        loop {
            let all = self.view(now);
            let each = self.queues.each();
            let evicted = self.scheduler.evict(&Queues { all, each });
            let Some(Waiting { arrived, packet }) =
                evicted.and_then(|number| self.queues.pop(number))
            else {
                return;
            };
            self.exit(now, arrived, packet, Fate::Lost(LossCause::Overflow));
        }
    }

    /// Lets everything happen that happens until `now`, included.
    pub fn advance(&mut self, now: Time) {
        while self.busy_until <= now && self.queues.packets() > 0 {
            self.serve_next(self.busy_until);
        }
        self.clock = self.clock.max(now);
    }

    /// The next packet that leaves the model, delivered or lost, at or before `now`; in the order of
    /// the instants at which they leave.
    pub fn receive(&mut self, now: Time) -> Option<Exit<P>> {
        self.advance(now);
        if self.exits.peek()?.exit.at > self.clock {
            return None;
        }
        let exit = self.exits.pop()?.exit;
        let size = exit.packet.size;
        match exit.fate {
            Fate::Lost(cause) => self.counters.lost_by(cause).add(size),
            Fate::Delivered(_) => {
                self.counters.delivered.add(size);
                if exit.packet.ecn == Ecn::Ce {
                    self.counters.delivered_ce.add(size);
                }
            }
        }
        Some(exit)
    }

    /// The next instant at which a packet leaves the model or enters service, if any. For simulations: an
    /// event list that calls [`receive`](Link::receive) at this instant sees everything in order.
    pub fn next_event(&self) -> Option<Time> {
        let exit = self.exits.peek().map(|pending| pending.exit.at);
        let service = (self.queues.packets() > 0).then_some(self.busy_until);
        earliest(exit, service)
    }

    /// An instant before which nothing is delivered: exact if the wire keeps the order, a
    /// lower bound otherwise. For relays: sleeping until then delays no packet, and wakes up
    /// less often than [`next_event`](Link::next_event).
    pub fn next_delivery(&self) -> Option<Time> {
        let exit = self.exits.peek().map(|pending| pending.exit.at);
        let service = (self.queues.packets() > 0).then(|| self.busy_until + self.wire.min_delay());
        earliest(exit, service)
    }

    /// The latest instant the link knows of.
    pub fn clock(&self) -> Time {
        self.clock
    }

    /// What waits at [`clock`](Link::clock).
    pub fn backlog(&self) -> Backlog {
        let drain = self
            .rate()
            .map_or(Duration::ZERO, |rate| rate.time_for(self.queues.bytes()));
        Backlog {
            packets: self.queues.packets(),
            bytes: self.queues.bytes(),
            delay: self.busy_until.since(self.clock) + drain,
            head_age: self
                .queues
                .oldest()
                .map_or(Duration::ZERO, |arrived| self.clock.since(arrived)),
        }
    }

    /// Totals of what was handed in and received so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Packets inside the model: waiting, in service, on the wire, or lost and not yet received.
    pub fn held(&self) -> u64 {
        self.queues.packets() + self.exits.len() as u64
    }

    /// Time the link has spent sending until [`clock`](Link::clock).
    pub fn busy_time(&self) -> Duration {
        self.counters.busy - self.busy_until.since(self.clock)
    }

    /// How full the queue has been until [`clock`](Link::clock).
    pub fn occupancy(&self) -> Occupancy {
        let mut occupancy = self.occupancy;
        occupancy.pass(self.clock, self.queues.packets(), self.queues.bytes());
        occupancy
    }

    /// The rate at which a backlog drains at [`clock`](Link::clock), an average if that varies; `None`
    /// if the link takes no time.
    pub fn rate(&self) -> Option<Rate> {
        self.service.rate(self.clock)
    }

    /// Bytes that the link could have sent from `from` until `until`; `None` if it takes no time.
    pub fn capacity(&self, from: Time, until: Time) -> Option<u64> {
        self.service.capacity(from, until)
    }

    /// Accounts for the queue as it is until `now`.
    fn pass_time(&mut self, now: Time) {
        self.occupancy
            .pass(now, self.queues.packets(), self.queues.bytes());
    }

    fn view(&self, now: Time) -> QueueView {
        QueueView {
            now,
            packets: self.queues.packets(),
            bytes: self.queues.bytes(),
            idle: self.queues.packets() == 0 && self.busy_until <= now,
            rate: self.service.rate(now),
        }
    }

    fn apply(&mut self, verdict: Verdict, packet: &mut Packet<P>) -> Result<(), LossCause> {
        match verdict {
            Verdict::Pass => Ok(()),
            Verdict::Mark if packet.ecn.is_capable() => {
                packet.ecn = Ecn::Ce;
                self.counters.marked.add(packet.size);
                Ok(())
            }
            Verdict::Mark | Verdict::Drop => Err(LossCause::Discipline),
            Verdict::Overflow => Err(LossCause::Overflow),
        }
    }

    /// Takes packets whose turn it is at `now`, the link being free, until one is put into service.
    fn serve_next(&mut self, now: Time) {
        self.pass_time(now);
        while self.queues.packets() > 0 {
            let all = self.view(now);
            let each = self.queues.each();
            let number = self.scheduler.next(&Queues { all, each });
            let Some(Waiting {
                arrived,
                mut packet,
            }) = self.queues.pop(number)
            else {
                return;
            };
            let all = self.view(now);
            let each = self.queues.each();
            let verdict = self.scheduler.on_departure(
                &Queues { all, each },
                number,
                &packet.header(),
                now.since(arrived),
                &mut self.discipline_rng,
            );
            match self.apply(verdict, &mut packet) {
                Ok(()) => return self.serve(now, arrived, packet),
                Err(cause) => self.exit(now, arrived, packet, Fate::Lost(cause)),
            }
        }
    }

    fn serve(&mut self, start: Time, arrived: Time, packet: Packet<P>) {
        let finish = self.service.finish(start, packet.size);
        self.busy_until = finish;
        self.counters.busy += finish.since(start);
        match self.wire.deliver(finish, packet.size, &mut self.wire_rng) {
            None => self.exit(finish, arrived, packet, Fate::Lost(LossCause::Wire)),
            Some(at) => {
                let transit = Transit {
                    queueing: start.since(arrived),
                    serialisation: finish.since(start),
                    propagation: at.since(finish),
                };
                self.exit(at, arrived, packet, Fate::Delivered(transit));
            }
        }
    }

    fn exit(&mut self, at: Time, arrived: Time, packet: Packet<P>, fate: Fate) {
        self.exits_made += 1;
        self.exits.push(Pending {
            order: self.exits_made,
            exit: Exit {
                at,
                arrived,
                packet,
                fate,
            },
        });
    }
}

fn earliest(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    a.into_iter().chain(b).min()
}

/// An exit that lies ahead, ordered so that the heap yields the earliest, then the oldest.
struct Pending<P> {
    order: u64,
    exit: Exit<P>,
}

impl<P> Ord for Pending<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.exit.at, other.order).cmp(&(self.exit.at, self.order))
    }
}

impl<P> PartialOrd for Pending<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Pending<P> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<P> Eq for Pending<P> {}
