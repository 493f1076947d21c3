//! A source of bare datagrams in a running simulation.

use quiche_cc_bottleneck::{Ecn, Stream, Time};

use super::outbox::Outbox;
use super::{MOST_AT_ONCE, SHORTEST_SLEEP};
use crate::network::{Parcel, Side};
use crate::scenario::FlowDecl;
use crate::traffic::{source, Demand, Source};

/// A source of bare datagrams.
pub struct UdpFlow {
    id: usize,
    stop: Time,
    datagram: u64,
    pending: u64,
    source: Box<dyn Source>,
}

impl UdpFlow {
    /// The flow `id`, not yet begun.
    pub fn new(id: usize, decl: &FlowDecl, datagram: u16, rng: Stream) -> Self {
        Self {
            id,
            stop: decl.stop,
            datagram: datagram.into(),
            pending: 0,
            source: source(&decl.traffic, decl.start, datagram.into(), rng)
                .expect("scenarios give requests to QUIC flows only"),
        }
    }

    /// Sends what is due. Returns when more is.
    pub fn act(&mut self, now: Time, out: &mut Outbox) -> Option<Time> {
        if now >= self.stop {
            return None;
        }
        while self.source.next().is_some_and(|at| at <= now) {
            match self.source.produce(now, 0) {
                Demand::Bytes(more) => self.pending += more,
                Demand::Silence => self.pending = 0,
                Demand::Endless => {
                    unreachable!("scenarios give endless traffic to QUIC flows only")
                }
            }
        }
        let next = self.source.next();
        for _ in 0..MOST_AT_ONCE {
            // What is left of a transfer is a shorter datagram.
            let size = match self.pending {
                left if left >= self.datagram => self.datagram,
                left if next.is_none() => left,
                _ => 0,
            };
            if size == 0 {
                return next.filter(|at| *at < self.stop);
            }
            self.pending -= size;
            let mut data = out.spare().pop().unwrap_or_default();
            data.resize(size as usize, 0);
            let parcel = Parcel::new(self.id, Side::Client, now, 0, data);
            out.push(parcel, Ecn::NotEct);
        }
        Some(now + SHORTEST_SLEEP)
    }
}
