//! What one client can take from the others is limited, and it is told or the log is.

mod common;

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use common::{
    ask_without_reading, fetch, figures, peak_memory, request, slow_reader, strangers, Server,
    Talker,
};
use quiche::h3::{self, Header};

#[test]
fn when_descriptors_run_out_requests_are_refused_for_now_and_the_log_tells() {
    const DESCRIPTORS: u32 = 40;
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("large"), vec![0; 1 << 20]).unwrap();
    let options = ["--root", root.path().to_str().unwrap()];
    let server = Server::start_with_descriptors(
        DESCRIPTORS,
        &[&options[..], &["--stall-timeout", "1"]].concat(),
    );
    let mut readers: Vec<Talker> = (0..5)
        .map(|_| slow_reader(server.address, "/large", 10).0)
        .collect();
    let file = [server.url("/large")];
    common::wait_for("the shortage", || {
        let refused = fetch(&["--null"], &file);
        refused.downloads()[0]["status"] == 503
    });
    let told = server.await_log("no file descriptors left");
    assert!(told.contains("503"), "{told}");
    // The readers go on with PINGs, but what they do not take is taken from them.
    common::wait_for("descriptors", || {
        readers.iter_mut().for_each(Talker::ping);
        fetch(&["--null"], &file).code == 0
    });
}

#[test]
fn a_client_that_takes_nothing_is_not_kept_by_its_pings() {
    let server = Server::start(&["--stall-timeout", "1", "--idle-timeout", "30"]);
    let (mut reader, _) = slow_reader(server.address, "/10000000", 1);
    let mut silent = Talker::connect(server.address);
    silent.talk_until("the handshake", quiche::Connection::is_established);
    for client in [&mut reader, &mut silent] {
        client.ping_until("the end", |conn| conn.peer_error().is_some());
        let error = client.conn.peer_error().unwrap();
        assert_eq!((error.is_app, error.error_code), (true, 0x100));
        assert_eq!(error.reason, b"nothing was asked for or taken");
    }
    assert_eq!(server.stop().len(), 2);
}

/// Reads at most half a megabyte a second of an object of this size, until it has all of it. Returns
/// the code by which it ended otherwise, and the time that it took.
fn read_slowly(server: &Server, size: usize) -> (Result<(), u64>, Duration) {
    let (mut client, mut http) = slow_reader(server.address, &format!("/{size}"), 1);
    let (start, mut got) = (Instant::now(), 0);
    while got < size {
        assert!(start.elapsed() < Duration::from_secs(20), "{got} bytes");
        client.ping();
        while let Ok((_, event)) = http.poll(&mut client.conn) {
            if let h3::Event::Reset(code) = event {
                return (Err(code), start.elapsed());
            }
        }
        let due = start.elapsed().as_millis() as usize * 500;
        let mut piece = vec![0; due.saturating_sub(got).clamp(1, 8192)];
        got += http.recv_body(&mut client.conn, 0, &mut piece).unwrap_or(0);
        assert!(client.conn.peer_error().is_none(), "{got} bytes");
    }
    (Ok(()), start.elapsed())
}

#[test]
fn a_client_that_takes_a_little_all_the_time_is_not_cut_off() {
    let server = Server::start(&["--stall-timeout", "1"]);
    let (end, took) = read_slowly(&server, 1_000_000);
    assert_eq!(end, Ok(()));
    let enough = Duration::from_millis(1500);
    assert!(took > enough, "it takes longer than the timeout");
}

#[test]
fn a_client_that_takes_less_than_the_least_rate_is_cut_off() {
    let options = ["--stall-timeout", "1", "--min-rate", "1000000"];
    let server = Server::start(&[&options[..], &["--access-log", "-"]].concat());
    let (end, _) = read_slowly(&server, 10_000_000);
    assert_eq!(end, Err(0x10c));
    let events = server.stop();
    let line = events.iter().find(|event| event["event"] == "request");
    assert_eq!(line.unwrap()["end"], "stalled");
}

/// How the request for this object ended, by the access log on standard output.
fn end_of(server: Server, path: &str) -> serde_json::Value {
    let events = server.stop();
    let mut lines = events.iter().filter(|event| event["event"] == "request");
    let line = lines.find(|line| line["path"] == path);
    line.expect("it was asked for")["end"].clone()
}

#[test]
fn what_is_never_acknowledged_is_cut_off_although_more_is_asked_for() {
    let options = ["--stall-timeout", "1", "--drain-timeout", "0"];
    let told_of = ["--metrics", "127.0.0.1:0", "--access-log", "-"];
    let server = Server::start(&[options, told_of].concat());
    // All of it fits into the first window.
    let (mut hog, mut http) = slow_reader(server.address, "/10000", 1);
    let held = || told(&server, "cc_server_response_memory_bytes");
    common::wait_for("what it holds", || held() > 10_000.0);
    common::wait_for("memory", || {
        http.send_request(&mut hog.conn, &request("HEAD", "/1000"), true)
            .unwrap();
        hog.send();
        std::thread::sleep(Duration::from_millis(200));
        held() == 0.0
    });
    assert_eq!(end_of(server, "/10000"), "stalled");
}

#[test]
fn a_client_that_acknowledges_a_little_all_the_time_is_not_cut_off() {
    let server = Server::start(&["--stall-timeout", "2", "--access-log", "-"]);
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    let talk = |client: &mut Talker, time: u64, pause: u64| {
        let end = Instant::now() + Duration::from_millis(time);
        while Instant::now() < end {
            client.receive();
            client.send();
            std::thread::sleep(Duration::from_millis(pause));
        }
    };
    // What else belongs to a handshake does not hold up the response.
    talk(&mut client, 300, 0);
    let (mut client, _) = ask_without_reading(client, "/10000", 1);
    // One packet after the other: all of them take longer than the timeout.
    talk(&mut client, 5000, 300);
    assert_eq!(end_of(server, "/10000"), "delivered");
}

/// What the server tells of this figure.
fn told(server: &Server, name: &str) -> f64 {
    figures(server.metrics.unwrap())[name]
}

#[test]
fn what_a_client_does_not_let_come_takes_no_memory() {
    let server = Server::start(&["--metrics", "127.0.0.1:0"]);
    let (mut reader, _) = slow_reader(server.address, "/10000000", 10);
    reader.ping_until("all that it lets come", |conn| {
        conn.stats().recv_bytes > 900_000
    });
    // All of it is acknowledged, and that is counted once per second.
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(2) {
        reader.ping();
    }
    assert_eq!(told(&server, "cc_server_response_memory_bytes"), 0.0);
    assert!(reader.conn.is_established());
}

#[test]
fn what_a_client_sends_out_of_order_takes_little_memory() {
    let server = Server::start(&[]);
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    let granted = client.conn.peer_transport_params().unwrap();
    assert!(granted.initial_max_data <= 256 << 10);
    assert!(granted.initial_max_stream_data_bidi_remote <= 128 << 10);
}

#[test]
fn clients_that_acknowledge_nothing_take_no_more_than_the_memory_for_responses() {
    const CLIENTS: usize = 60;
    let options = ["--response-memory", "4", "--max-connections", "64"];
    let server = Server::start(&[&options[..], &["--initial-window", "1000"]].concat());
    let mut clients: Vec<Talker> = (0..CLIENTS)
        .map(|_| Talker::connect(server.address))
        .collect();
    for client in &mut clients {
        client.talk_until("the handshake", quiche::Connection::is_established);
    }
    let before = peak_memory(&server);
    // Each lets a megabyte come at once.
    let ask = |client| ask_without_reading(client, "/10000000", 10);
    let _waiting: Vec<_> = clients.into_iter().map(ask).collect();
    assert_eq!(
        fetch(&["--null"], &[server.url("/1000")]).downloads()[0]["status"],
        503
    );
    let grown = peak_memory(&server) - before;
    println!("{} KiB more", grown >> 10);
    // Besides, connections take some memory for requests and responses without bodies.
    assert!(grown < (4 << 20) + CLIENTS as u64 * (96 << 10), "{grown}");
}

#[test]
fn one_that_acknowledges_nothing_takes_the_memory_of_nobody_who_is_served() {
    let memory = ["--response-memory", "1", "--max-connections", "10"];
    let others = ["--initial-window", "1000", "--stall-timeout", "3"];
    let metrics = ["--metrics", "127.0.0.1:0"];
    let server = Server::start_logged(&[&memory[..], &others, &metrics].concat());
    let file = [server.url("/100000")];
    let (mut served, mut http) = slow_reader(server.address, "/2000000", 1);
    // It asks, and never receives.
    let _hog = slow_reader(server.address, "/100000000", 10);
    common::wait_for("the shortage", || {
        let refused = fetch(&["--null"], &file);
        refused.downloads()[0]["status"] == 503
    });
    let mut piece = [0; 65_536];
    common::wait_for("all of what had begun", || {
        served.send();
        served.receive();
        while http.poll(&mut served.conn).is_ok() {}
        while http.recv_body(&mut served.conn, 0, &mut piece).is_ok() {}
        served.conn.stream_finished(0)
    });
    let line = server.await_log("no memory left");
    assert!(line.contains("refused with 503"), "{line}");
    let refused = "cc_server_refused_requests_total{limit=\"memory\"}";
    assert!(told(&server, refused) >= 1.0);
    // What it holds is taken from it.
    common::wait_for("memory", || fetch(&["--null"], &file).code == 0);
}

#[test]
fn an_address_has_no_more_than_its_share_and_others_are_served() {
    ["1", "3"].into_iter().for_each(an_address_has_its_share);
}

fn an_address_has_its_share(workers: &str) {
    let limits = ["--max-per-address", "2", "--max-per-network", "100"];
    let server = Server::start_logged(&[&limits[..], &["--workers", workers]].concat());
    let mut clients: Vec<Talker> = (0..3)
        .map(|_| Talker::connect_from("127.0.0.2", server.address))
        .collect();
    // All begin before the server can know that one of them is one too many.
    clients.iter_mut().for_each(Talker::send);
    for client in &mut clients[..2] {
        client.talk_until("the handshake", quiche::Connection::is_established);
    }
    for client in &mut clients {
        (0..5).for_each(|_| client.ping());
    }
    clients[2].ping_until("the refusal", |conn| conn.peer_error().is_some());
    let error = clients[2].conn.peer_error().unwrap();
    assert_eq!((error.is_app, error.error_code), (false, 0x2));
    let mut late = Talker::connect_from("127.0.0.2", server.address);
    late.ping();
    let other = fetch(&["--null"], &[server.url("/1000")]);
    assert_eq!(other.code, 0, "{}", other.summary);
    assert!(!late.conn.is_established());
    let [.., crowded] = strangers(&server.stop_raw().0);
    assert!(crowded > 0);
}

#[test]
fn a_packet_of_an_unknown_connection_is_reset_by_any_server_with_the_secret() {
    ["1", "3"]
        .into_iter()
        .for_each(an_unknown_connection_is_reset);
}

fn an_unknown_connection_is_reset(workers: &str) {
    let directory = tempfile::tempdir().unwrap();
    let secret = directory.path().join("secret");
    std::fs::write(&secret, [9; 32]).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&secret, mode).unwrap();
    let options = ["--secret", secret.to_str().unwrap(), "--workers", workers];
    let mut server = Server::start(&options);
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    let address = server.address.to_string();
    server.kill();
    drop(server);
    let _second = Server::start_on(&address, &options);
    client.ping_until("the reset", quiche::Connection::is_closed);
    assert!(!client.conn.is_timed_out(), "it was told");
}

#[test]
fn a_small_packet_draws_nothing() {
    let server = Server::start(&[]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let mut answer = [0; 1500];
    for (size, drawn) in [(21, false), (22, true), (60, true)] {
        socket.send_to(&vec![0x40; size], server.address).unwrap();
        let length = socket.recv(&mut answer);
        assert_eq!(
            length.as_ref().is_ok_and(|length| *length < size),
            drawn,
            "{length:?}"
        );
    }
}

/// The status that a POST gets, sent before or after the handshake of a resumed connection.
fn status_of_post(server: &Server, session: &[u8], early: bool) -> Header {
    let mut client = Talker::connect(server.address);
    client.conn.set_session(session).unwrap();
    if !early {
        client.talk_until("the handshake", quiche::Connection::is_established);
    }
    client.send();
    assert_eq!(client.conn.is_in_early_data(), early);
    let config = h3::Config::new().unwrap();
    let mut http = h3::Connection::with_transport(&mut client.conn, &config).unwrap();
    http.send_request(&mut client.conn, &request("POST", "/1000"), true)
        .unwrap();
    loop {
        client.send();
        if let Ok((_, h3::Event::Headers { list, .. })) = http.poll(&mut client.conn) {
            return list[0].clone();
        }
        client.receive();
    }
}

#[test]
fn what_is_not_safe_is_too_early_in_early_data() {
    let server = Server::start(&["--early-data"]);
    let mut first = Talker::connect(server.address);
    first.talk_until("a ticket", |conn| conn.session().is_some());
    let session = first.conn.session().unwrap().to_vec();
    let status = |text: &str| Header::new(b":status", text.as_bytes());
    // A request that has to be sent again may come only when it is not early any more.
    let met = (0..20).any(|_| status_of_post(&server, &session, true) == status("425"));
    assert!(met, "no early request was too early");
    assert_eq!(status_of_post(&server, &session, false), status("405"));
}

#[test]
fn validated_clients_fill_no_more_than_the_limit() {
    ["1", "3"].into_iter().for_each(filled_by_validated_clients);
}

fn filled_by_validated_clients(workers: &str) {
    let server = Server::start(&["--max-connections", "2", "--workers", workers]);
    let mut clients: Vec<common::Talker> = (0..2)
        .map(|_| common::Talker::connect(server.address))
        .collect();
    for client in &mut clients {
        client.talk_until("the handshake", quiche::Connection::is_established);
    }
    let late = fetch(
        &["--null", "--connect-timeout", "1"],
        &[server.url("/1000")],
    );
    assert_eq!(late.code, 3, "{}", late.summary);
    assert_eq!(server.stop().len(), 2);
}
