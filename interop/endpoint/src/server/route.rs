//! From a datagram to its connection.

use std::collections::HashMap;
use std::net::SocketAddr;

use quiche::ConnectionId;
use slab::Slab;

use super::accept::{decide, Arrival};
use super::peer::Peer;
use super::site::Site;
use crate::connection::{receive, CONNECTION_ID_LENGTH};
use crate::socket::Datagram;

/// Finds the connection of a datagram, or makes one.
pub struct Router<'a> {
    pub site: &'a mut Site,
    pub peers: &'a mut Slab<Peer>,
    pub routes: &'a mut HashMap<Vec<u8>, usize>,
    pub dirty: &'a mut Vec<usize>,
    /// Index of the socket.
    pub index: usize,
    /// Whether new connections are welcome.
    pub accepting: bool,
}

/// A stateless answer: data, source, destination.
pub type Answer = (Vec<u8>, SocketAddr, SocketAddr);

impl Router<'_> {
    /// Hands the datagram to its connection. Returns what is to be answered without one.
    pub fn route(&mut self, datagram: Datagram<'_>) -> Option<Answer> {
        let header = match quiche::Header::from_slice(datagram.data, CONNECTION_ID_LENGTH) {
            Ok(header) => header,
            Err(e) => {
                log::debug!("{} sent what is not QUIC: {e}", datagram.from);
                return None;
            }
        };
        let key = match self.routes.get(header.dcid.as_ref() as &[u8]) {
            Some(key) => *key,
            None => match self.decide(&header, &datagram) {
                Arrival::Answer(data) => return Some((data, datagram.to, datagram.from)),
                Arrival::Ignore(why) => {
                    log::debug!("{} ignored: {why}", datagram.from);
                    return None;
                }
                Arrival::Accept {
                    id,
                    original_id,
                    retried,
                } => self.accept(&id, &original_id, retried, &datagram)?,
            },
        };
        let peer = &mut self.peers[key];
        self.site.chooser.expect(datagram.from.ip());
        if let Err(e) = receive(&mut peer.conn, datagram) {
            log::debug!("{} a packet is not acceptable: {e}", peer.conn.trace_id());
        }
        if let Some(choice) = self.site.chooser.take() {
            choice.record(&mut peer.conn);
            peer.choice = choice;
        }
        mark(self.peers, self.dirty, key);
        None
    }

    fn decide(&self, header: &quiche::Header<'_>, datagram: &Datagram<'_>) -> Arrival {
        if !self.accepting || self.peers.len() >= self.site.max_connections {
            return Arrival::Ignore("no further connections");
        }
        decide(
            header,
            datagram.data.len(),
            datagram.from,
            self.site.tokens.as_ref(),
        )
    }

    fn accept(
        &mut self,
        id: &ConnectionId<'static>,
        original_id: &ConnectionId<'static>,
        retried: bool,
        datagram: &Datagram<'_>,
    ) -> Option<usize> {
        let validated = retried.then_some(original_id);
        let (to, from) = (datagram.to, datagram.from);
        let config = &mut self.site.config;
        let mut conn = match quiche::accept_with_buf_factory(id, validated, to, from, config) {
            Ok(conn) => conn,
            Err(e) => {
                log::warn!("{from} cannot be accepted: {e}");
                return None;
            }
        };
        self.site.observe(&mut conn, original_id);
        let choice = self.site.chooser.fallback();
        let mut peer = Peer::new(conn, self.index, original_id.to_vec(), choice);
        peer.ids.push(id.clone());
        if !retried {
            // Until the client learns our id it uses the one that it made up.
            peer.ids.push(original_id.clone());
        }
        let ids: Vec<Vec<u8>> = peer.ids.iter().map(|id| id.to_vec()).collect();
        let key = self.peers.insert(peer);
        self.routes.extend(ids.into_iter().map(|id| (id, key)));
        Some(key)
    }
}

/// Puts a peer on the list of those that get a turn.
pub fn mark(peers: &mut Slab<Peer>, dirty: &mut Vec<usize>, key: usize) {
    if let Some(peer) = peers.get_mut(key) {
        if !std::mem::replace(&mut peer.dirty, true) {
            dirty.push(key);
        }
    }
}
