//! Clients that cut their data into single bytes (RFC 9000, section 21.7).

use std::thread;
use std::time::Duration;

use crate::common::{ask_without_reading, assert_served, memory, Forger, Server, Talker};

/// The first request stream that is not in use.
const STREAM: u64 = 4;

/// A client with a small request on its first stream.
fn forger(server: &Server) -> Forger {
    Forger::new(ask_without_reading(Talker::connect(server.address), "/1", 1).0)
}

/// Packets that leave at once get lost in the server's socket.
fn send_slowly(forger: &mut Forger, offsets: &[u64]) {
    for some in offsets.chunks(2_000) {
        forger.send_bytes(STREAM, some.iter().copied());
        thread::sleep(Duration::from_millis(5));
    }
}

/// That a client which sends the bytes with these offsets takes little memory, and is not cut off.
fn assert_little_is_kept(offsets: impl Iterator<Item = u64>) {
    let server = Server::start(&[]);
    let mut forger = forger(&server);
    assert_served(&server);
    let before = memory(&server);
    send_slowly(&mut forger, &offsets.collect::<Vec<_>>());
    assert_served(&server);
    let more = memory(&server).saturating_sub(before);
    assert!(more < 2_000_000, "{more} bytes");
    forger.close();
    for event in server.stop() {
        assert_eq!(event["reason"], "closed by the client: no error");
    }
}

#[test]
fn single_bytes_take_little_more_memory_than_their_number() {
    assert_little_is_kept(1..=100_000);
}

#[test]
fn single_bytes_with_gaps_are_not_all_kept() {
    assert_little_is_kept((1..=100_000).step_by(2));
}
