//! Links and routes: carries parcels from host to host.

use std::time::Duration;

use quiche_cc_bottleneck::{Ecn, Exit, Fate, Link, LossCause, Packet, Time};
use quiche_cc_record::{Ending, Recorder, Row, Writer};

/// The ends of a flow. Data flows from the server to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Sends the data.
    Server,
    /// Receives it.
    Client,
}

impl Side {
    /// The other end.
    pub const fn peer(self) -> Self {
        match self {
            Self::Server => Self::Client,
            Self::Client => Self::Server,
        }
    }
}

/// A datagram on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// The flow that it belongs to.
    pub flow: usize,
    /// The end that it goes to.
    pub to: Side,
    /// When it was sent.
    pub sent: Time,
    /// Time spent in queues so far.
    pub queueing: Duration,
    /// Stream bytes that the sender of this datagram has received in order when it sent it: what a cumulative
    /// acknowledgement would say.
    pub received_in_order: u64,
    /// The UDP payload.
    pub data: Vec<u8>,
    /// Which datagram of the run it is, from 1.
    number: u64,
    hop: usize,
}

impl Parcel {
    /// A datagram that leaves now.
    pub fn new(flow: usize, to: Side, sent: Time, received_in_order: u64, data: Vec<u8>) -> Self {
        Self {
            flow,
            to,
            sent,
            queueing: Duration::ZERO,
            received_in_order,
            data,
            number: 0,
            hop: 0,
        }
    }
}

impl Parcel {
    /// What a router tells flows apart by: the two directions of a flow differ.
    fn identity(&self) -> u64 {
        2 * self.flow as u64 + u64::from(self.to == Side::Server)
    }
}

/// The links, in order, that lead to either end of a flow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// From server to client.
    pub to_client: Vec<usize>,
    /// From client to server.
    pub to_server: Vec<usize>,
}

impl Route {
    fn towards(&self, side: Side) -> &[usize] {
        match side {
            Side::Client => &self.to_client,
            Side::Server => &self.to_server,
        }
    }
}

/// What happened to a parcel at the end of a link.
#[derive(Debug)]
pub enum Arrival {
    /// It went on to this link.
    Forwarded(usize),
    /// It reached its end.
    Delivered(Packet<Parcel>),
    /// It was lost on this link.
    Lost(Packet<Parcel>, LossCause),
}

/// All links and routes.
pub struct Network {
    links: Vec<Link<Parcel>>,
    routes: Vec<Route>,
    /// Datagrams so far.
    sent: u64,
    recorder: Option<Recorder<Writer>>,
}

impl Network {
    /// With one route per flow. Every route has at least one link in each direction. What happens to each packet is told
    /// to `recorder`, if there is one.
    pub fn new(
        links: Vec<Link<Parcel>>,
        routes: Vec<Route>,
        recorder: Option<Recorder<Writer>>,
    ) -> Self {
        Self {
            links,
            routes,
            sent: 0,
            recorder,
        }
    }

    /// The links.
    pub fn links(&self) -> &[Link<Parcel>] {
        &self.links
    }

    /// Lets everything happen on `link` that happens until `now`, so that its statistics are those of `now`.
    pub fn advance(&mut self, link: usize, now: Time) {
        self.links[link].advance(now);
    }

    /// Puts a parcel on its way. `size` is what it occupies on links. Returns the first link.
    pub fn send(&mut self, now: Time, mut parcel: Parcel, size: u32, ecn: Ecn) -> usize {
        self.sent += 1;
        parcel.number = self.sent;
        let first = self.routes[parcel.flow].towards(parcel.to)[0];
        let packet = Packet {
            size,
            ecn,
            flow: parcel.identity(),
            payload: parcel,
        };
        self.hand_over(now, first, packet);
        first
    }

    fn hand_over(&mut self, at: Time, link: usize, packet: Packet<Parcel>) {
        if let Some(recorder) = &mut self.recorder {
            // As the link itself begins with, so a record changes nothing.
            self.links[link].advance(at);
            let parcel = &packet.payload;
            recorder.arrives(Row {
                packet: parcel.number,
                hop: parcel.hop,
                link,
                flow: parcel.flow,
                to: match parcel.to {
                    Side::Client => quiche_cc_record::Side::Client,
                    Side::Server => quiche_cc_record::Side::Server,
                },
                size: packet.size,
                payload: parcel.data.len() as u32,
                arrived: at,
                queued_bytes: self.links[link].backlog().bytes,
                ecn: packet.ecn,
                left: None,
            });
        }
        self.links[link].send(at, packet);
    }

    /// Ends the record, if there is one, at `end`.
    ///
    /// # Errors
    /// It could not be written.
    pub fn finish(self, end: Time) -> Result<(), quiche_cc_record::Error> {
        let ended = |recorder: Recorder<Writer>| {
            recorder.finish().finish(Ending {
                duration_ns: end.as_nanos(),
                ..Ending::default()
            })
        };
        self.recorder.map_or(Ok(()), ended)
    }

    /// When `link` next needs [`receive`](Network::receive).
    pub fn next_event(&self, link: usize) -> Option<Time> {
        self.links[link].next_event()
    }

    /// The next parcel that leaves `link` at or before `now`.
    pub fn receive(&mut self, link: usize, now: Time) -> Option<Arrival> {
        let exit = self.links[link].receive(now)?;
        if let Some(recorder) = &mut self.recorder {
            recorder.leaves(exit.packet.payload.number, exit.at, &exit);
        }
        let Exit {
            at,
            mut packet,
            fate,
            ..
        } = exit;
        let transit = match fate {
            Fate::Lost(cause) => return Some(Arrival::Lost(packet, cause)),
            Fate::Delivered(transit) => transit,
        };
        let parcel = &mut packet.payload;
        parcel.queueing += transit.queueing;
        parcel.hop += 1;
        let route = self.routes[parcel.flow].towards(parcel.to);
        match route.get(parcel.hop) {
            None => Some(Arrival::Delivered(packet)),
            Some(&next) => {
                self.hand_over(at, next, packet);
                Some(Arrival::Forwarded(next))
            }
        }
    }
}
