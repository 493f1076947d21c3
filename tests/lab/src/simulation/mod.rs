//! Runs a scenario: jumps from event to event until the end.
//!
//! ```text
//!   server ──► its wire ──► links of the path ──► client        (data)
//!   server ◄── links of the way back ◄── its wire ◄── client    (acknowledgements)
//! ```
//!
//! The actors are the links, the two ends of every flow, and a sampler. Each has one next instant, kept by
//! the [`Agenda`]; at it the actor does all that is due and says when it is due again.

mod flow;
mod outbox;
mod quic;
mod udp;

use std::time::Duration;

use quiche_cc_bottleneck::{stream, Time};

use self::flow::Flow;
use self::outbox::Outbox;
use crate::agenda::Agenda;
use crate::network::{Arrival, Network, Parcel, Side};
use crate::randomness::SeededRandomness;
use crate::record::{Delivery, LinkRecord, LinkSample, Loss, Record};
use crate::recording::Recording;
use crate::scenario::Scenario;
use crate::virtual_time::VirtualTime;

/// Random streams of a run: links take the numbers from 0 on, these come from the other end.
const QUIC_STREAM: u64 = u64::MAX;
const TRAFFIC_STREAMS: u64 = 1 << 62;

/// What a run needs beside its scenario.
pub struct RunConfig<'a> {
    /// The controller under test.
    pub cc: &'a str,
    /// Decides all that is random.
    pub seed: u64,
    /// Where the traces of the servers go, if anywhere.
    pub qlog: Option<&'a std::path::Path>,
    /// Where what the network does with every packet goes, if anywhere.
    pub recording: Option<&'a Recording>,
    /// Told the virtual time every now and then.
    pub progress: &'a mut dyn FnMut(Time),
}

/// A run that could not begin.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// quiche refused a controller.
    #[error("flow {flow}: quiche refuses the congestion controller `{cc}`")]
    Controller {
        /// The flow's name.
        flow: String,
        /// The controller's name with options.
        cc: String,
    },
    /// The recording of a link's rate cannot be used.
    #[error(transparent)]
    Rate(#[from] quiche_cc_bottleneck::TraceError),
    /// A trace could not be written.
    #[error("{path} cannot be written: {error}")]
    Trace {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The record of packets could not be written.
    #[error(transparent)]
    Record(#[from] quiche_cc_record::Error),
}

/// Runs `scenario` to its end.
///
/// # Errors
/// A controller or the directory for traces cannot be used.
pub fn run(scenario: &Scenario, config: &mut RunConfig<'_>) -> Result<Record, RunError> {
    Simulation::new(scenario, config)?.run(config.progress)
}

struct Simulation<'a> {
    scenario: &'a Scenario,
    time: VirtualTime,
    _randomness: SeededRandomness,
    agenda: Agenda,
    network: Network,
    flows: Vec<Flow>,
    record: Record,
    outbox: Outbox,
}

/// Who an actor's number stands for.
enum Actor {
    Link(usize),
    End(usize, Side),
    Sampler,
}

impl<'a> Simulation<'a> {
    fn new(scenario: &'a Scenario, config: &RunConfig<'_>) -> Result<Self, RunError> {
        let time = VirtualTime::start();
        let randomness = SeededRandomness::start(stream(config.seed, QUIC_STREAM));
        let links = scenario.links.iter().enumerate();
        let links = links
            .map(|(id, link)| link.config.build(config.seed, id as u64))
            .collect::<Result<_, _>>()?;
        let routes = scenario.flows.iter().map(|flow| flow.route.clone());
        let recorder = config.recording.map(|to| to.begin(scenario));
        let network = Network::new(links, routes.collect(), recorder.transpose()?);
        let mut flows = Vec::new();
        for (id, decl) in scenario.flows.iter().enumerate() {
            let rng = stream(config.seed, TRAFFIC_STREAMS + id as u64);
            flows.push(Flow::new(id, decl, scenario, config, rng)?);
        }
        let actors = scenario.links.len() + 2 * flows.len() + 1;
        let mut simulation = Self {
            scenario,
            time,
            _randomness: randomness,
            agenda: Agenda::new(actors),
            network,
            record: Record {
                flows: vec![Default::default(); flows.len()],
                links: vec![LinkRecord::default(); scenario.links.len()],
                simulated_packets: 0,
            },
            flows,
            outbox: Outbox::default(),
        };
        simulation.schedule_starts();
        Ok(simulation)
    }

    fn schedule_starts(&mut self) {
        for (id, decl) in self.scenario.flows.iter().enumerate() {
            for side in [Side::Server, Side::Client] {
                let actor = self.number(&Actor::End(id, side));
                self.agenda.set(actor, Some(decl.start));
            }
        }
        let sampler = self.number(&Actor::Sampler);
        self.agenda.set(sampler, Some(Time::ZERO));
    }

    fn number(&self, actor: &Actor) -> usize {
        let links = self.scenario.links.len();
        match actor {
            Actor::Link(link) => *link,
            Actor::End(flow, side) => links + 2 * flow + *side as usize,
            Actor::Sampler => links + 2 * self.flows.len(),
        }
    }

    fn actor(&self, number: usize) -> Actor {
        let links = self.scenario.links.len();
        match number.checked_sub(links) {
            None => Actor::Link(number),
            Some(end) if end == 2 * self.flows.len() => Actor::Sampler,
            Some(end) if end % 2 == Side::Server as usize => Actor::End(end / 2, Side::Server),
            Some(end) => Actor::End(end / 2, Side::Client),
        }
    }

    fn run(mut self, progress: &mut dyn FnMut(Time)) -> Result<Record, RunError> {
        let end = Time::from(self.scenario.duration);
        while let Some((now, number)) = self.agenda.pop(end) {
            match self.actor(number) {
                Actor::Link(link) => self.on_link(now, link),
                Actor::End(flow, side) => self.on_end(now, flow, side),
                Actor::Sampler => {
                    self.sample(now);
                    progress(now);
                    let next = self.next_sample(now, end);
                    self.agenda.set(number, next);
                }
            }
        }
        for (flow, record) in self.flows.iter_mut().zip(&mut self.record.flows) {
            flow.finish(&self.time, end, record);
        }
        self.network.finish(end)?;
        Ok(self.record)
    }

    /// At each multiple of the interval, and where windows begin and end: as the warm-up is over, and at the end.
    fn next_sample(&self, now: Time, end: Time) -> Option<Time> {
        let interval = self.scenario.interval.as_nanos() as u64;
        let regular = Time::from_nanos((now.as_nanos() / interval + 1) * interval);
        let warmup = Time::from(self.scenario.warmup);
        [regular, warmup, end]
            .into_iter()
            .filter(|at| *at > now)
            .min()
    }

    fn on_link(&mut self, now: Time, link: usize) {
        while let Some(arrival) = self.network.receive(link, now) {
            self.record.simulated_packets += 1;
            match arrival {
                Arrival::Forwarded(next) => self.on_queue_change(now, next),
                Arrival::Lost(packet, cause) => self.on_loss(now, link, packet.payload, cause),
                Arrival::Delivered(packet) => self.on_delivery(now, packet),
            }
        }
        self.on_queue_change(now, link);
    }

    /// A link has taken or lost packets: it is due at another time, and its queue is noted.
    fn on_queue_change(&mut self, now: Time, link: usize) {
        self.agenda.set(link, self.network.next_event(link));
        if !self.scenario.links[link].private {
            let packets = self.network.links()[link].backlog().packets as u32;
            let queue = &mut self.record.links[link].queue;
            if queue.last().map_or(0, |(_, last)| *last) != packets {
                queue.push((now, packets));
            }
        }
    }

    fn on_loss(
        &mut self,
        at: Time,
        link: usize,
        parcel: Parcel,
        cause: quiche_cc_bottleneck::LossCause,
    ) {
        if parcel.to == Side::Client {
            let losses = &mut self.record.flows[parcel.flow].losses;
            losses.push(Loss { at, link, cause });
        }
        self.outbox.recycle(parcel.data);
    }

    fn on_delivery(&mut self, now: Time, packet: quiche_cc_bottleneck::Packet<Parcel>) {
        let mut parcel = packet.payload;
        let (id, side) = (parcel.flow, parcel.to);
        if side == Side::Client {
            self.record.flows[id].deliveries.push(Delivery {
                at: now,
                one_way: now.since(parcel.sent),
                queueing: parcel.queueing,
                size: packet.size,
                ce: packet.ecn == quiche_cc_bottleneck::Ecn::Ce,
            });
        }
        self.flows[id].receive(&self.time, now, &mut parcel, packet.ecn);
        self.outbox.recycle(parcel.data);
        let actor = self.number(&Actor::End(id, side));
        self.agenda.at_latest(actor, now);
    }

    fn on_end(&mut self, now: Time, id: usize, side: Side) {
        let record = &mut self.record.flows[id];
        let wake = self.flows[id].act(&self.time, now, side, &mut self.outbox, record);
        let actor = self.number(&Actor::End(id, side));
        self.agenda.set(actor, wake);
        while let Some((parcel, ecn)) = self.outbox.next() {
            let size = parcel.data.len() as u32;
            let record = &mut self.record.flows[id];
            match side {
                Side::Server => record.sent.push((now, size)),
                Side::Client => record.returned.push((now, size)),
            }
            let link = self.network.send(now, parcel, size, ecn);
            self.on_queue_change(now, link);
        }
    }

    fn sample(&mut self, at: Time) {
        for (id, link) in self.scenario.links.iter().enumerate() {
            if link.private {
                continue;
            }
            self.network.advance(id, at);
            let link = &self.network.links()[id];
            self.record.links[id].samples.push(LinkSample {
                at,
                backlog: link.backlog(),
                counters: link.counters().clone(),
                busy: link.busy_time(),
            });
        }
        for (flow, record) in self.flows.iter().zip(&mut self.record.flows) {
            record.samples.extend(flow.sample(&self.time, at));
        }
    }
}

/// Nothing acts twice at one instant without having been told anything.
const SHORTEST_SLEEP: Duration = Duration::from_micros(1);
/// Datagrams that an end may send at one instant, whatever its controller says.
const MOST_AT_ONCE: u64 = 10_000;
