//! What the client remembers of a connection, for the next one to the same server.

use std::time::Duration;

use crate::connection::Connection;

/// A TLS session with what was learned about the path.
#[derive(Clone, Debug)]
pub struct Resumption {
    session: Vec<u8>,
    /// Smoothed RTT at the end.
    rtt: Option<Duration>,
}

impl Resumption {
    /// What can be remembered of `conn`; nothing if the server has sent no session ticket.
    pub fn of(conn: &Connection) -> Option<Self> {
        let path = conn.path_stats().find(|path| path.min_rtt.is_some());
        Some(Self {
            session: conn.session()?.to_vec(),
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
        conn.set_session(&self.session)
    }
}
