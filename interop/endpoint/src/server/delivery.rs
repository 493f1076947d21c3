//! Responses that quiche has completely, until the client has acknowledged them.

use std::collections::HashMap;
use std::time::Instant;

use crate::connection::Connection;

/// Those of one connection.
#[derive(Default)]
pub struct Delivery(HashMap<u64, OnTheWay>);

struct OnTheWay {
    /// Bytes of the body.
    size: u64,
    /// When the client had last acknowledged enough, and how much that was on the whole connection:
    /// quiche tells it of no stream.
    progress: Instant,
    acknowledged: u64,
}

/// What became of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    /// The client wants no more of it.
    Cancelled,
}

impl Delivery {
    /// quiche has just taken the last of a response with so many bytes of body.
    pub fn begin(&mut self, conn: &Connection, stream: u64, size: u64, now: Instant) {
        let on_the_way = OnTheWay {
            size,
            progress: now,
            acknowledged: conn.stats().acked_bytes,
        };
        self.0.insert(stream, on_the_way);
    }

    /// Takes out what is not on the way any more, with the size of the body. For all others the
    /// client has made progress if it has acknowledged `enough` bytes.
    pub fn follow(
        &mut self,
        conn: &mut Connection,
        enough: u64,
        now: Instant,
    ) -> Vec<(u64, Outcome, u64)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let acknowledged = conn.stats().acked_bytes;
        let mut over = Vec::new();
        self.0.retain(|stream, response| {
            if let Some(outcome) = outcome_of(*stream, conn) {
                over.push((*stream, outcome, response.size));
                return false;
            }
            if acknowledged - response.acknowledged >= enough {
                (response.progress, response.acknowledged) = (now, acknowledged);
            }
            true
        });
        over
    }

    /// Those without progress since `since`.
    pub fn stalled(&self, since: Instant) -> impl Iterator<Item = u64> + '_ {
        let all = self.0.iter();
        all.filter_map(move |(stream, response)| (response.progress <= since).then_some(*stream))
    }

    /// Takes one out, and returns the size of its body.
    pub fn remove(&mut self, stream: u64) -> Option<u64> {
        self.0.remove(&stream).map(|response| response.size)
    }

    /// The size of the body of one that is on the way.
    pub fn size(&self, stream: u64) -> Option<u64> {
        self.0.get(&stream).map(|response| response.size)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When there was progress, of the one for which that is the longest ago.
    pub fn least_recent(&self) -> Option<Instant> {
        self.0.values().map(|response| response.progress).min()
    }
}

/// Nothing while it is on the way. A stream that is delivered, its end included, is forgotten by
/// quiche.
fn outcome_of(stream: u64, conn: &mut Connection) -> Option<Outcome> {
    match conn.stream_capacity(stream) {
        Err(quiche::Error::InvalidStreamState(_)) => Some(Outcome::Delivered),
        Err(_) => Some(Outcome::Cancelled),
        Ok(_) => None,
    }
}
