//! Whoever only pretends to be at an address draws at most three times what he sends there
//! (RFC 9000, section 8.1), over the whole life of the connection that he leaves half-open.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use crate::common::{first_flight, Server};

/// Time enough for several PTOs, which start at three of `INITIAL_RTT_MS` and double.
const IDLE_TIMEOUT_S: &str = "1";
const INITIAL_RTT_MS: &str = "10";

/// Far more than the idle timeout, after which nothing comes any more.
const LONGEST_LIFE: Duration = Duration::from_millis(2500);

/// What a client that never answers sent and drew, in bytes, and how many datagrams it drew.
struct Exchange {
    sent: usize,
    drawn: usize,
    answers: usize,
}

/// Sends datagrams that are never followed up, and counts what comes back until the connection is
/// gone.
fn leave_half_open(options: &[&str], datagrams: &[Vec<u8>]) -> Exchange {
    let life = [
        "--idle-timeout",
        IDLE_TIMEOUT_S,
        "--initial-rtt",
        INITIAL_RTT_MS,
    ];
    let server = Server::start(&[&life, options].concat());
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for datagram in datagrams {
        socket.send_to(datagram, server.address).unwrap();
    }
    let mut exchange = Exchange {
        sent: datagrams.iter().map(Vec::len).sum(),
        drawn: 0,
        answers: 0,
    };
    let mut count_until = |end: Instant| {
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            let left = left.max(Duration::from_millis(1));
            socket.set_read_timeout(Some(left)).unwrap();
            let mut answer = [0; 65_536];
            if let Ok(length) = socket.recv(&mut answer) {
                exchange.drawn += length;
                exchange.answers += 1;
            }
        }
    };
    count_until(Instant::now() + LONGEST_LIFE);
    server.stop();
    count_until(Instant::now() + Duration::from_millis(100));
    exchange
}

fn assert_bounded(options: &[&str], datagrams: &[Vec<u8>]) {
    let exchange = leave_half_open(options, datagrams);
    let (sent, drawn, answers) = (exchange.sent, exchange.drawn, exchange.answers);
    assert!(
        answers > 0,
        "{options:?}: the server answers what it can read"
    );
    assert!(
        drawn <= 3 * sent,
        "{options:?}: {sent} bytes drew {drawn} in {answers} datagrams"
    );
}

/// A whole ClientHello in one datagram.
fn small_hello() -> Vec<u8> {
    let [only] = &first_flight(Some("X25519"))[..] else {
        panic!("a ClientHello without post-quantum keys fits into one datagram");
    };
    assert_eq!(only.len(), 1200);
    only.clone()
}

#[test]
fn one_initial_draws_at_most_three_times_its_bytes() {
    assert_bounded(&[], &[small_hello()]);
}

#[test]
fn a_larger_datagram_draws_at_most_three_times_its_bytes() {
    let mut large = small_hello();
    // Bytes after the packet are no packet, but were received.
    large.resize(1400, 0);
    assert_bounded(&["--max-datagram-size", "1400"], &[large]);
}

#[test]
fn several_datagrams_draw_at_most_three_times_their_bytes() {
    let flight = first_flight(None);
    assert!(flight.len() > 1, "post-quantum keys need two datagrams");
    assert_bounded(&[], &flight);
    // The first half of a ClientHello; and the same whole one three times.
    assert_bounded(&[], &flight[..1]);
    assert_bounded(&[], &[small_hello(), small_hello(), small_hello()]);
}

#[test]
fn a_retry_and_a_version_negotiation_are_smaller_than_what_draws_them() {
    assert_bounded(&["--retry"], &[small_hello()]);
    let mut unknown = small_hello();
    unknown[1..5].copy_from_slice(&0x5741_4954u32.to_be_bytes());
    assert_bounded(&[], &[unknown]);
}
