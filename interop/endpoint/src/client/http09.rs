//! The client's side of HTTP/0.9.

use std::collections::{BTreeMap, VecDeque};

use quiche::h3;

use crate::connection::Connection;
use crate::http09::{code, request};

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
            if let Err(e) = self.send_rest(conn, stream) {
                // The server has only part of the request, and so no response to it.
                let code = match e {
                    quiche::Error::StreamStopped(code) => code,
                    _ => code::CANCELLED,
                };
                self.ended.push_back((stream, h3::Event::Reset(code)));
            }
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

    /// A request that fails is given up: the rest of it would fail again.
    fn send_rest(&mut self, conn: &mut Connection, stream: u64) -> quiche::Result<()> {
        let Some(rest) = self.unsent.get_mut(&stream) else {
            return Ok(());
        };
        let sent = match conn.stream_send(stream, rest, true) {
            Err(quiche::Error::Done) => return Ok(()),
            sent => sent.map(|sent| drop(rest.drain(..sent))),
        };
        if sent.is_err() || rest.is_empty() {
            self.unsent.remove(&stream);
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::random_connection_id;
    use crate::http09::ALPN;
    use crate::tls::Credentials;

    fn carry(from: &mut Connection, to: &mut Connection) {
        let mut packet = [0; 1500];
        while let Ok((length, info)) = from.send(&mut packet) {
            let (from, at) = (info.from, info.to);
            let info = quiche::RecvInfo { from, to: at };
            to.recv(&mut packet[..length], info).unwrap();
        }
    }

    /// A client and a server in memory that takes so many bytes of a request.
    fn pair(window: u64) -> (Connection, Connection) {
        let credentials = Credentials::self_signed().unwrap();
        let mut config = credentials.config(|_| ()).unwrap();
        config.set_application_protos(&[ALPN]).unwrap();
        config.verify_peer(false);
        config.set_initial_max_data(10_000);
        config.set_initial_max_streams_bidi(10);
        config.set_initial_max_stream_data_bidi_local(1000);
        config.set_initial_max_stream_data_bidi_remote(window);
        let [near, far] = [1, 2].map(|port| ([127, 0, 0, 1], port).into());
        let (id, to) = (random_connection_id(), random_connection_id());
        let mut client =
            quiche::connect_with_buffer_factory(None, &id, near, far, &mut config).unwrap();
        let mut server =
            quiche::accept_with_buf_factory(&to, None, far, near, &mut config).unwrap();
        for _ in 0..10 {
            carry(&mut client, &mut server);
            carry(&mut server, &mut client);
        }
        assert!(client.is_established());
        (client, server)
    }

    #[test]
    fn a_request_of_which_the_server_wants_no_more_holds_up_no_other() {
        let (mut client, mut server) = pair(16);
        let mut http = Http09::default();
        assert_eq!(http.send_request(&mut client, "/first"), Ok(0));
        let long = "/a-path-longer-than-the-window";
        assert_eq!(http.send_request(&mut client, long), Ok(4));
        assert_eq!(http.poll(&mut client), Err(h3::Error::Done));
        carry(&mut client, &mut server);
        server.stream_send(0, b"body", true).unwrap();
        server
            .stream_shutdown(4, quiche::Shutdown::Read, 7)
            .unwrap();
        carry(&mut server, &mut client);

        assert_eq!(http.poll(&mut client), Ok((4, h3::Event::Reset(7))));
        assert_eq!(http.poll(&mut client), Ok((0, h3::Event::Data)));
        assert_eq!(http.recv_body(&mut client, 0, &mut [0; 10]), Ok(4));
        assert_eq!(http.poll(&mut client), Ok((0, h3::Event::Finished)));
        assert_eq!(http.poll(&mut client), Err(h3::Error::Done));
        assert_eq!(http.send_request(&mut client, "/next"), Ok(8));
    }
}
