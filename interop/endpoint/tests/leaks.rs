//! Many connections, one after another, leave nothing behind.

mod common;

use std::net::UdpSocket;
use std::thread;
use std::time::Duration;

use common::{ask_without_reading, initial_packet, memory, open_files, Server, Talker};

/// Memory that one more connection may cost for good, in bytes: a hundredth of what it has while it is there.
const MOST_PER_CONNECTION: u64 = 1024;

/// What an allocator may take or keep meanwhile, in bytes.
const SLACK: u64 = 2 << 20;

/// Connections of all kinds: such that end as they should, such that stop in the middle of a response, and
/// such that only begin. They are gone when it returns.
fn churn(server: &Server, connections: usize) {
    let stranger = UdpSocket::bind("127.3.0.2:0").unwrap();
    for number in 0..connections {
        let local = format!("127.4.{}.2", number % 200);
        match number % 4 {
            3 => drop(stranger.send_to(&initial_packet(), server.address)),
            kind => {
                let client = Talker::connect_from(&local, server.address);
                let path = ["/1000", "/20000", "/100000000"][kind];
                let (mut client, _) = ask_without_reading(client, path, 1);
                if kind < 2 {
                    let stream = 0;
                    client.talk_until("the answer", |conn| conn.stream_readable(stream));
                    client.conn.close(true, 0x100, b"").unwrap();
                    client.send();
                }
            }
        }
    }
    // The idle timeout ends those that have stopped.
    thread::sleep(Duration::from_secs(3));
}

fn nothing_is_left_of(connections: usize) {
    let root = tempfile::tempdir().unwrap();
    let traces = root.path().join("traces");
    let options = [
        "--idle-timeout",
        "1",
        "--max-connections",
        "10000",
        "--cc",
        "hybrid",
        "--qlog",
        traces.to_str().unwrap(),
        "--qlog-share",
        "1%",
    ];
    let server = Server::start(&options);
    // Twice: only then the allocator has what it will keep.
    churn(&server, connections);
    churn(&server, connections);
    let (before, files) = (memory(&server), open_files(&server));
    churn(&server, connections);
    let (after, more) = (memory(&server), open_files(&server));
    println!(
        "measured: {connections} connections: {} KiB, {} more after as many again: {} KiB, descriptors {files} and {more}",
        before >> 10,
        connections,
        after >> 10,
    );
    assert!(more <= files, "{files} descriptors before, {more} after");
    let bound = before + SLACK + connections as u64 * MOST_PER_CONNECTION;
    assert!(after <= bound, "{before} bytes before, {after} after");
}

#[test]
fn nothing_is_left_of_400_connections() {
    nothing_is_left_of(400);
}

#[test]
#[ignore = "nightly"]
fn nothing_is_left_of_2000_connections() {
    nothing_is_left_of(2000);
}
