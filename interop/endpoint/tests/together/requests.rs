//! Requests that end before they are complete.

use crate::common::{assert_served, memory, Server, Talker};

/// Opens so many streams with the beginning of a HEADERS frame of 4096 bytes and nothing more.
fn ask_in_part(client: &mut Talker, first: u64, count: u64) {
    for stream in (first..).step_by(4).take(count as usize) {
        client.talk_until("another stream", |conn| conn.peer_streams_left_bidi() > 0);
        client
            .conn
            .stream_send(stream, &[0x01, 0x50, 0x00], true)
            .unwrap();
        client.send();
        let ended: Vec<u64> = client.conn.readable().collect();
        for stream in ended {
            let _ = client.conn.stream_recv(stream, &mut [0; 100]);
        }
    }
}

#[test]
fn those_that_end_in_the_middle_leave_nothing() {
    const STREAMS: u64 = 2_000;
    let server = Server::start(&[]);
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    ask_in_part(&mut client, 0, STREAMS);
    assert_served(&server);
    let before = memory(&server);
    ask_in_part(&mut client, 4 * STREAMS, STREAMS);
    assert_served(&server);
    let more = memory(&server).saturating_sub(before);
    assert!(more < 2_000_000, "{more} bytes for {STREAMS} streams");
}
