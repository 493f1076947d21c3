//! ECN end to end (RFC 9000, section 13.4): what the controller asks for is in the IP headers, the
//! peer counts it, and the sender's trace shows the peer's counts and what follows from them.

#[path = "../common/fixed_sender.rs"]
mod fixed_sender;

use std::os::fd::AsFd;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use fixed_sender::FixedSender;
use quiche::congestion_control::{register, Bandwidth, BurstAllowance};
use quiche_cc_endpoint::connection::{random_connection_id, receive, Connection};
use quiche_cc_endpoint::pacing::{Sender, Stopped};
use quiche_cc_endpoint::qlog::QlogDirectory;
use quiche_cc_endpoint::socket::UdpEndpoint;
use quiche_cc_endpoint::tls::Credentials;
use quiche_cc_endpoint::wait::{self, Interest};
use quinn_udp::EcnCodepoint;
use serde_json::Value;

const LOOPBACKS: [&str; 2] = ["127.0.0.1:0", "[::1]:0"];

const TOTAL: usize = 400_000;
const DATAGRAM: usize = 1250;

/// Bytes in flight: small enough for the smallest default socket buffer, so nothing is lost.
const WINDOW: usize = 50 * DATAGRAM;

/// A controller with a fixed window that asks for one codepoint.
fn marking(ecn: quiche::EcnCodepoint) -> FixedSender {
    FixedSender {
        window: WINDOW,
        rate: Bandwidth::from_mbits_per_second(200),
        burst: BurstAllowance::default(),
        ecn,
    }
}

fn register_marking() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        for (name, codepoint) in [
            ("marks_ect0", quiche::EcnCodepoint::Ect0),
            ("marks_ect1", quiche::EcnCodepoint::Ect1),
        ] {
            register(name, Box::new(move |_| Ok(Arc::new(marking(codepoint))))).unwrap();
        }
    });
}

/// What the path does to the ECN bits.
type Path = fn(Option<EcnCodepoint>) -> Option<EcnCodepoint>;

struct End {
    conn: Connection,
    socket: UdpEndpoint,
    sender: Sender,
}

impl End {
    fn new(conn: Connection, socket: UdpEndpoint) -> Self {
        Self {
            conn,
            socket,
            sender: Sender::default(),
        }
    }

    /// Sends what may leave, and returns when it wants to go on.
    fn flush(&mut self) -> Option<Instant> {
        if self
            .conn
            .timeout_instant()
            .is_some_and(|at| at <= Instant::now())
        {
            self.conn.on_timeout();
        }
        self.socket.send_unsent();
        let release = match self.sender.flush(&mut self.conn, &mut self.socket) {
            Stopped::Until(release) => Some(release),
            Stopped::Done | Stopped::SocketFull => None,
        };
        release.into_iter().chain(self.conn.timeout_instant()).min()
    }

    /// Returns the ECN bits of the datagrams that arrived, as the sender set them.
    fn receive(&mut self, path: Path) -> Vec<Option<EcnCodepoint>> {
        let mut sent = Vec::new();
        let Self { conn, socket, .. } = self;
        socket
            .receive(|mut datagram| {
                sent.push(datagram.ecn);
                datagram.ecn = path(datagram.ecn);
                receive(conn, datagram).unwrap();
            })
            .unwrap();
        sent
    }
}

fn config(cc: &str) -> quiche::Config {
    let credentials = Credentials::self_signed().unwrap();
    let mut config = credentials.config(|_| ()).unwrap();
    config.set_application_protos(&[b"test"]).unwrap();
    config.set_cc_algorithm_name(cc).unwrap();
    config.set_max_send_udp_payload_size(DATAGRAM);
    config.set_initial_max_data(100_000_000);
    config.set_initial_max_stream_data_uni(100_000_000);
    config.set_initial_max_streams_uni(3);
    config.verify_peer(false);
    config
}

/// A server with the controller `cc` that is traced, and a client.
fn pair(address: &str, cc: &str, logs: &QlogDirectory) -> (End, End) {
    let bind = || UdpEndpoint::bind(address.parse().unwrap()).unwrap();
    let (near, far) = (bind(), bind());
    let (a, b) = (near.local_addr(), far.local_addr());
    let id = random_connection_id();
    let conn = quiche::connect_with_buffer_factory(None, &id, b, a, &mut config("cubic")).unwrap();
    let client = End::new(conn, far);
    let mut server_config = config(cc);
    let id = random_connection_id();
    let mut conn = quiche::accept_with_buf_factory(&id, None, a, b, &mut server_config).unwrap();
    logs.attach(&mut conn, &id, cc).unwrap();
    (End::new(conn, near), client)
}

/// A download that is over.
struct Transfer {
    /// The ECN bits on the server's datagrams.
    on_the_wire: Vec<Option<EcnCodepoint>>,
    /// The same of the client's.
    on_the_way_back: Vec<Option<EcnCodepoint>>,
    /// The server's trace.
    trace: Vec<Value>,
}

/// Sends [`TOTAL`] bytes from server to client. `path` is what happens to the server's marks.
fn transfer(address: &str, cc: &str, path: Path) -> Transfer {
    register_marking();
    let directory = tempfile::tempdir().unwrap();
    let logs = QlogDirectory::create(directory.path()).unwrap();
    let (mut near, mut far) = pair(address, cc, &logs);
    let data = vec![7; TOTAL];
    let (mut offered, mut taken) = (0, 0);
    let (mut on_the_wire, mut on_the_way_back) = (Vec::new(), Vec::new());
    let end = Instant::now() + Duration::from_secs(30);
    while taken < TOTAL && Instant::now() < end {
        if near.conn.is_established() {
            offered += near
                .conn
                .stream_send(3, &data[offered..], false)
                .unwrap_or(0);
        }
        let deadline = [near.flush(), far.flush(), Some(end)];
        let interests = [&near, &far].map(|e| Interest {
            fd: e.socket.as_fd(),
            writable: e.socket.is_blocked(),
        });
        wait::wait(&interests, deadline.into_iter().flatten().min()).unwrap();
        on_the_way_back.extend(near.receive(|ecn| ecn));
        on_the_wire.extend(far.receive(path));
        let mut sink = [0; 65_536];
        while let Ok((read, _)) = far.conn.stream_recv(3, &mut sink) {
            taken += read;
        }
    }
    assert_eq!(taken, TOTAL, "{address} {cc}");
    // The trace is complete when the connection is dropped.
    drop(near);
    Transfer {
        on_the_wire,
        on_the_way_back,
        trace: crate::common::read_trace(&crate::common::traces(directory.path())[0]),
    }
}

impl Transfer {
    /// The new states in `quic:ecn_state_updated`.
    fn states(&self) -> Vec<&str> {
        self.trace
            .iter()
            .filter(|record| record["name"] == "quic:ecn_state_updated")
            .map(|record| record["data"]["new"].as_str().unwrap())
            .collect()
    }

    /// The 1-RTT packets that the server had sent when each of the client's ACK frames arrived, and
    /// the frame. Counts belong to a packet number space, so the handshake's are left out.
    fn acks(&self) -> Vec<(u64, &Value)> {
        let mut sent = 0;
        let mut acks = Vec::new();
        for record in &self.trace {
            let data = &record["data"];
            if data["header"]["packet_type"] != "1RTT" {
                continue;
            }
            if record["name"] == "quic:packet_sent" {
                sent += 1;
            } else if record["name"] == "quic:packet_received" {
                let frames = data["frames"].as_array().unwrap();
                let of_it = frames.iter().filter(|frame| frame["frame_type"] == "ack");
                acks.extend(of_it.map(|frame| (sent, frame)));
            }
        }
        acks
    }

    /// Checks that each of the client's ACK frames reports `name` alone, more and more of it, at
    /// most as many as were sent, and in the end most of them.
    fn assert_only_grows(&self, name: &str, what: &str) {
        let acks = self.acks();
        let mut counts = Vec::new();
        for (sent, ack) in &acks {
            for other in ["ect0", "ect1", "ce"]
                .iter()
                .filter(|other| **other != name)
            {
                assert_eq!(ack[other], 0, "{what}: {ack}");
            }
            let count = ack[name]
                .as_u64()
                .unwrap_or_else(|| panic!("{what}: {ack}"));
            assert!(count <= *sent, "{what}: {ack} after {sent} packets");
            counts.push(count);
        }
        assert!(counts.is_sorted(), "{what}: {counts:?}");
        counts.dedup();
        assert!(counts.len() >= 5, "{what}: {counts:?}");
        let least = (TOTAL / DATAGRAM * 3 / 4) as u64;
        assert!(*counts.last().unwrap() >= least, "{what}: {counts:?}");
    }

    /// Checks that none of the client's ACK frames has ECN counts.
    fn assert_no_counts(&self, what: &str) {
        let acks = self.acks();
        assert!(acks.len() >= 5, "{what}: {acks:?}");
        for (_, ack) in acks {
            for name in ["ect0", "ect1", "ce"] {
                assert!(ack[name].is_null(), "{what}: {ack}");
            }
        }
    }
}

#[test]
fn the_controllers_codepoint_is_sent_counted_and_validated() {
    for address in LOOPBACKS {
        for (cc, name, codepoint) in [
            ("marks_ect0", "ect0", EcnCodepoint::Ect0),
            ("marks_ect1", "ect1", EcnCodepoint::Ect1),
        ] {
            let what = format!("{address} {cc}");
            let done = transfer(address, cc, |ecn| ecn);
            let all = done.on_the_wire.iter().all(|ecn| *ecn == Some(codepoint));
            assert!(all, "{what}: {:?}", done.on_the_wire);
            // The client's controller is cubic.
            let none = done.on_the_way_back.iter().all(Option::is_none);
            assert!(none, "{what}: {:?}", done.on_the_way_back);
            done.assert_only_grows(name, &what);
            assert_eq!(done.states(), ["testing", "capable"], "{what}");
        }
    }
}

#[test]
fn a_controller_without_ecn_sends_unmarked_datagrams() {
    for address in LOOPBACKS {
        let done = transfer(address, "cubic", |ecn| ecn);
        let none = done.on_the_wire.iter().all(Option::is_none);
        assert!(none, "{address}: {:?}", done.on_the_wire);
        done.assert_no_counts(address);
        assert!(done.states().is_empty(), "{address}: {:?}", done.states());
    }
}

#[test]
fn a_path_that_marks_every_datagram_is_reported_as_ce() {
    for address in LOOPBACKS {
        let done = transfer(address, "marks_ect1", |_| Some(EcnCodepoint::Ce));
        done.assert_only_grows("ce", address);
        assert_eq!(done.states(), ["testing", "capable"], "{address}");
    }
}

#[test]
fn marking_ends_on_a_path_that_clears_the_marks() {
    for address in LOOPBACKS {
        let done = transfer(address, "marks_ect0", |_| None);
        assert_eq!(done.on_the_wire[0], Some(EcnCodepoint::Ect0), "{address}");
        let marked = done.on_the_wire.iter().flatten().count();
        // RFC 9000, section 13.4.2: ten marked packets are enough for a test.
        assert!(marked <= 10, "{address}: {marked}");
        done.assert_no_counts(address);
        assert_eq!(done.states(), ["testing", "failed"], "{address}");
    }
}
