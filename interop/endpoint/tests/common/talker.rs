//! One end of a connection in the test itself.

use std::io::Write;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quiche_cc_endpoint::connection::random_connection_id;
use quiche_cc_endpoint::tls::Credentials;

/// A connection on a socket of its own.
pub struct Talker {
    pub conn: quiche::Connection,
    pub socket: UdpSocket,
    /// Says of what comes when it came, if that is not the truth.
    pub lie: Option<fn(Instant) -> Instant>,
    /// All datagrams that were sent.
    pub sent: Vec<Vec<u8>>,
    pub secrets: Secrets,
    pub peer: SocketAddr,
}

/// What a client writes into its key log.
#[derive(Clone, Default)]
pub struct Secrets(Arc<Mutex<Vec<u8>>>);

impl Secrets {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Secrets {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Talker {
    /// A client of the server at `peer`.
    pub fn connect(peer: SocketAddr) -> Self {
        Self::connect_from("127.0.0.1", peer)
    }

    /// The same from another address of this machine.
    pub fn connect_from(local: &str, peer: SocketAddr) -> Self {
        let socket = UdpSocket::bind((local, 0)).unwrap();
        let local = socket.local_addr().unwrap();
        let mut config = quiche::Config::new(quiche::PROTOCOL_VERSION).unwrap();
        prepare(&mut config);
        let id = random_connection_id();
        let name = Some("localhost");
        let mut conn = quiche::connect(name, &id, local, peer, &mut config).unwrap();
        let secrets = Secrets::default();
        conn.set_keylog(Box::new(secrets.clone()));
        Self {
            conn,
            socket,
            lie: None,
            sent: Vec::new(),
            secrets,
            peer,
        }
    }

    /// The server of the next client on `socket`.
    pub fn accept(socket: UdpSocket) -> Self {
        let credentials = Credentials::self_signed().unwrap();
        let mut config = credentials.config(|_| ()).unwrap();
        prepare(&mut config);
        socket.set_read_timeout(None).unwrap();
        let mut first = [0; 1500];
        let (length, peer) = socket.recv_from(&mut first).unwrap();
        let local = socket.local_addr().unwrap();
        let id = random_connection_id();
        let mut conn = quiche::accept(&id, None, local, peer, &mut config).unwrap();
        let info = quiche::RecvInfo {
            from: peer,
            to: local,
        };
        conn.recv(&mut first[..length], info).unwrap();
        Self {
            conn,
            socket,
            lie: None,
            sent: Vec::new(),
            secrets: Secrets::default(),
            peer,
        }
    }

    /// Sends and receives until `done`, at most ten seconds.
    pub fn talk_until(&mut self, what: &str, done: impl Fn(&quiche::Connection) -> bool) {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            self.send();
            if done(&self.conn) {
                return;
            }
            assert!(Instant::now() < end, "{what} did not happen");
            self.receive();
        }
    }

    /// Sends what there is to send.
    pub fn send(&mut self) {
        let mut packet = [0; 1500];
        while let Ok((length, _)) = self.conn.send(&mut packet) {
            self.sent.push(packet[..length].to_vec());
            self.socket.send_to(&packet[..length], self.peer).unwrap();
        }
    }

    /// Sends a PING and whatever else there is, and receives what has come.
    pub fn ping(&mut self) {
        let _ = self.conn.send_ack_eliciting();
        self.send();
        self.receive();
    }

    /// Takes so many bytes of what has come on the first streams, and says so.
    pub fn take(&mut self, bytes: usize) {
        let streams: Vec<u64> = self.conn.readable().filter(|id| id % 4 == 0).collect();
        for stream in streams {
            let _ = self.conn.stream_recv(stream, &mut vec![0; bytes]);
        }
        self.send();
    }

    /// The same again and again until `done`, at most ten seconds.
    pub fn ping_until(&mut self, what: &str, done: impl Fn(&quiche::Connection) -> bool) {
        let end = Instant::now() + Duration::from_secs(10);
        while !done(&self.conn) {
            assert!(Instant::now() < end, "{what} did not happen");
            self.ping();
        }
    }

    /// As if the path had lost all that has come and was not received.
    pub fn lose_what_came(&mut self) {
        self.socket.set_nonblocking(true).unwrap();
        while self.socket.recv_from(&mut [0; 65_536]).is_ok() {}
        self.socket.set_nonblocking(false).unwrap();
    }

    /// Receives a datagram, or handles a timeout.
    pub fn receive(&mut self) {
        let wait = self.conn.timeout().unwrap_or(Duration::from_millis(100));
        let wait = wait.clamp(Duration::from_millis(1), Duration::from_millis(100));
        self.socket.set_read_timeout(Some(wait)).unwrap();
        let mut packet = [0; 65_536];
        match self.socket.recv_from(&mut packet) {
            Ok((length, from)) => {
                let to = self.socket.local_addr().unwrap();
                let info = quiche::RecvInfo { from, to };
                let mut meta = quiche::RecvMeta::default();
                meta.received_at = self.lie.map(|lie| lie(Instant::now()));
                let _ = self.conn.recv_with_meta(&mut packet[..length], info, meta);
            }
            Err(_) => self.conn.on_timeout(),
        }
    }
}

fn prepare(config: &mut quiche::Config) {
    config
        .set_application_protos(quiche::h3::APPLICATION_PROTOCOL)
        .unwrap();
    config.verify_peer(false);
    config.log_keys();
    config.enable_early_data();
    config.set_max_receive_timestamps_per_ack(64);
    config.set_initial_max_data(1_000_000);
    config.set_initial_max_stream_data_bidi_local(100_000);
    config.set_initial_max_stream_data_bidi_remote(100_000);
    config.set_initial_max_stream_data_uni(100_000);
    config.set_initial_max_streams_bidi(10);
    config.set_initial_max_streams_uni(10);
}
