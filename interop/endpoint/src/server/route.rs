//! From a datagram to its connection.

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use quiche::ConnectionId;

use super::accept::{decide, Arrival, Proof};
use super::census::Room;
use super::peer::Peer;
use super::peers::Peers;
use super::site::Site;
use crate::connection::{receive, Connection, CONNECTION_ID_LENGTH};
use crate::socket::Datagram;

/// Finds the connection of a datagram, or makes one.
pub struct Router<'a> {
    pub site: &'a mut Site,
    pub peers: &'a mut Peers,
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
        let key = match self.peers.find(&header.dcid) {
            Some(key) => key,
            // To answer would end another worker's connection.
            None if !self.site.ids.are_mine(&header.dcid) => {
                self.site.on_misdirected();
                return None;
            }
            None => match self.decide(&header, &datagram) {
                Arrival::Retry(data) | Arrival::Negotiate(data) | Arrival::Reset(data) => {
                    return Some((data, datagram.to, datagram.from));
                }
                Arrival::Ignore(why) => {
                    log::debug!("{} ignored: {why}", datagram.from);
                    return None;
                }
                Arrival::Accept {
                    id,
                    original_id,
                    proof,
                } => self.accept(&id, &original_id, proof, &datagram)?,
            },
        };
        self.deliver(key, datagram);
        None
    }

    /// Hands the datagram to this connection.
    fn deliver(&mut self, key: usize, datagram: Datagram<'_>) {
        let Some(peer) = self.peers.get_mut(key) else {
            return;
        };
        self.site.chooser.expect(datagram.from.ip(), peer.draw);
        let at = datagram.to;
        if let Err(e) = receive(&mut peer.conn, datagram) {
            log::debug!("{} a packet is not acceptable: {e}", peer.conn.trace_id());
        }
        peer.follow(self.index, at);
        if let Some(choice) = self.site.chooser.take() {
            choice.record(&mut peer.conn);
            peer.choice = choice;
        }
        self.peers.confirm(key);
        self.peers.mark(key);
    }

    fn decide(&mut self, header: &quiche::Header<'_>, datagram: &Datagram<'_>) -> Arrival {
        if header.ty == quiche::Type::Short {
            let (size, now) = (datagram.data.len(), Instant::now());
            let reset = self.site.resets.answer(&header.dcid, size, now);
            return reset.map_or(Arrival::Ignore("packet of an unknown connection"), |data| {
                Arrival::Reset(data)
            });
        }
        if !self.accepting {
            return Arrival::Ignore("the server is stopping");
        }
        let validate = match self.site.commons.census.room_for(datagram.from.ip()) {
            Room::Some { validate } => validate,
            Room::Crowded => {
                self.site.strangers.on_crowded();
                return Arrival::Ignore("too many connections from this address or network");
            }
            Room::None => {
                self.site.strangers.on_refused();
                return Arrival::Ignore("no further connections");
            }
        };
        let (size, from) = (datagram.data.len(), datagram.from);
        let arrival = decide(
            header,
            size,
            from,
            &self.site.tokens,
            &self.site.ids,
            validate,
        );
        if matches!(arrival, Arrival::Retry(_)) {
            self.site.strangers.on_retry();
        }
        arrival
    }

    fn accept(
        &mut self,
        id: &ConnectionId<'static>,
        original_id: &ConnectionId<'static>,
        proof: Proof,
        datagram: &Datagram<'_>,
    ) -> Option<usize> {
        let (to, client) = (datagram.to, datagram.from.ip());
        let mut conn = self.connect(id, original_id, proof, datagram)?;
        let site = &*self.site;
        let offered = site.preferred.offer(&mut conn, to, &site.ids, &site.resets);
        let records = self.site.observe(&mut conn, original_id);
        let choice = self.site.chooser.fallback();
        let mut peer = Peer::new(
            conn,
            client,
            self.index,
            original_id.to_vec(),
            choice,
            records,
            &self.site.bounds,
        );
        peer.ids.push(id.clone());
        peer.ids.extend(offered);
        if proof != Proof::Retry {
            // Until the client learns our id it uses the one that it made up.
            peer.ids.push(original_id.clone());
        }
        let key = self.peers.insert(peer, proof != Proof::None)?;
        // A token has proved the address already.
        self.peers.confirm(key);
        Some(key)
    }

    /// quiche's part of a new connection.
    fn connect(
        &mut self,
        id: &ConnectionId<'static>,
        original_id: &ConnectionId<'static>,
        proof: Proof,
        datagram: &Datagram<'_>,
    ) -> Option<Connection> {
        let validated = (proof == Proof::Retry).then_some(original_id);
        let (to, from) = (datagram.to, datagram.from);
        let config = &mut self.site.config;
        let reset_token = self.site.resets.token(id);
        config.set_stateless_reset_token(Some(u128::from_be_bytes(reset_token)));
        let mut conn = match quiche::accept_with_buf_factory(id, validated, to, from, config) {
            Ok(conn) => conn,
            Err(e) => {
                log::warn!("{from} cannot be accepted: {e}");
                return None;
            }
        };
        if let Err(e) = self.validate_addresses(&mut conn, from.ip(), proof) {
            log::warn!("{from} is not spared a Retry, now or later: {e}");
        }
        Some(conn)
    }

    /// Of a new connection, and of the client's next one: a token for it leaves when the handshake is
    /// complete.
    fn validate_addresses(
        &mut self,
        conn: &mut Connection,
        client: IpAddr,
        proof: Proof,
    ) -> quiche::Result<()> {
        conn.send_new_token(&self.site.tokens.new_token(client))?;
        if proof == Proof::NewToken {
            self.site.strangers.on_known();
            conn.set_peer_address_verified()?;
        }
        Ok(())
    }
}
