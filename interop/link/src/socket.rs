//! UDP sockets that carry ECN and tell when each datagram came in.

use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use quiche_cc_bottleneck::Ecn;
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSocketState};

/// Asked of the kernel for each socket's receive buffer, so that a burst is dropped by the
/// modelled queue and not before it. The kernel grants what its limits allow.
const RECEIVE_BUFFER: usize = 4 << 20;
/// Buffers per system call; each can take a whole receive-offload batch.
const BATCH: usize = 8;
const BATCH_BYTES: usize = 65_535;
/// System calls per turn and socket, so that a flood on one socket cannot hold up the rest.
const CALLS_PER_TURN: usize = 8;

/// A non-blocking UDP socket.
#[derive(Debug)]
pub struct Socket {
    socket: UdpSocket,
    state: UdpSocketState,
}

/// One datagram as it came in.
#[derive(Debug, Clone, Copy)]
pub struct Datagram<'a> {
    /// Who sent it.
    pub from: SocketAddr,
    /// Its ECN field.
    pub ecn: Ecn,
    /// The kernel's receive time since the Unix epoch, where the platform has it.
    pub received: Option<Duration>,
    /// The UDP payload.
    pub payload: &'a [u8],
}

/// Memory to receive into, shared by all sockets of a thread.
pub struct Receiver {
    buffers: Vec<Vec<u8>>,
}

impl Default for Receiver {
    fn default() -> Self {
        Self {
            buffers: vec![vec![0; BATCH_BYTES]; BATCH],
        }
    }
}

impl Socket {
    /// A socket on `address`.
    ///
    /// # Errors
    /// Those of the system: address in use, no such address family, ...
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket2::SockRef::from(&socket).set_recv_buffer_size(RECEIVE_BUFFER)?;
        let state = UdpSocketState::new((&socket).into())?;
        leave_room_for_ecn(&socket, address)?;
        Ok(Self { socket, state })
    }

    /// The address it is bound to.
    ///
    /// # Errors
    /// Those of the system.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Receives what is there and hands over one datagram at a time, also where the kernel has
    /// put several together (receive offload). Returns without waiting when nothing is left
    /// or after a bounded number of datagrams.
    ///
    /// # Errors
    /// Those of the system, except that there is nothing to receive.
    pub fn receive(
        &self,
        receiver: &mut Receiver,
        mut each: impl FnMut(Datagram<'_>),
    ) -> io::Result<()> {
        for _ in 0..CALLS_PER_TURN {
            let mut meta = [RecvMeta::default(); BATCH];
            let mut slices = receiver.buffers.iter_mut().map(|b| IoSliceMut::new(b));
            let mut slices: [_; BATCH] =
                std::array::from_fn(|_| slices.next().unwrap_or_else(|| IoSliceMut::new(&mut [])));
            let received = match self
                .state
                .recv((&self.socket).into(), &mut slices, &mut meta)
            {
                Ok(received) => received,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) => return Err(e),
            };
            for (meta, buffer) in meta.iter().zip(&receiver.buffers).take(received) {
                split(meta, buffer, &mut each);
            }
            if received < BATCH {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends one datagram.
    ///
    /// # Errors
    /// Those of the system, `WouldBlock` included.
    pub fn send(&self, to: SocketAddr, ecn: Ecn, payload: &[u8]) -> io::Result<()> {
        self.transmit(to, ecn, payload, None)
    }

    /// Sends `payload` as datagrams of `segment` bytes, the last of which may be shorter, with as few
    /// system calls as the system allows (segmentation offload).
    ///
    /// # Errors
    /// Those of the system, `WouldBlock` included; some of the datagrams may have been sent.
    pub fn send_segments(
        &self,
        to: SocketAddr,
        ecn: Ecn,
        payload: &[u8],
        segment: usize,
    ) -> io::Result<()> {
        let at_once = self
            .state
            .max_gso_segments()
            .min(BATCH_BYTES / segment.max(1))
            .max(1);
        for batch in payload.chunks(segment.max(1) * at_once) {
            self.transmit(to, ecn, batch, Some(segment))?;
        }
        Ok(())
    }

    fn transmit(
        &self,
        to: SocketAddr,
        ecn: Ecn,
        contents: &[u8],
        segment_size: Option<usize>,
    ) -> io::Result<()> {
        let transmit = Transmit {
            destination: to,
            ecn: EcnCodepoint::from_bits(ecn.bits()),
            contents,
            segment_size,
            src_ip: None,
        };
        self.state.try_send((&self.socket).into(), &transmit)
    }

    pub(crate) fn inner(&self) -> &UdpSocket {
        &self.socket
    }
}

/// Does without the destination address of datagrams, which a socket bound to one address knows.
///
/// quinn-udp 0.6.3 asks the kernel for more than it has room for: receive time, batch size, destination
/// and ECN take 112 bytes (IPv6: 120) of control messages, but it offers 96. What does not fit is lost, and
/// that is the ECN field of every batch.
#[cfg(target_os = "linux")]
fn leave_room_for_ecn(socket: &UdpSocket, address: SocketAddr) -> io::Result<()> {
    use nix::sys::socket::{setsockopt, sockopt};
    match address {
        SocketAddr::V4(_) => setsockopt(socket, sockopt::Ipv4PacketInfo, &false),
        SocketAddr::V6(_) => setsockopt(socket, sockopt::Ipv6RecvPacketInfo, &false),
    }?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn leave_room_for_ecn(_: &UdpSocket, _: SocketAddr) -> io::Result<()> {
    Ok(())
}

/// Takes a receive-offload batch apart: every datagram has `stride` bytes, the last may be shorter.
fn split(meta: &RecvMeta, buffer: &[u8], each: &mut impl FnMut(Datagram<'_>)) {
    let ecn = Ecn::from_bits(meta.ecn.map_or(0, |ecn| ecn as u8));
    let mut hand_over = |payload| {
        each(Datagram {
            from: meta.addr,
            ecn,
            received: meta.timestamp,
            payload,
        });
    };
    if meta.len == 0 {
        // An empty datagram is one, too.
        hand_over(&[]);
    }
    for payload in buffer[..meta.len].chunks(meta.stride.max(1)) {
        hand_over(payload);
    }
}
