//! What leaves an end at one instant.

use std::collections::VecDeque;

use quiche_cc_bottleneck::Ecn;

use crate::network::Parcel;

/// Datagrams on their way from an end to the network, and the buffers of those that are done.
#[derive(Default)]
pub struct Outbox {
    parcels: VecDeque<(Parcel, Ecn)>,
    spare: Vec<Vec<u8>>,
}

impl Outbox {
    /// The next datagram.
    pub fn next(&mut self) -> Option<(Parcel, Ecn)> {
        self.parcels.pop_front()
    }

    /// Takes a datagram.
    pub fn push(&mut self, parcel: Parcel, ecn: Ecn) {
        self.parcels.push_back((parcel, ecn));
    }

    /// Buffers for new datagrams.
    pub fn spare(&mut self) -> &mut Vec<Vec<u8>> {
        &mut self.spare
    }

    /// Takes a buffer back.
    pub fn recycle(&mut self, data: Vec<u8>) {
        self.spare.push(data);
    }
}
