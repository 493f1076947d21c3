//! How many connections there are, over all workers, and how many there may be.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::crowds::Crowds;

/// The count; clones share it.
#[derive(Clone)]
pub struct Census(Arc<Mutex<Counts>>);

struct Counts {
    limits: Limits,
    all: usize,
    half_open: usize,
    /// Where those come from that are not half-open.
    crowds: Crowds,
}

/// What there may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub connections: usize,
    /// Half-open ones, beyond which clients have to validate their address first.
    pub half_open: usize,
}

/// Whether a client may have a further connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// If its address is validated, or too few are half-open for that to be asked.
    Some { validate: bool },
    /// There are too many of its address or network.
    Crowded,
    /// There are too many.
    None,
}

impl Census {
    /// None yet.
    pub fn new(limits: Limits, crowds: Crowds) -> Self {
        let counts = Counts {
            limits,
            all: 0,
            half_open: 0,
            crowds,
        };
        Self(Arc::new(Mutex::new(counts)))
    }

    /// Whether `client` may have a further one.
    pub fn room_for(&self, client: IpAddr) -> Room {
        let counts = self.lock();
        if !counts.crowds.has_room_for(client) {
            Room::Crowded
        } else if counts.all >= counts.limits.connections {
            Room::None
        } else {
            let validate = counts.half_open >= counts.limits.half_open;
            Room::Some { validate }
        }
    }

    /// How many are half-open: their clients have not shown yet that they are where they claim.
    pub fn half_open(&self) -> usize {
        self.lock().half_open
    }

    /// A connection begins, half-open. False if another worker has taken the last place since
    /// [`Census::room_for`] was asked.
    pub fn begin(&self, validated: bool) -> bool {
        let mut counts = self.lock();
        let strangers_fit = validated || counts.half_open < counts.limits.half_open;
        let fits = counts.all < counts.limits.connections && strangers_fit;
        if fits {
            counts.all += 1;
            counts.half_open += 1;
        }
        fits
    }

    /// The client of a half-open one has shown that it is where it claims. False if there are too
    /// many from there; it counts until it ends all the same.
    pub fn confirm(&self, client: IpAddr) -> bool {
        let mut counts = self.lock();
        counts.half_open -= 1;
        let fits = counts.crowds.has_room_for(client);
        counts.crowds.enter(client);
        fits
    }

    /// A connection has ended, that of `client` unless it was half-open.
    pub fn end(&self, client: Option<IpAddr>) {
        let mut counts = self.lock();
        counts.all -= 1;
        match client {
            Some(client) => counts.crowds.leave(client),
            None => counts.half_open -= 1,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_workers_see_at_a_time_only_one_gets() {
        let client = "192.0.2.1".parse().unwrap();
        let limits = Limits {
            connections: 2,
            half_open: 1,
        };
        let census = Census::new(limits, Crowds::new(1, 1));
        let other = census.clone();
        assert_eq!(other.room_for(client), Room::Some { validate: false });
        assert!(census.begin(false));
        assert!(!other.begin(false), "one may be half-open");
        assert_eq!(other.room_for(client), Room::Some { validate: true });
        assert!(other.begin(true));
        assert_eq!(other.room_for(client), Room::None);
        assert!(census.confirm(client));
        assert_eq!(other.room_for(client), Room::Crowded);
        assert!(!other.confirm(client), "one may be from there");
        assert!(!census.begin(true), "two in all");
        census.end(Some(client));
        other.end(Some(client));
        assert_eq!(census.room_for(client), Room::Some { validate: false });
    }
}
