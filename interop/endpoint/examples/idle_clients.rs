//! Holds many connections to an HTTP/3 server that do nothing, for benchmarks (tests/load/idle.py).
//!
//!     idle_clients ADDRESS:PORT COUNT PING_SECONDS PATH
//!
//! Each of them asks for PATH once, and sends a PING every so many seconds. When all have their answer it
//! prints a line of JSON, and another one when its standard input ends.

use std::collections::HashMap;
use std::io::{ErrorKind, Read};
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use quiche::h3::{self, Header};
use quiche_cc_endpoint::connection::{random_connection_id, CONNECTION_ID_LENGTH};

/// Connections that share a socket, and with it an address.
const PER_SOCKET: usize = 100;

/// Connections that may be without an answer at a time.
const AT_ONCE: usize = 30;

/// Between looks at the sockets: while connections begin, and later.
const BUSY: Duration = Duration::from_millis(1);
const IDLE: Duration = Duration::from_millis(20);

static OVER: AtomicBool = AtomicBool::new(false);

struct Client {
    conn: quiche::Connection,
    http: Option<h3::Connection>,
    socket: usize,
    answered: bool,
    pinged: Instant,
}

struct Clients {
    server: SocketAddr,
    path: String,
    config: quiche::Config,
    sockets: Vec<UdpSocket>,
    all: Vec<Client>,
    by_id: HashMap<Vec<u8>, usize>,
    answered: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [server, count, ping, path] = &words[..] else {
        panic!("idle_clients ADDRESS:PORT COUNT PING_SECONDS PATH");
    };
    let count: usize = count.parse().expect("a number of connections");
    let ping = Duration::from_secs(ping.parse().expect("seconds"));
    thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        OVER.store(true, Ordering::Relaxed);
    });
    let mut clients = Clients::new(server.parse().expect("an address"), path.clone());
    let begin = Instant::now();
    let mut told = false;
    while !OVER.load(Ordering::Relaxed) {
        while clients.all.len() < count.min(clients.answered + AT_ONCE) {
            clients.connect();
        }
        clients.turn(ping);
        if !told && clients.answered == count {
            told = true;
            clients.tell("ready", begin.elapsed());
        }
        thread::sleep(if told { IDLE } else { BUSY });
    }
    clients.tell("held", begin.elapsed());
}

impl Clients {
    fn new(server: SocketAddr, path: String) -> Self {
        let mut config = quiche::Config::new(quiche::PROTOCOL_VERSION).unwrap();
        config
            .set_application_protos(h3::APPLICATION_PROTOCOL)
            .unwrap();
        config.verify_peer(false);
        config.set_initial_max_data(1_000_000);
        config.set_initial_max_stream_data_bidi_local(100_000);
        config.set_initial_max_stream_data_uni(100_000);
        config.set_initial_max_streams_uni(10);
        Self {
            server,
            path,
            config,
            sockets: Vec::new(),
            all: Vec::new(),
            by_id: HashMap::new(),
            answered: 0,
        }
    }

    fn connect(&mut self) {
        let number = self.all.len();
        if number.is_multiple_of(PER_SOCKET) {
            let made = self.sockets.len();
            let local = format!("127.5.{}.{}:0", made / 200, made % 200 + 2);
            let socket = UdpSocket::bind(local).expect("a socket");
            socket.set_nonblocking(true).unwrap();
            self.sockets.push(socket);
        }
        let socket = self.sockets.len() - 1;
        let local = self.sockets[socket].local_addr().unwrap();
        let id = random_connection_id();
        let name = Some("localhost");
        let conn = quiche::connect(name, &id, local, self.server, &mut self.config).unwrap();
        self.by_id.insert(id.to_vec(), number);
        self.all.push(Client {
            conn,
            http: None,
            socket,
            answered: false,
            pinged: Instant::now(),
        });
        self.send(number);
    }

    /// Receives what has come, and does what is due.
    fn turn(&mut self, ping: Duration) {
        let mut packet = [0; 2048];
        for socket in 0..self.sockets.len() {
            loop {
                match self.sockets[socket].recv_from(&mut packet) {
                    Ok((length, from)) => self.receive(socket, from, &mut packet[..length]),
                    Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                    Err(e) => panic!("receiving: {e}"),
                }
            }
        }
        for number in 0..self.all.len() {
            let client = &mut self.all[number];
            let timed_out = client.conn.timeout() == Some(Duration::ZERO);
            if timed_out {
                client.conn.on_timeout();
            }
            let pings = client.answered && client.pinged.elapsed() >= ping;
            if pings {
                client.pinged = Instant::now();
                let _ = client.conn.send_ack_eliciting();
            }
            if timed_out || pings {
                self.send(number);
            }
        }
    }

    fn receive(&mut self, socket: usize, from: SocketAddr, packet: &mut [u8]) {
        let Ok(header) = quiche::Header::from_slice(packet, CONNECTION_ID_LENGTH) else {
            return;
        };
        let Some(&number) = self.by_id.get(&header.dcid[..]) else {
            return;
        };
        let to = self.sockets[socket].local_addr().unwrap();
        let client = &mut self.all[number];
        let _ = client.conn.recv(packet, quiche::RecvInfo { from, to });
        if client.conn.is_established() && client.http.is_none() {
            client.ask(&self.path);
        }
        self.answered += usize::from(client.is_answered_now());
        self.send(number);
    }

    fn send(&mut self, number: usize) {
        let client = &mut self.all[number];
        let mut packet = [0; 1350];
        while let Ok((length, info)) = client.conn.send(&mut packet) {
            let _ = self.sockets[client.socket].send_to(&packet[..length], info.to);
        }
    }

    fn tell(&self, event: &str, since: Duration) {
        let open = |client: &&Client| client.conn.is_established() && !client.conn.is_closed();
        let open = self.all.iter().filter(open).count();
        let seconds = since.as_secs_f64();
        println!("{{\"event\":\"{event}\",\"open\":{open},\"seconds\":{seconds:.3}}}");
    }
}

impl Client {
    fn ask(&mut self, path: &str) {
        let config = h3::Config::new().unwrap();
        let mut http = h3::Connection::with_transport(&mut self.conn, &config).unwrap();
        let fields = [
            (":method", "GET"),
            (":scheme", "https"),
            (":authority", "localhost"),
            (":path", path),
        ];
        let header = |(name, value): (&str, &str)| Header::new(name.as_bytes(), value.as_bytes());
        http.send_request(&mut self.conn, &fields.map(header), true)
            .unwrap();
        self.http = Some(http);
    }

    /// Whether it has its answer, and had not before.
    fn is_answered_now(&mut self) -> bool {
        let Some(http) = &mut self.http else {
            return false;
        };
        let mut finished = false;
        loop {
            match http.poll(&mut self.conn) {
                Ok((stream, h3::Event::Data)) => {
                    while http
                        .recv_body(&mut self.conn, stream, &mut [0; 4096])
                        .is_ok()
                    {}
                }
                Ok((_, h3::Event::Finished)) => finished = true,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        let now = finished && !self.answered;
        self.answered |= finished;
        now
    }
}
