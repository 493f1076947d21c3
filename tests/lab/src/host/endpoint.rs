//! One end of a connection: feeds quiche with datagrams and time, and takes datagrams from it when its pacer says so.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quiche::EcnCodepoint;
use quiche_cc::estimate::Estimate;
use quiche_cc_bottleneck::{Ecn, Time};

use super::acks::DelayedAcks;
use super::clock::HostClock;
use super::tls;
use crate::network::Side;
use crate::virtual_time::VirtualTime;

/// A quiche connection that sends data without copying it.
pub type Connection = quiche::Connection<BytesFactory>;

/// Makes quiche take [`Bytes`].
#[derive(Debug, Clone, Copy, Default)]
pub struct BytesFactory;

impl quiche::BufFactory for BytesFactory {
    type Buf = Bytes;
    type DgramBuf = Vec<u8>;

    fn buf_from_slice(buf: &[u8]) -> Bytes {
        Bytes::copy_from_slice(buf)
    }

    fn dgram_buf_from_slice(buf: &[u8]) -> Vec<u8> {
        buf.to_vec()
    }
}

/// Flow control is not what is studied: it never limits.
const FLOW_CONTROL: u64 = 1 << 40;
const STREAMS: u64 = 1 << 40;
const PROTOCOL: &[u8] = b"lab";
const PORT: u16 = 4433;
const CONNECTION_ID_LENGTH: usize = 8;
/// Connection ids that the peer may hold: a change of path takes a new one.
const CONNECTION_IDS: u64 = 4;

/// What an end is made of.
#[derive(Debug, Clone)]
pub struct EndpointConfig {
    /// Which end.
    pub side: Side,
    /// Distinguishes connections.
    pub flow: usize,
    /// The congestion controller, as in `quiche::Config::set_cc_algorithm_name`.
    pub cc: String,
    /// Largest UDP payload.
    pub datagram: u16,
    /// Initial window in packets.
    pub initial_window: u16,
    /// Zero for none.
    pub idle_timeout: Duration,
    /// The most receive timestamps that the peer is asked for in one ACK; 0 for none.
    pub timestamps_per_ack: u64,
    /// Packets that this end acknowledges at once.
    pub packets_per_ack: u32,
    /// Whether ECN is marked and read.
    pub ecn: bool,
    /// The host's clock.
    pub clock: HostClock,
}

/// A datagram that leaves.
#[derive(Debug)]
pub struct Departure {
    /// The UDP payload.
    pub data: Vec<u8>,
    /// Its mark.
    pub ecn: Ecn,
}

/// One end of a connection.
pub struct Endpoint {
    /// The connection itself.
    pub conn: Connection,
    clock: HostClock,
    acks: DelayedAcks,
    flow: usize,
    side: Side,
    /// Connection ids issued.
    ids: u64,
    ecn: bool,
    datagram: usize,
    local: SocketAddr,
    peer: SocketAddr,
}

impl Endpoint {
    /// Opens a connection's end, the simulation's time being `now`.
    ///
    /// # Errors
    /// quiche's, where the controller is unknown or its options are wrong.
    pub fn open(config: &EndpointConfig, time: &VirtualTime, now: Time) -> quiche::Result<Self> {
        time.set(config.clock.local(now));
        let mut quic = transport(config)?;
        let (local, peer) = (address(config.side), address(config.side.peer()));
        let id = connection_id(config.flow, config.side, 0);
        let id = quiche::ConnectionId::from_ref(&id);
        let conn = match config.side {
            Side::Server => quiche::accept_with_buf_factory(&id, None, local, peer, &mut quic)?,
            Side::Client => quiche::connect_with_buffer_factory(None, &id, local, peer, &mut quic)?,
        };
        Ok(Self {
            conn,
            clock: config.clock.clone(),
            acks: DelayedAcks::every(config.packets_per_ack),
            flow: config.flow,
            side: config.side,
            ids: 0,
            ecn: config.ecn,
            datagram: config.datagram.into(),
            local,
            peer,
        })
    }

    /// Puts the thread's clock to what this host's shows.
    pub fn enter(&self, time: &VirtualTime, now: Time) {
        time.set(self.clock.local(now));
    }

    /// A datagram has come from `from_port` of the peer's host. What quiche refuses it has dropped, as a server would.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    pub fn receive(&mut self, data: &mut [u8], ecn: Ecn, from_port: u16) {
        let info = quiche::RecvInfo {
            from: SocketAddr::new(self.peer.ip(), from_port),
            to: self.local,
        };
        let mut meta = quiche::RecvMeta::default();
        if self.ecn {
            meta.ecn = codepoint(ecn);
        }
        let _ = self.conn.recv_with_meta(data, info, meta);
        self.acks.on_arrival(Instant::now());
    }

    /// What a source may count on, now.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    pub fn estimate(&self) -> Estimate {
        quiche_cc::estimate(&self.conn, Instant::now())
    }

    /// Lets timers fire that are due.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    pub fn fire_timers(&mut self) {
        let due = |at: Instant| at <= Instant::now();
        if self.conn.timeout_instant().is_some_and(due) {
            self.conn.on_timeout();
        }
    }

    /// Offers the peer as many connection ids as it takes.
    pub fn issue_connection_ids(&mut self) {
        while self.conn.is_established() && self.conn.scids_left() > 0 {
            self.ids += 1;
            let id = connection_id(self.flow, self.side, self.ids);
            let token = u128::from(u64::from_be_bytes(id));
            let id = quiche::ConnectionId::from_ref(&id);
            if self.conn.new_scid(&id, token, false).is_err() {
                return;
            }
        }
    }

    /// The next datagram, if one may leave now; in a buffer made from `spare`.
    ///
    /// The release time is read before `send`, because quiche stamps a packet with the time inside of it, and
    /// what it returns with a packet is the release time of the next one.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    pub fn depart(&mut self, spare: &mut Vec<Vec<u8>>) -> Option<Departure> {
        if self.release_time().is_some() || self.held_until().is_some() {
            return None;
        }
        let mut data = spare.pop().unwrap_or_default();
        data.resize(self.datagram, 0);
        let sent = if self.ecn {
            self.conn
                .send_with_meta(&mut data)
                .map(|(len, _, meta)| (len, mark(meta.ecn)))
        } else {
            self.conn.send(&mut data).map(|(len, _)| (len, Ecn::NotEct))
        };
        match sent {
            Ok((len, ecn)) => {
                data.truncate(len);
                self.acks.on_departure();
                Some(Departure { data, ecn })
            }
            // `Done`, or the connection is closed: `conn` knows why.
            Err(_) => {
                spare.push(data);
                None
            }
        }
    }

    /// When this end needs to act without being told anything.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    pub fn next_wake(&self, now: Time) -> Option<Time> {
        let here = Instant::now();
        let next = [
            self.release_time(),
            self.conn.timeout_instant(),
            self.held_until(),
        ];
        let next = next.into_iter().flatten().min()?;
        Some(now + self.clock.true_span(next.saturating_duration_since(here)))
    }

    /// Until when acknowledgements wait for more to acknowledge. The handshake waits for nothing.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    fn held_until(&self) -> Option<Instant> {
        self.acks
            .held_until(Instant::now())
            .filter(|_| self.conn.is_established())
    }

    /// When the pacer releases the next packet, if that is not now.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    fn release_time(&self) -> Option<Instant> {
        // A closing connection has one packet left to send, and no reason to wait with it.
        if self.conn.local_error().is_some() {
            return None;
        }
        self.conn
            .get_next_release_time()
            .filter(|next| !next.can_burst())
            .and_then(|next| next.time(Instant::now()))
    }
}

/// The port that a client sends from before its address first changes.
const CLIENT_PORT: u16 = 10_000;

/// The port that `side` sends from, the client's address having changed so many times.
pub fn port(side: Side, rebinds: u16) -> u16 {
    match side {
        Side::Server => PORT,
        Side::Client => CLIENT_PORT + rebinds,
    }
}

fn transport(config: &EndpointConfig) -> quiche::Result<quiche::Config> {
    let mut quic = match config.side {
        Side::Server => tls::server()?,
        Side::Client => tls::client()?,
    };
    quic.set_application_protos(&[PROTOCOL])?;
    quic.set_cc_algorithm_name(&config.cc)?;
    quic.set_initial_congestion_window_packets(config.initial_window.into());
    quic.set_max_send_udp_payload_size(config.datagram.into());
    quic.set_max_recv_udp_payload_size(config.datagram.into());
    quic.set_max_idle_timeout(u64::try_from(config.idle_timeout.as_millis()).unwrap_or(u64::MAX));
    quic.set_max_receive_timestamps_per_ack(config.timestamps_per_ack);
    quic.set_initial_max_data(FLOW_CONTROL);
    quic.set_initial_max_stream_data_bidi_local(FLOW_CONTROL);
    quic.set_initial_max_stream_data_bidi_remote(FLOW_CONTROL);
    quic.set_initial_max_stream_data_uni(FLOW_CONTROL);
    quic.set_max_connection_window(FLOW_CONTROL);
    quic.set_max_stream_window(FLOW_CONTROL);
    quic.set_initial_max_streams_bidi(STREAMS);
    quic.set_initial_max_streams_uni(STREAMS);
    quic.set_active_connection_id_limit(CONNECTION_IDS);
    Ok(quic)
}

/// Whether quiche takes this configuration.
///
/// # Errors
/// quiche's, where the controller is unknown or its options are wrong.
pub fn check(config: &EndpointConfig) -> quiche::Result<()> {
    transport(config).map(drop)
}

fn address(side: Side) -> SocketAddr {
    // Every flow has the two hosts to itself, so flows need not differ in addresses.
    let host = match side {
        Side::Server => Ipv4Addr::new(192, 0, 2, 1),
        Side::Client => Ipv4Addr::new(192, 0, 2, 2),
    };
    SocketAddr::new(host.into(), port(side, 0))
}

fn connection_id(flow: usize, side: Side, number: u64) -> [u8; CONNECTION_ID_LENGTH] {
    ((number << 32) | ((flow as u64) << 1) | side as u64).to_be_bytes()
}

fn codepoint(ecn: Ecn) -> EcnCodepoint {
    match ecn {
        Ecn::NotEct => EcnCodepoint::NotEct,
        Ecn::Ect0 => EcnCodepoint::Ect0,
        Ecn::Ect1 => EcnCodepoint::Ect1,
        Ecn::Ce => EcnCodepoint::Ce,
    }
}

fn mark(ecn: EcnCodepoint) -> Ecn {
    match ecn {
        EcnCodepoint::NotEct => Ecn::NotEct,
        EcnCodepoint::Ect0 => Ecn::Ect0,
        EcnCodepoint::Ect1 => Ecn::Ect1,
        EcnCodepoint::Ce => Ecn::Ce,
    }
}
