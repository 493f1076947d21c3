//! The client's side of HTTP/0.9.

use std::collections::{BTreeMap, VecDeque};

use quiche::h3;

use crate::connection::Connection;
use crate::http09::request;

/// Requests and what has become of them.
#[derive(Default)]
pub struct Http09 {
    next_stream: u64,
    /// Rests of requests that quiche had no room for.
    unsent: BTreeMap<u64, Vec<u8>>,
    ended: VecDeque<(u64, h3::Event)>,
}

impl Http09 {
    /// Sends a request. Returns its stream.
    pub fn send_request(&mut self, conn: &mut Connection, path: &str) -> Result<u64, h3::Error> {
        // Only then is it certain that the request leaves as soon as the window allows.
        if conn.peer_streams_left_bidi() == 0 || !self.unsent.is_empty() {
            return Err(h3::Error::StreamBlocked);
        }
        let stream = self.next_stream;
        self.next_stream += 4;
        self.unsent.insert(stream, request(path));
        self.send_rest(conn, stream)?;
        Ok(stream)
    }

    /// The next event; [`h3::Error::Done`] if there is none.
    pub fn poll(&mut self, conn: &mut Connection) -> Result<(u64, h3::Event), h3::Error> {
        while let Some(&stream) = self.unsent.keys().next() {
            self.send_rest(conn, stream)?;
            if self.unsent.contains_key(&stream) {
                break;
            }
        }
        if let Some(event) = self.ended.pop_front() {
            return Ok(event);
        }
        match conn.stream_readable_next() {
            Some(stream) => Ok((stream, h3::Event::Data)),
            None => Err(h3::Error::Done),
        }
    }

    /// Reads the content of a response. At its end, [`Http09::poll`] has an event.
    pub fn recv_body(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        out: &mut [u8],
    ) -> Result<usize, h3::Error> {
        match conn.stream_recv(stream, out) {
            Ok((read, fin)) => {
                if fin {
                    self.ended.push_back((stream, h3::Event::Finished));
                }
                Ok(read)
            }
            Err(e) => {
                if let quiche::Error::StreamReset(code) = e {
                    self.ended.push_back((stream, h3::Event::Reset(code)));
                }
                Err(e.into())
            }
        }
    }

    fn send_rest(&mut self, conn: &mut Connection, stream: u64) -> Result<(), h3::Error> {
        let Some(rest) = self.unsent.get_mut(&stream) else {
            return Ok(());
        };
        match conn.stream_send(stream, rest, true) {
            Ok(sent) => drop(rest.drain(..sent)),
            Err(quiche::Error::Done) => return Ok(()),
            Err(e) => return Err(e.into()),
        }
        if rest.is_empty() {
            self.unsent.remove(&stream);
        }
        Ok(())
    }
}
