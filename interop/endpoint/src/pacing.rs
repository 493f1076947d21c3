//! Sending when quiche's pacer says so.
//!
//! quiche stamps a packet's send time inside `send()`, and the time it returns with a packet is the
//! release time of the *next* one. So the release time is read before `send()`, which is called
//! only when the packet will really leave. Controllers without a pacer (quiche's reno and cubic)
//! release everything at once, up to the window; that is quiche's behaviour and is kept.

use std::time::{Duration, Instant};

use quinn_udp::EcnCodepoint;

use crate::connection::Connection;
use crate::socket::{Outgoing, UdpEndpoint};

/// Bursts sent for one connection before the loop looks at its sockets again.
const BURSTS_PER_TURN: usize = 16;

/// What is to leave so soon leaves now, as in quiche's `ReleaseDecision`.
const TOGETHER: Duration = Duration::from_micros(50);

/// Largest UDP payload of one segmentation-offload call, in bytes.
const MAX_AGGREGATE: usize = 65_000;

/// Why sending stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// There is nothing to send, or the window is full.
    Done,
    /// The pacer holds the next packet until then (or others get their turn, if that is past).
    Until(Instant),
    /// The socket has no room.
    SocketFull,
}

/// Room for the packets of a burst, shared by all connections of a loop.
pub struct Sender {
    buffer: Vec<u8>,
}

impl Default for Sender {
    fn default() -> Self {
        Self {
            buffer: vec![0; MAX_AGGREGATE],
        }
    }
}

/// A packet, and how it is to leave.
struct Packet {
    size: usize,
    from: std::net::SocketAddr,
    to: std::net::SocketAddr,
    ecn: Option<EcnCodepoint>,
}

/// Datagrams `start..end` of the buffer that wait to be handed to the socket together.
struct Batch {
    start: usize,
    end: usize,
    segment: usize,
    from: std::net::SocketAddr,
    to: std::net::SocketAddr,
    ecn: Option<EcnCodepoint>,
}

impl Sender {
    /// Sends all that may leave now. The application's data must have been offered to quiche
    /// before, else quiche takes the flow for application-limited.
    pub fn flush(&mut self, conn: &mut Connection, socket: &mut UdpEndpoint) -> Stopped {
        self.flush_by(conn, std::slice::from_mut(socket), 0)
    }

    /// The same, each packet by that socket to which its path belongs. `main` is that of the path in
    /// use; little is sent by any other.
    pub fn flush_by(
        &mut self,
        conn: &mut Connection,
        sockets: &mut [UdpEndpoint],
        main: usize,
    ) -> Stopped {
        let mut sockets = Sockets { all: sockets, main };
        for _ in 0..BURSTS_PER_TURN {
            if sockets.main().is_blocked() {
                return Stopped::SocketFull;
            }
            let now = Instant::now();
            if let Some(release) = release_time(conn, now) {
                return Stopped::Until(release);
            }
            if !self.send_burst(conn, &mut sockets, now) {
                return Stopped::Done;
            }
        }
        Stopped::Until(Instant::now())
    }

    /// Sends the packets that belong to one release time. Returns false if there were none.
    fn send_burst(
        &mut self,
        conn: &mut Connection,
        sockets: &mut Sockets<'_>,
        now: Instant,
    ) -> bool {
        let most_packets = sockets.main().max_segments();
        let packet_size = conn.max_send_udp_payload_size();
        let quantum = conn.send_quantum().clamp(1, MAX_AGGREGATE);
        let mut batch: Option<Batch> = None;
        let (mut end, mut packets) = (0, 0);
        while end < quantum && end + packet_size <= MAX_AGGREGATE && packets < most_packets {
            let Some(packet) = make_packet(conn, &mut self.buffer[end..end + packet_size]) else {
                break;
            };
            end += packet.size;
            packets += 1;
            batch = Some(match batch {
                Some(open) if open.takes(&packet) => Batch { end, ..open },
                other => {
                    self.hand_over(sockets, other);
                    Batch::of(&packet, end)
                }
            });
            // Counted from now, not from the release of the first: that may lie ahead where a burst
            // was cut amid a pair, and one burst would lead to the next.
            if release_time(conn, now).is_some_and(|next| next > now + TOGETHER) {
                break;
            }
        }
        self.hand_over(sockets, batch);
        packets > 0
    }

    fn hand_over(&self, sockets: &mut Sockets<'_>, batch: Option<Batch>) {
        if let Some(Batch {
            start,
            end,
            segment,
            from,
            to,
            ecn,
        }) = batch
        {
            if let Some(socket) = sockets.free(from) {
                socket.send(&Outgoing {
                    data: &self.buffer[start..end],
                    segment,
                    from,
                    to,
                    ecn,
                });
            }
        }
    }
}

/// Those that a connection may send by.
struct Sockets<'a> {
    all: &'a mut [UdpEndpoint],
    main: usize,
}

impl Sockets<'_> {
    fn main(&mut self) -> &mut UdpEndpoint {
        &mut self.all[self.main]
    }

    /// The one with this address, unless it has no room and is not the main one.
    ///
    /// Only the main one is asked before a burst. Another would keep whatever quiche makes while it
    /// is blocked, without bound. So that is lost, as a network might lose it: probes of a path,
    /// which quiche sends again, or packets on a path to which it has just gone back, which it
    /// recovers.
    fn free(&mut self, from: std::net::SocketAddr) -> Option<&mut UdpEndpoint> {
        let index = if self.main().has(from) {
            self.main
        } else {
            let found = self.all.iter().position(|socket| socket.has(from));
            found.unwrap_or(self.main)
        };
        if index != self.main && self.all[index].is_blocked() {
            return None;
        }
        Some(&mut self.all[index])
    }
}

impl Batch {
    /// That of one packet, which ends there in the buffer.
    fn of(packet: &Packet, end: usize) -> Self {
        Self {
            start: end - packet.size,
            end,
            segment: packet.size,
            from: packet.from,
            to: packet.to,
            ecn: packet.ecn,
        }
    }

    /// Whether a packet can be appended: same path and marking, not larger than the first, and none smaller
    /// than the first before it.
    fn takes(&self, packet: &Packet) -> bool {
        let all_full = (self.end - self.start).is_multiple_of(self.segment);
        let same_path = self.from == packet.from && self.to == packet.to;
        all_full && packet.size <= self.segment && same_path && self.ecn == packet.ecn
    }
}

/// The next packet of a connection, written into `room`, if there is one. A connection that cannot
/// make it ends.
fn make_packet(conn: &mut Connection, room: &mut [u8]) -> Option<Packet> {
    match conn.send_with_meta(room) {
        Ok((size, info, meta)) => Some(Packet {
            size,
            from: info.from,
            to: info.to,
            ecn: codepoint(meta.ecn),
        }),
        Err(quiche::Error::Done) => None,
        Err(e) => {
            log::debug!("{} cannot send: {e}", conn.trace_id());
            conn.close(false, quiche::WireErrorCode::InternalError as u64, b"")
                .ok();
            None
        }
    }
}

/// When the next packet may be sent, if that is later than `now`.
fn release_time(conn: &Connection, now: Instant) -> Option<Instant> {
    // A closing connection has one packet left to send, and no reason to wait with it.
    if conn.local_error().is_some() {
        return None;
    }
    conn.get_next_release_time()
        .filter(|next| !next.can_burst())
        .and_then(|next| next.time(now))
}

/// The controller's ECN codepoint as the socket takes it.
fn codepoint(ecn: quiche::EcnCodepoint) -> Option<EcnCodepoint> {
    match ecn {
        quiche::EcnCodepoint::NotEct => None,
        quiche::EcnCodepoint::Ect0 => Some(EcnCodepoint::Ect0),
        quiche::EcnCodepoint::Ect1 => Some(EcnCodepoint::Ect1),
        quiche::EcnCodepoint::Ce => Some(EcnCodepoint::Ce),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_without_room_keeps_what_leaves_by_it_only_if_it_is_the_main_one() {
        let bind = || UdpEndpoint::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let mut all = [bind(), bind()];
        all.iter_mut().for_each(UdpEndpoint::block);
        let addresses = all.each_ref().map(UdpEndpoint::local_addr);
        let mut sockets = Sockets {
            all: &mut all,
            main: 1,
        };
        for from in addresses {
            let batch = Batch {
                start: 0,
                end: 100,
                segment: 100,
                from,
                to: addresses[0],
                ecn: None,
            };
            Sender::default().hand_over(&mut sockets, Some(batch));
        }
        assert_eq!(all.each_ref().map(UdpEndpoint::kept), [1, 2]);
    }
}
