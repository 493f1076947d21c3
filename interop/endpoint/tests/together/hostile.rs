//! What strangers may send must not hurt the server.

use std::net::UdpSocket;
use std::time::Duration;

use crate::common::{fetch, figures, initial_packet, sha256_of_object, sum, Server, Talker};

fn stranger() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    socket
}

fn assert_alive(server: &Server) {
    let result = fetch(&["--null", "--hash"], &[server.url("/100000")]);
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_eq!(result.downloads()[0]["sha256"], sha256_of_object(100_000));
}

#[test]
fn garbage_and_truncated_packets_do_no_harm() {
    let server = Server::start(&[]);
    let socket = stranger();
    let send = |data: &[u8]| drop(socket.send_to(data, server.address));
    let initial = initial_packet();
    for length in (0..initial.len()).step_by(7) {
        send(&initial[..length]);
    }
    for bit in (0..initial.len() * 8).step_by(61) {
        let mut damaged = initial.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        send(&damaged);
    }
    for seed in 0..2000u64 {
        let mut garbage = vec![0; (seed as usize * 37) % 1500];
        quiche_cc_endpoint::object::fill(seed * 1_000_003, &mut garbage);
        send(&garbage);
    }
    assert_alive(&server);
    server.stop();
}

#[test]
fn repeated_packets_do_not_destroy_the_trace() {
    let logs = tempfile::tempdir().unwrap();
    let server = Server::start(&["--retry", "--qlog", logs.path().to_str().unwrap()]);
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    client.conn.close(true, 0x100, b"").unwrap();
    client.send();
    // Its trace is written out when the connection is gone.
    let only = || crate::common::traces(logs.path()).pop();
    crate::common::wait_for("the end of the connection", || {
        only().is_some_and(|path| path.metadata().unwrap().len() > 0)
    });
    let path = only().unwrap();
    let complete = || crate::common::read_trace(&path).len();
    let records = complete();
    let trace = std::fs::read(&path).unwrap();
    // The packets with the token come from the right address, so they begin another connection.
    for packet in &client.sent {
        client.socket.send_to(packet, server.address).unwrap();
    }
    assert_alive(&server);
    let events = server.stop();
    assert_eq!(events.len(), 3, "{events:?}");
    assert_eq!(complete(), records);
    assert!(
        std::fs::read(&path).unwrap() == trace,
        "the first trace is as it was"
    );
    assert_eq!(
        crate::common::traces(logs.path()).len(),
        2,
        "one more, of the connection that followed"
    );
}

#[test]
fn an_unknown_version_is_answered_with_the_known_ones() {
    let server = Server::start(&[]);
    let socket = stranger();
    let mut packet = initial_packet();
    packet[1..5].copy_from_slice(&0x5741_4954u32.to_be_bytes());
    socket.send_to(&packet, server.address).unwrap();
    let mut answer = [0; 1500];
    let length = socket.recv(&mut answer).expect("Version Negotiation");
    // RFC 9000, section 17.2.1: version 0, and a list that contains version 1.
    assert_eq!(answer[1..5], [0; 4]);
    let offered = answer[..length]
        .windows(4)
        .any(|v| v == quiche::PROTOCOL_VERSION.to_be_bytes());
    assert!(offered, "{:?}", &answer[..length]);

    socket.send_to(&packet[..1199], server.address).unwrap();
    assert!(
        socket.recv(&mut answer).is_err(),
        "a small packet is not answered"
    );
}

#[test]
fn a_client_that_comes_back_is_spared_the_retry() {
    let server = Server::start(&["--retry", "--metrics", "127.0.0.1:0"]);
    let told = |name: &str| sum(&figures(server.metrics.unwrap()), name);
    let visit = |options: &[&str], count: usize| {
        let urls = vec![server.url("/1000"); count];
        assert_eq!(fetch(&[&["--null"], options].concat(), &urls).code, 0);
        told("cc_server_retries_total")
    };
    let of_one = visit(&[], 1);
    assert!(of_one > 0.0);
    // Two connections, the second with what the first has left.
    assert_eq!(visit(&["--resume"], 2), 2.0 * of_one);
    assert_eq!(told("cc_server_known_clients_total"), 1.0);
}

#[test]
fn a_retry_validates_the_address_and_costs_no_state() {
    let server = Server::start(&["--retry"]);
    let socket = stranger();
    socket.send_to(&initial_packet(), server.address).unwrap();
    let mut answer = [0; 1500];
    let length = socket.recv(&mut answer).expect("Retry");
    let header = quiche::Header::from_slice(&mut answer[..length], 16).unwrap();
    assert_eq!(header.ty, quiche::Type::Retry);
    assert_alive(&server);
    assert_eq!(
        server.stop().len(),
        1,
        "only the real client was a connection"
    );
}

#[test]
fn no_request_leads_out_of_the_root() {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("secret"), "secret").unwrap();
    let root = outer.path().join("www");
    std::fs::create_dir(&root).unwrap();
    std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
    let server = Server::start(&["--root", root.to_str().unwrap()]);
    let paths = [
        "/..%2fsecret",
        "/%2e%2e%2fsecret",
        "/x/..%2f..%2fsecret",
        "/link",
    ];
    let urls = paths.map(|path| server.url(path));
    let result = fetch(&["--null"], &urls);
    assert_eq!(result.code, 1);
    for download in result.downloads() {
        let status = download["status"].as_u64().unwrap();
        assert!(status == 403 || status == 404, "{download}");
        assert_eq!(download["bytes"], 0, "{download}");
    }
}
