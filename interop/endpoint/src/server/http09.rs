//! The server's side of HTTP/0.9.

use std::collections::HashMap;

use bytes::Bytes;
use quiche::h3::{self, Header};

use super::framing::{reset, Framing};
use crate::connection::Connection;
use crate::http09::{code, MAX_REQUEST};

/// Requests that have not arrived completely.
#[derive(Default)]
pub struct Http09 {
    partial: HashMap<u64, Vec<u8>>,
}

impl Http09 {
    /// Reads what has arrived. Returns the requests that are complete, with their streams.
    pub fn poll(&mut self, conn: &mut Connection) -> Vec<(u64, Vec<u8>)> {
        let mut complete = Vec::new();
        while let Some(stream) = conn.stream_readable_next() {
            if let Some(request) = self.read(conn, stream) {
                complete.push((stream, request));
            }
        }
        complete
    }

    fn read(&mut self, conn: &mut Connection, stream: u64) -> Option<Vec<u8>> {
        let mut buffer = [0; 1024];
        loop {
            match conn.stream_recv(stream, &mut buffer) {
                Ok((read, fin)) => {
                    let request = self.partial.entry(stream).or_default();
                    request.extend_from_slice(&buffer[..read]);
                    let too_long = request.len() > MAX_REQUEST;
                    // Clients have nothing to say on unidirectional streams.
                    if too_long || !stream.is_multiple_of(4) {
                        self.partial.remove(&stream);
                        reset(conn, stream, code::BAD_REQUEST);
                        return None;
                    }
                    if fin {
                        return self.partial.remove(&stream);
                    }
                }
                Err(quiche::Error::Done) => return None,
                Err(_) => {
                    // Reset by the client.
                    self.partial.remove(&stream);
                    return None;
                }
            }
        }
    }
}

impl Framing for Http09 {
    fn send_head(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        _headers: &[Header],
        fin: bool,
    ) -> Result<(), h3::Error> {
        if fin {
            conn.stream_send(stream, b"", true)?;
        }
        Ok(())
    }

    fn send_body(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        block: Bytes,
        fin: bool,
    ) -> Result<usize, h3::Error> {
        let room = conn.stream_capacity(stream)?;
        if room == 0 && !block.is_empty() {
            return Err(h3::Error::Done);
        }
        let part = block.slice(..block.len().min(room));
        let fin = fin && part.len() == block.len();
        let (sent, _) = conn.stream_send_zc(stream, part, fin)?;
        Ok(sent)
    }

    fn forget(&mut self, _conn: &mut Connection, _stream: u64) {}
}
