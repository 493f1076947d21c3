//! What the client does on an established connection besides HTTP.

use std::time::{Duration, Instant};

use super::cli::ClientArgs;
use super::moving::Move;
use crate::connection::{
    issue_connection_ids, random_connection_id, random_reset_token, Connection,
};

/// Connection ids, PINGs, an update of the keys, and the address that the server prefers.
pub struct Upkeep {
    ping_interval: Option<Duration>,
    next_ping: Option<Instant>,
    wants_key_update: bool,
    moving: Move,
}

impl Upkeep {
    /// As the options say.
    pub fn new(args: &ClientArgs) -> Self {
        Self {
            ping_interval: args.ping_interval(),
            next_ping: None,
            wants_key_update: args.key_update,
            moving: Move::default(),
        }
    }

    /// Does what is due.
    pub fn advance(&mut self, conn: &mut Connection, now: Instant) {
        issue_connection_ids(conn, random_connection_id, |_| random_reset_token());
        // Refused until the handshake is confirmed.
        if self.wants_key_update && conn.initiate_key_update().is_ok() {
            self.wants_key_update = false;
        }
        self.moving.advance(conn);
        if let Some(interval) = self.ping_interval {
            let due = *self.next_ping.get_or_insert(now + interval);
            if due <= now {
                conn.send_ack_eliciting().ok();
                self.next_ping = Some(now + interval);
            }
        }
    }

    /// When to come again, whatever comes.
    pub fn due(&self) -> Option<Instant> {
        self.next_ping
    }
}
