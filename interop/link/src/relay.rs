//! The loop: receive, let the links decide, send when it is time.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

use polling::{Event, Events, PollMode, Poller};
use quiche_cc_bottleneck::{Ecn, Exit, Fate, Time};

use crate::address::check;
use crate::clock::{Clock, Reading};
use crate::direction::{Lane, Parcel};
use crate::flows::Flows;
use crate::record::LinkRecord;
use crate::recording::{Came, Recording};
use crate::spread::millis;
use crate::stopper::Stopper;
use crate::{
    kernel_drops, realtime, Config, Direction, Log, Receiver, Record, Socket, Spread, Start,
    Summary,
};

/// The poller's key of the socket that clients send to; flows count from the next one.
const LISTENER: usize = 0;
const FIRST_FLOW: usize = 1;

/// A relay that is bound and ready.
pub struct Relay {
    config: Config,
    listener: Socket,
    poller: Arc<Poller>,
    stop: Arc<AtomicBool>,
    receiver: Receiver,
    flows: Flows,
    down: Lane,
    up: Lane,
    clock: Clock,
    sampling: bool,
    next_sample: Option<Time>,
    last_sample: Option<Time>,
    lateness: Spread,
    dropped: Dropped,
    recording: Recording,
}

/// Datagrams that never came to a link, or could not be sent on after it.
#[derive(Debug, Default)]
struct Dropped {
    flows: u64,
    foreign: u64,
    memory: u64,
    send: u64,
    /// Those of sockets that are closed.
    kernel: u64,
}

/// A datagram that was read.
struct Arrival {
    at: Time,
    from: Origin,
    ecn: Ecn,
    payload: Vec<u8>,
}

enum Origin {
    Client(SocketAddr),
    Server { flow: usize },
}

impl Relay {
    /// Binds the relay's socket. Datagrams that come from now on are kept until [`run`](Relay::run).
    ///
    /// # Errors
    /// An address is not of loopback, or cannot be bound; a recording of a link cannot be read.
    pub fn bind(mut config: Config) -> io::Result<Self> {
        for address in [config.listen, config.to] {
            check(address).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        }
        let lane = |which, link| {
            Lane::new(which, &config.link(link), config.seed)
                .map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))
        };
        let down = lane(Direction::Down, &config.down)?;
        let up = lane(Direction::Up, &config.up)?;
        let listener = Socket::bind(config.listen)?;
        config.listen = listener.local_addr()?;
        let poller = Poller::new()?;
        watch(&poller, &listener, LISTENER)?;
        Ok(Self {
            listener,
            poller: Arc::new(poller),
            stop: Arc::default(),
            receiver: Receiver::default(),
            flows: Flows::new(FIRST_FLOW, config.max_flows, config.idle_timeout),
            down,
            up,
            clock: Clock::start(),
            sampling: false,
            next_sample: None,
            last_sample: None,
            lateness: Spread::default(),
            dropped: Dropped::default(),
            recording: Recording::none(),
            config,
        })
    }

    /// Where clients send to.
    pub fn local_addr(&self) -> SocketAddr {
        self.config.listen
    }

    /// A handle that stops the relay.
    pub fn stopper(&self) -> Stopper {
        Stopper {
            poller: Arc::clone(&self.poller),
            stop: Arc::clone(&self.stop),
        }
    }

    /// Relays until it is stopped or its time is up. Raises the priority of the calling thread,
    /// which should be one of its own.
    ///
    /// # Errors
    /// Those of sockets and of the log file.
    pub fn run(mut self, mut log: Log) -> io::Result<Summary> {
        self.clock = Clock::start();
        self.sampling = log.is_kept();
        let start = self.start_record();
        if let Some(path) = &self.config.record {
            self.recording = Recording::begin(path, &start)?;
        }
        log.write(Record::Start(Box::new(start)));
        let end = self.config.duration.map(Time::from);
        let mut events = Events::new();
        while !self.stop.load(Ordering::Acquire) && end.is_none_or(|end| self.clock.now() < end) {
            self.wait(&mut events, end)?;
            let reading = self.clock.read();
            let mut arrivals = self.read(&events, &reading)?;
            // Sockets are read one after the other; the links see the order in which packets came.
            arrivals.sort_by_key(|arrival| arrival.at);
            for arrival in arrivals {
                let at = arrival.at;
                self.plan_sample(at);
                self.settle(at, &mut log);
                self.forward(arrival);
                self.plan_sample(at);
            }
            self.settle(reading.now, &mut log);
            for flow in self.flows.expire(reading.now) {
                self.dropped.kernel += kernel_drops::count([&flow.socket]).unwrap_or(0);
                self.poller.delete(flow.socket.inner())?;
            }
        }
        let recording = std::mem::replace(&mut self.recording, Recording::none());
        let mut summary = self.summary(log.lost());
        let unseen = summary.dropped_memory + summary.dropped_kernel.unwrap_or(0);
        summary.record_lost = recording.finish(self.clock.now(), unseen)?;
        log.finish(Record::Summary(Box::new(summary.clone())))?;
        Ok(summary)
    }

    fn wait(&self, events: &mut Events, end: Option<Time>) -> io::Result<()> {
        events.clear();
        let deadline = [
            self.down.next_delivery(),
            self.up.next_delivery(),
            self.next_sample,
            self.flows.next_check(),
            end,
        ]
        .into_iter()
        .flatten()
        .min();
        match deadline {
            Some(time) => self.poller.wait_deadline(events, self.clock.instant(time)),
            None => self.poller.wait(events, None),
        }
        .map(|_| ())
    }

    /// Reads the sockets that have something.
    fn read(&mut self, events: &Events, reading: &Reading) -> io::Result<Vec<Arrival>> {
        let mut arrivals = Vec::new();
        let foreign = &mut self.dropped.foreign;
        for event in events.iter() {
            let flow = event.key;
            let socket = match self.flows.get(flow) {
                _ if flow == LISTENER => &self.listener,
                Some(flow) => &flow.socket,
                None => continue,
            };
            socket.receive(&mut self.receiver, |datagram| {
                let from = match flow {
                    LISTENER => Origin::Client(datagram.from),
                    _ if datagram.from == self.config.to => Origin::Server { flow },
                    _ => return *foreign += 1,
                };
                arrivals.push(Arrival {
                    at: reading.arrival(datagram.received),
                    from,
                    ecn: datagram.ecn,
                    payload: datagram.payload.to_vec(),
                });
            })?;
        }
        Ok(arrivals)
    }

    /// Hands a datagram to the link of its direction.
    fn forward(&mut self, arrival: Arrival) {
        let Arrival {
            at,
            from,
            ecn,
            payload,
        } = arrival;
        let size = self
            .config
            .overhead
            .size(payload.len(), self.config.listen.is_ipv6());
        let (flow, direction, lane) = match from {
            Origin::Server { flow } => (flow, Direction::Down, &mut self.down),
            Origin::Client(client) => match self.flow_of(client, at) {
                Some(flow) => (flow, Direction::Up, &mut self.up),
                None => return self.dropped.flows += 1,
            },
        };
        self.flows.touch(flow, at);
        let came = Came {
            at,
            direction,
            packet: self.recording.next(),
            flow,
            size,
            payload: payload.len(),
            ecn,
            waiting: self.recording.waiting(lane, at),
        };
        let number = came.packet;
        if lane.send(
            at,
            size,
            ecn,
            Parcel {
                flow,
                payload,
                number,
            },
        ) {
            self.recording.arrives(&came);
        } else {
            self.dropped.memory += 1;
        }
    }

    /// The flow of a client address, a new one if there is room.
    fn flow_of(&mut self, client: SocketAddr, now: Time) -> Option<usize> {
        if let Some(flow) = self.flows.find(client) {
            return Some(flow);
        }
        if self.flows.is_full() {
            return None;
        }
        let watched = |socket: &Socket, number| watch(&self.poller, socket, number);
        // Without a descriptor for one client more, those that there are go on.
        self.flows.open(client, self.config.to, now, watched).ok()
    }

    /// Sends what leaves the links until `until`, and takes the samples that are due on the way.
    fn settle(&mut self, until: Time, log: &mut Log) {
        while let Some(time) = self.next_sample.filter(|&time| time <= until) {
            self.release(time, log);
            self.sample(time, log);
        }
        self.release(until, log);
    }

    fn release(&mut self, until: Time, log: &mut Log) {
        for direction in [Direction::Down, Direction::Up] {
            while let Some(exit) = self.lane(direction).receive(until) {
                if self.config.log_packets {
                    log.write(Record::Packet(self.lane(direction).packet_record(&exit)));
                }
                let lateness = self.send_on(&exit, direction).unwrap_or_default();
                self.lane(direction).released_late_by(lateness);
                self.recording.leaves(&exit, lateness);
            }
        }
    }

    fn lane(&mut self, direction: Direction) -> &mut Lane {
        match direction {
            Direction::Down => &mut self.down,
            Direction::Up => &mut self.up,
        }
    }

    /// Sends a delivered packet to its destination; says how late that was.
    fn send_on(&mut self, exit: &Exit<Parcel>, direction: Direction) -> Option<Duration> {
        let Fate::Delivered(_) = exit.fate else {
            return None;
        };
        let Parcel { flow, payload, .. } = &exit.packet.payload;
        // The client may have been forgotten while its packet was on the way.
        let sent = self.flows.get(*flow).map(|flow| match direction {
            Direction::Down => self.listener.send(flow.client, exit.packet.ecn, payload),
            Direction::Up => flow.socket.send(self.config.to, exit.packet.ecn, payload),
        });
        let Some(Ok(())) = sent else {
            self.dropped.send += 1;
            return None;
        };
        let now = self.clock.now();
        self.flows.touch(*flow, now);
        let lateness = now.since(exit.at);
        self.lateness.add(lateness);
        Some(lateness)
    }

    /// Takes a sample of both directions. When nothing is on the way, it is the last until a packet comes.
    fn sample(&mut self, time: Time, log: &mut Log) {
        for lane in [&mut self.down, &mut self.up] {
            log.write(Record::Sample(lane.sample(time)));
        }
        self.last_sample = Some(time);
        let idle = self.down.is_empty() && self.up.is_empty();
        self.next_sample = (!idle).then(|| time + self.config.interval);
    }

    /// Takes up sampling again when a packet comes at `now`: with the last sample time before it, which
    /// shows that the path was empty until then, or with the next one if that is taken already.
    fn plan_sample(&mut self, now: Time) {
        if !self.sampling || self.next_sample.is_some() {
            return;
        }
        let interval = Time::from(self.config.interval).as_nanos();
        let before = Time::from_nanos(now.as_nanos() / interval * interval);
        self.next_sample = match self.last_sample {
            Some(last) if last >= before => Some(last + self.config.interval),
            _ => Some(before),
        };
    }

    fn start_record(&self) -> Start {
        let config = &self.config;
        let scheduling = if config.realtime {
            realtime::prefer_this_thread()
        } else {
            "normal, as asked".to_owned()
        };
        Start {
            version: env!("CARGO_PKG_VERSION"),
            start_unix: self.clock.start_unix().as_secs_f64(),
            listen: config.listen,
            to: config.to,
            down: LinkRecord::new(&config.link(&config.down), self.down.nominal_rate()),
            up: LinkRecord::new(&config.link(&config.up), self.up.nominal_rate()),
            overhead: config.overhead.to_string(),
            seed: config.seed,
            interval_ms: millis(config.interval),
            scheduling,
        }
    }

    fn summary(&self, log_lost: u64) -> Summary {
        let open = self.flows.all().map(|flow| &flow.socket);
        let dropped_kernel = kernel_drops::count(open.chain([&self.listener]));
        Summary {
            duration: self.clock.now().as_secs_f64(),
            down: self.down.summary(),
            up: self.up.summary(),
            lateness_ms: self.lateness.percentiles(),
            flows: self.flows.opened(FIRST_FLOW),
            dropped_flows: self.dropped.flows,
            dropped_foreign: self.dropped.foreign,
            dropped_memory: self.dropped.memory,
            dropped_send: self.dropped.send,
            dropped_kernel: dropped_kernel.map(|open| open + self.dropped.kernel),
            log_lost,
            record_lost: 0,
        }
    }
}

fn watch(poller: &Poller, socket: &Socket, key: usize) -> io::Result<()> {
    // SAFETY: the sockets live in the relay beside the poller; `expire` gives each one back to be
    // deleted from the poller before it is closed, and the others are closed with the poller.
    unsafe { poller.add_with_mode(socket.inner(), Event::readable(key), PollMode::Level) }
}
