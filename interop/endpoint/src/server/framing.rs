//! Streams as responses use them, whatever the protocol.

use bytes::Bytes;
use quiche::h3::{self, Header};

use crate::connection::Connection;

/// How a protocol puts responses on streams.
pub trait Framing {
    /// Sends the header section, and with `fin` the end of the stream.
    fn send_head(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        headers: &[Header],
        fin: bool,
    ) -> Result<(), h3::Error>;

    /// Sends as much of `block` as quiche takes, and with `fin` the end of the stream after the last
    /// of it. Returns how much that was.
    fn send_body(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        block: Bytes,
        fin: bool,
    ) -> Result<usize, h3::Error>;

    /// Lets go of a stream that takes no data any more.
    fn forget(&mut self, conn: &mut Connection, stream: u64);
}

impl Framing for h3::Connection {
    fn send_head(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        headers: &[Header],
        fin: bool,
    ) -> Result<(), h3::Error> {
        self.send_response(conn, stream, headers, fin)
    }

    fn send_body(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        mut block: Bytes,
        fin: bool,
    ) -> Result<usize, h3::Error> {
        self.send_body_zc(conn, stream, &mut block, fin)
    }

    fn forget(&mut self, conn: &mut Connection, stream: u64) {
        // It does so by itself when it is refused data.
        self.send_body(conn, stream, b"?", false).ok();
    }
}

/// Bytes that quiche takes of a stream.
pub fn room(conn: &mut Connection, stream: u64) -> quiche::Result<usize> {
    // If it takes none, this question makes it tell the client what holds the stream up (RFC 9000,
    // section 4.1).
    if conn.stream_writable(stream, 1)? {
        conn.stream_capacity(stream)
    } else {
        Ok(0)
    }
}

/// Ends a stream in both directions.
pub fn reset(conn: &mut Connection, stream: u64, code: u64) {
    conn.stream_shutdown(stream, quiche::Shutdown::Write, code)
        .ok();
    conn.stream_shutdown(stream, quiche::Shutdown::Read, code)
        .ok();
}
