//! Clients that hold a connection or a response and do nothing, or next to nothing, with it. PINGs
//! keep a connection from being idle (RFC 9000, section 10.1.2) as long as the client likes, so that
//! is no bound.

use std::time::{Duration, Instant};

use super::responses::Responses;
use crate::connection::Connection;

/// What a client has to take of its responses, and to acknowledge when quiche has all of one.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Within this time
    period: Duration,
    /// so many bytes of all of them together.
    enough: u64,
}

impl Patience {
    /// So many bytes per second, over this time; with 0 anything at all is enough.
    pub fn new(period: Duration, least_rate: u64) -> Self {
        let enough = least_rate.saturating_mul(period.as_secs());
        Self { period, enough }
    }

    /// How many bytes of all of them together.
    pub fn enough_of_all(&self) -> u64 {
        self.enough.max(1)
    }

    /// How many bytes of each of so many responses that are under way.
    pub fn enough_of_each(&self, responses: usize) -> u64 {
        (self.enough / responses.max(1) as u64).max(1)
    }
}

/// How long a client may be inactive, and when that is looked at next.
pub struct Stalls {
    limit: Duration,
    started: Instant,
    due: Instant,
}

impl Stalls {
    /// For a connection that begins now.
    pub fn new(patience: Patience) -> Self {
        let (limit, started) = (patience.period, Instant::now());
        Self {
            limit,
            started,
            due: started + limit,
        }
    }

    /// When [`Stalls::check`] has something to do, unless the connection is over.
    pub fn due(&self, conn: &Connection) -> Option<Instant> {
        (!is_ending(conn)).then_some(self.due)
    }

    /// Cuts off the responses of which the client takes or acknowledges too little. Returns true if the
    /// connection, too, has outlived its use: nothing is under way on it, and nothing was for as long.
    pub fn check(
        &mut self,
        conn: &mut Connection,
        responses: &mut Responses,
        now: Instant,
    ) -> bool {
        if now < self.due || is_ending(conn) {
            return false;
        }
        let Some(since) = now.checked_sub(self.limit) else {
            return false;
        };
        let count = responses.cut_off(conn, since);
        if count > 0 {
            log::info!(
                "{} {count} responses cut off: the client took or acknowledged nothing, or too little, of \
                 them for {} s",
                conn.trace_id(),
                self.limit.as_secs()
            );
        }
        self.due = responses.least_recent().unwrap_or(self.started) + self.limit;
        responses.is_idle() && self.due <= now
    }
}

/// Whether it is being closed by either side, or gone.
fn is_ending(conn: &Connection) -> bool {
    conn.local_error().is_some() || conn.is_draining() || conn.is_closed()
}
