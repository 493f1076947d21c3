//! Clients that ask and do not read.

use std::net::SocketAddr;

use quiche::h3::{self, Header};

use super::Talker;

/// A client that asks for `count` objects at `path` and reads none.
pub fn slow_reader(server: SocketAddr, path: &str, count: usize) -> (Talker, h3::Connection) {
    ask_without_reading(Talker::connect(server), path, count)
}

/// The same with a client that there is already.
pub fn ask_without_reading(
    mut client: Talker,
    path: &str,
    count: usize,
) -> (Talker, h3::Connection) {
    client.talk_until("the handshake", quiche::Connection::is_established);
    let config = h3::Config::new().unwrap();
    let mut http = h3::Connection::with_transport(&mut client.conn, &config).unwrap();
    for _ in 0..count {
        http.send_request(&mut client.conn, &request("GET", path), true)
            .unwrap();
    }
    client.send();
    (client, http)
}

/// The fields of a request.
pub fn request(method: &str, path: &str) -> Vec<Header> {
    let fields = [
        (":method", method),
        (":scheme", "https"),
        (":authority", "localhost"),
        (":path", path),
    ];
    let header = |(name, value): (&str, &str)| Header::new(name.as_bytes(), value.as_bytes());
    fields.map(header).to_vec()
}
