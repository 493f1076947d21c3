// Included once per build of quiche, as `quiche`.

use std::collections::VecDeque;
use std::time::Instant;

use crate::world::set_clock;

const DATAGRAM: usize = 1350;
/// 20 Mbit/s, and half of a round trip of 20 ms.
const NANOS_PER_BYTE: u64 = 400;
const DELAY: u64 = 10_000_000;
/// Half a bandwidth-delay product: some of what start-up sends in excess is lost.
const BUFFER: u64 = 25_000 * NANOS_PER_BYTE;
const CONTENT: [u8; 65536] = [7; 65536];

struct End {
    conn: quiche::Connection,
    /// A datagram that is not due yet, and when it is.
    held: Option<(u64, Vec<u8>)>,
    /// What is under way to the other end, and when it arrives.
    wire: VecDeque<(u64, Vec<u8>)>,
    /// Until when the link sends what was given to it.
    busy: u64,
    sent: u64,
    dropped: u64,
}

/// Datagrams that the server sent, those that were dropped, and when the last byte came.
pub fn transfer(certificates: &str, bytes: usize) -> (u64, u64, u64) {
    set_clock(0);
    let start = Instant::now();
    let (mut client, mut server) = ends(certificates);
    let (mut offered, mut taken, mut now) = (0, 0, 0);
    while taken < bytes {
        set_clock(now);
        for end in [&mut client, &mut server] {
            if end.conn.timeout().is_some_and(|left| left.is_zero()) {
                end.conn.on_timeout();
            }
        }
        deliver(&mut client.wire, &mut server.conn, now, true);
        deliver(&mut server.wire, &mut client.conn, now, false);
        while server.conn.is_established() && offered < bytes {
            let most = CONTENT.len().min(bytes - offered);
            match server.conn.stream_send(3, &CONTENT[..most], false) {
                Ok(taken_in) => offered += taken_in,
                Err(_) => break,
            }
        }
        taken += read(&mut client.conn);
        client.flush(now, start, u64::MAX);
        server.flush(now, start, BUFFER);
        let next = client.next(now).min(server.next(now)).max(now + 1);
        assert!(next < u64::MAX, "nothing happens any more, {taken} bytes came");
        now = next;
    }
    (server.sent, server.dropped, now)
}

impl End {
    fn new(conn: quiche::Connection) -> Self {
        Self {
            conn,
            held: None,
            wire: VecDeque::new(),
            busy: 0,
            sent: 0,
            dropped: 0,
        }
    }

    /// Sends what may leave by now.
    fn flush(&mut self, now: u64, start: Instant, buffer: u64) {
        loop {
            let (at, datagram) = match self.held.take() {
                Some(held) => held,
                None => {
                    let mut datagram = vec![0; DATAGRAM];
                    let Ok((len, info)) = self.conn.send(&mut datagram) else {
                        return;
                    };
                    datagram.truncate(len);
                    let at = info.at.saturating_duration_since(start).as_nanos() as u64;
                    (at, datagram)
                }
            };
            if at > now {
                self.held = Some((at, datagram));
                return;
            }
            self.sent += 1;
            let begin = self.busy.max(now);
            if begin - now > buffer {
                self.dropped += 1;
                continue;
            }
            self.busy = begin + datagram.len() as u64 * NANOS_PER_BYTE;
            self.wire.push_back((self.busy + DELAY, datagram));
        }
    }

    /// When something happens here next, if nothing comes from the other end before.
    fn next(&self, now: u64) -> u64 {
        let arrival = self.wire.front().map(|(at, _)| *at);
        let release = self.held.as_ref().map(|(at, _)| *at);
        let timeout = self.conn.timeout().map(|left| now + left.as_nanos() as u64);
        let first = [arrival, release, timeout].into_iter().flatten().min();
        first.unwrap_or(u64::MAX)
    }
}

fn deliver(wire: &mut VecDeque<(u64, Vec<u8>)>, to: &mut quiche::Connection, now: u64, to_server: bool) {
    let (client, server) = addresses();
    let (from, to_address) = if to_server { (client, server) } else { (server, client) };
    while wire.front().is_some_and(|(at, _)| *at <= now) {
        let (_, mut datagram) = wire.pop_front().expect("there is a first");
        let info = quiche::RecvInfo { from, to: to_address };
        to.recv(&mut datagram, info).expect("a packet of the other end");
    }
}

fn read(conn: &mut quiche::Connection) -> usize {
    static mut ROOM: [u8; 65536] = [0; 65536];
    // SAFETY: the program has one thread, and nothing else refers to this.
    let room = unsafe { &mut *std::ptr::addr_of_mut!(ROOM) };
    let mut total = 0;
    while let Ok((len, _)) = conn.stream_recv(3, room) {
        total += len;
    }
    total
}

fn addresses() -> (std::net::SocketAddr, std::net::SocketAddr) {
    ("127.0.0.1:1".parse().unwrap(), "127.0.0.1:2".parse().unwrap())
}

fn ends(certificates: &str) -> (End, End) {
    let (a, b) = addresses();
    let [mut near, mut far] = ["reno", "bbr2_gcongestion"].map(|cc| config(certificates, cc));
    let id = [7; quiche::MAX_CONN_ID_LEN];
    let id = quiche::ConnectionId::from_ref(&id);
    let client = quiche::connect(None, &id, a, b, &mut near).unwrap();
    let server = quiche::accept(&id, None, b, a, &mut far).unwrap();
    (End::new(client), End::new(server))
}

fn config(certificates: &str, cc: &str) -> quiche::Config {
    let mut config = quiche::Config::new(quiche::PROTOCOL_VERSION).unwrap();
    config.load_cert_chain_from_pem_file(&format!("{certificates}/cert.crt")).unwrap();
    config.load_priv_key_from_pem_file(&format!("{certificates}/cert.key")).unwrap();
    config.set_application_protos(&[b"bbr2"]).unwrap();
    config.verify_peer(false);
    config.set_cc_algorithm_name(cc).unwrap();
    config.set_max_send_udp_payload_size(DATAGRAM);
    config.set_max_recv_udp_payload_size(DATAGRAM);
    config.set_initial_max_data(1 << 30);
    config.set_initial_max_stream_data_uni(1 << 30);
    config.set_initial_max_streams_uni(3);
    config
}
