//! The protocol above QUIC: HTTP/3 or HTTP/0.9, with the same events.

use quiche::h3;

use super::download::Download;
use super::http09::Http09;
use crate::connection::Connection;
use crate::http09;

/// The client's end of the protocol.
pub enum Http {
    Three(Box<h3::Connection>),
    Nine(Http09),
}

impl Http {
    /// Starts the protocol that the peers agreed on; in early data, the one that they agreed on
    /// before.
    pub fn start(conn: &mut Connection, config: &h3::Config) -> Result<Self, h3::Error> {
        if http09::is_spoken(conn) {
            return Ok(Self::Nine(Http09::default()));
        }
        let http = h3::Connection::with_transport(conn, config)?;
        Ok(Self::Three(Box::new(http)))
    }

    /// Whether a response begins with a status.
    pub fn has_status(&self) -> bool {
        matches!(self, Self::Three(_))
    }

    /// Sends a request. Returns its stream.
    pub fn send_request(
        &mut self,
        conn: &mut Connection,
        download: &Download,
    ) -> Result<u64, h3::Error> {
        match self {
            Self::Three(http) => http.send_request(conn, &download.request_headers(), true),
            Self::Nine(http) => http.send_request(conn, &download.path()),
        }
    }

    /// The next event; [`h3::Error::Done`] if there is none.
    pub fn poll(&mut self, conn: &mut Connection) -> Result<(u64, h3::Event), h3::Error> {
        match self {
            Self::Three(http) => http.poll(conn),
            Self::Nine(http) => http.poll(conn),
        }
    }

    /// Reads the content of a response, after [`h3::Event::Data`] and until an error.
    pub fn recv_body(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        out: &mut [u8],
    ) -> Result<usize, h3::Error> {
        match self {
            Self::Three(http) => http.recv_body(conn, stream, out),
            Self::Nine(http) => http.recv_body(conn, stream, out),
        }
    }
}
