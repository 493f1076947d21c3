//! A handshake in memory, before anybody else has to try.

use std::net::{Ipv4Addr, SocketAddr};

use crate::connection::{close_reason, random_connection_id, Connection};

/// Far more turns than the longest certificate chain takes.
const MOST_TURNS: usize = 100;

/// Lets a client that offers what quiche offers connect to a server with this configuration. Fails
/// with the reason why it cannot.
pub fn rehearse(server: &mut quiche::Config, protocols: &[&[u8]]) -> Result<(), String> {
    let said = |e: quiche::Error| e.to_string();
    let mut config = quiche::Config::new(quiche::PROTOCOL_VERSION).map_err(said)?;
    config.set_application_protos(protocols).map_err(said)?;
    config.verify_peer(false);
    let [near, far] = [1, 2].map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let (id, to) = (random_connection_id(), random_connection_id());
    let mut client =
        quiche::connect_with_buffer_factory(None, &id, near, far, &mut config).map_err(said)?;
    let mut server = quiche::accept_with_buf_factory(&to, None, far, near, server).map_err(said)?;
    for _ in 0..MOST_TURNS {
        carry(&mut client, &mut server);
        carry(&mut server, &mut client);
        if client.is_established() && server.is_established() {
            return Ok(());
        }
        if let Some(error) = server.local_error().or(server.peer_error()) {
            return Err(close_reason(error));
        }
    }
    Err("it does not come to an end".to_owned())
}

fn carry(from: &mut Connection, to: &mut Connection) {
    let mut packet = [0; 1500];
    while let Ok((length, info)) = from.send(&mut packet) {
        let info = quiche::RecvInfo {
            from: info.from,
            to: info.to,
        };
        // What is not acceptable shows in the connection's error.
        let _ = to.recv(&mut packet[..length], info);
    }
}
