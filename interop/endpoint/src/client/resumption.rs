//! What the client remembers of a connection, for the next one to the same server.

use std::time::Duration;

use crate::connection::Connection;

/// A TLS session with what was learned about the path, and what validates the client's address.
#[derive(Clone, Debug)]
pub struct Resumption {
    session: Vec<u8>,
    /// Of a NEW_TOKEN frame, for one connection (RFC 9000, section 8.1.3).
    token: Option<Vec<u8>>,
    /// Smoothed RTT at the end.
    rtt: Option<Duration>,
}

impl Resumption {
    /// What can be remembered of `conn`; nothing if the server has sent no session ticket.
    pub fn of(conn: &mut Connection) -> Option<Self> {
        let path = conn.path_stats().find(|path| path.min_rtt.is_some());
        Some(Self {
            session: conn.session()?.to_vec(),
            token: conn.take_new_token(),
            rtt: path.map(|path| path.rtt),
        })
    }

    /// To be called before the connection is made. RFC 9002, section 6.2.2: a resumed connection
    /// may begin with the last RTT. With the usual assumption early data would be paced so slowly
    /// that most of it came too late to be early.
    pub fn prepare(&self, config: &mut quiche::Config) {
        if let Some(rtt) = self.rtt {
            config.set_initial_rtt(rtt);
        }
    }

    /// To be called before the first packet.
    pub fn resume(&self, conn: &mut Connection) -> quiche::Result<()> {
        conn.set_session(&self.session)?;
        self.token
            .as_ref()
            .map_or(Ok(()), |token| conn.set_token(token))
    }
}
