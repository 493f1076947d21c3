//! All connections of the server, and how a datagram finds its own.

use std::collections::HashMap;
use std::net::IpAddr;

use slab::Slab;

use super::crowds::Crowds;
use super::peer::Peer;
use super::resets::Resets;

/// The connections.
pub struct Peers {
    all: Slab<Peer>,
    /// Connection ids in use, with the peer they lead to.
    routes: HashMap<Vec<u8>, usize>,
    dirty: Vec<usize>,
    half_open: usize,
    /// Where those come from that are not half-open.
    crowds: Crowds,
}

impl Peers {
    /// None yet, and no more than `crowds` permits.
    pub fn new(crowds: Crowds) -> Self {
        Self {
            all: Slab::new(),
            routes: HashMap::new(),
            dirty: Vec::new(),
            half_open: 0,
            crowds,
        }
    }

    /// Whether a client may have a further connection.
    pub fn has_room_for(&self, client: IpAddr) -> bool {
        self.crowds.has_room_for(client)
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many are half-open: their clients have not shown yet that they are where they claim.
    pub fn half_open(&self) -> usize {
        self.half_open
    }

    /// The connection with this id.
    pub fn find(&self, id: &[u8]) -> Option<usize> {
        self.routes.get(id).copied()
    }

    pub fn get_mut(&mut self, key: usize) -> Option<&mut Peer> {
        self.all.get_mut(key)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Peer> {
        self.all.iter_mut().map(|(_, peer)| peer)
    }

    pub fn insert(&mut self, peer: Peer) -> usize {
        let ids: Vec<Vec<u8>> = peer.ids.iter().map(|id| id.to_vec()).collect();
        self.half_open += usize::from(peer.is_half_open());
        let key = self.all.insert(peer);
        self.routes.extend(ids.into_iter().map(|id| (id, key)));
        key
    }

    pub fn remove(&mut self, key: usize) -> Peer {
        let peer = self.all.remove(key);
        if peer.is_half_open() {
            self.half_open -= 1;
        } else {
            self.crowds.leave(peer.client);
        }
        for id in &peer.ids {
            self.routes.remove(id.as_ref() as &[u8]);
        }
        peer
    }

    /// To be called after a peer was heard of, which may have been the proof of its address.
    pub fn confirm(&mut self, key: usize) {
        let Some(peer) = self.all.get_mut(key).filter(|peer| peer.is_half_open()) else {
            return;
        };
        if !peer.confirm() {
            return;
        }
        self.half_open -= 1;
        if !self.crowds.has_room_for(peer.client) {
            peer.refuse(b"too many connections from this address");
        }
        self.crowds.enter(peer.client);
    }

    /// Follows a peer's changes of its connection ids.
    pub fn update_ids(&mut self, key: usize, resets: &mut Resets) {
        let Some(peer) = self.all.get_mut(key) else {
            return;
        };
        let (issued, retired) = peer.change_ids(resets);
        for id in issued {
            self.routes.insert(id.to_vec(), key);
        }
        for id in retired {
            self.routes.remove(&id);
            resets.on_retired(id);
        }
    }

    /// Puts a peer on the list of those that get a turn.
    pub fn mark(&mut self, key: usize) {
        if let Some(peer) = self.all.get_mut(key) {
            if !std::mem::replace(&mut peer.dirty, true) {
                self.dirty.push(key);
            }
        }
    }

    /// The same with all peers that `belongs` says.
    pub fn mark_where(&mut self, belongs: impl Fn(&Peer) -> bool) {
        for (key, peer) in &mut self.all {
            if belongs(peer) && !std::mem::replace(&mut peer.dirty, true) {
                self.dirty.push(key);
            }
        }
    }

    /// Takes the list of those that get a turn.
    pub fn take_marked(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.dirty)
    }
}
