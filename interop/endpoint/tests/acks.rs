//! What many downloads send back is read in time. In a file of its own, since it loads the machine.

mod common;

use std::net::SocketAddr;

use common::{fetched, spawn_client, Server};

/// Datagrams for which the socket at this address had no room.
fn dropped(address: SocketAddr) -> u64 {
    let table = std::fs::read_to_string("/proc/net/udp").unwrap();
    let port = format!(":{:04X}", address.port());
    let mut rows = table
        .lines()
        .map(|row| row.split_whitespace().collect::<Vec<_>>());
    let row = rows
        .find(|row| row[1].ends_with(&port))
        .expect("the socket");
    row.last().unwrap().parse().unwrap()
}

#[test]
fn acks_of_many_downloads_are_read_and_not_lost_at_the_server() {
    const CLIENTS: usize = 60;
    let server = Server::start(&["--cc", "hybrid"]);
    let url = [server.url("/2000000")];
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| spawn_client(&["--insecure", "--null"], &url))
        .collect();
    for client in clients {
        assert_eq!(fetched(client).code, 0);
    }
    let lost = dropped(server.address);
    let received: u64 = server
        .stop()
        .iter()
        .map(|event| event["packets_received"].as_u64().unwrap())
        .sum();
    assert!(lost * 20 <= received, "{lost} lost, {received} received");
}
