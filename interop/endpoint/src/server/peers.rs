//! All connections of the server, and how a datagram finds its own.

use std::collections::HashMap;

use slab::Slab;

use super::census::Census;
use super::peer::Peer;
use super::resets::Resets;
use crate::steering::Ids;

/// The connections.
pub struct Peers {
    all: Slab<Peer>,
    /// Connection ids in use, with the peer they lead to.
    routes: HashMap<Vec<u8>, usize>,
    marked: Vec<usize>,
    /// Counts them with those of other workers.
    census: Census,
}

impl Peers {
    /// None yet, and no more than `census` permits.
    pub fn new(census: Census) -> Self {
        Self {
            all: Slab::new(),
            routes: HashMap::new(),
            marked: Vec::new(),
            census,
        }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
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

    /// Adds one that is half-open, unless another worker has just taken its place. A client that has
    /// a token is `validated`, and confirmed next.
    pub fn insert(&mut self, peer: Peer, validated: bool) -> Option<usize> {
        if !self.census.begin(validated) {
            return None;
        }
        let ids: Vec<Vec<u8>> = peer.ids.iter().map(|id| id.to_vec()).collect();
        let key = self.all.insert(peer);
        self.routes.extend(ids.into_iter().map(|id| (id, key)));
        Some(key)
    }

    pub fn remove(&mut self, key: usize) -> Peer {
        let peer = self.all.remove(key);
        let counted = (!peer.is_half_open()).then_some(peer.client);
        self.census.end(counted);
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
        if !self.census.confirm(peer.client) {
            peer.refuse(b"too many connections from this address");
        }
    }

    /// Follows a peer's changes of its connection ids.
    pub fn update_ids(&mut self, key: usize, ids: &Ids, resets: &mut Resets) {
        let Some(peer) = self.all.get_mut(key) else {
            return;
        };
        let (issued, retired) = peer.change_ids(ids, resets);
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
            if !std::mem::replace(&mut peer.marked, true) {
                self.marked.push(key);
            }
        }
    }

    /// The same with all peers that `belongs` says.
    pub fn mark_where(&mut self, belongs: impl Fn(&Peer) -> bool) {
        for (key, peer) in &mut self.all {
            if belongs(peer) && !std::mem::replace(&mut peer.marked, true) {
                self.marked.push(key);
            }
        }
    }

    /// Takes the list of those that get a turn.
    pub fn take_marked(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.marked)
    }
}
