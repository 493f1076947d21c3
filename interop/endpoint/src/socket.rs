//! UDP sockets: batches of datagrams in and out, with segmentation offload and ECN.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use nix::sys::socket::{setsockopt, sockopt};
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use socket2::{Domain, Protocol, Socket, Type};

use crate::steering::Steering;

/// Socket buffers asked for, in bytes: 80 ms at 400 Mbit/s. The kernel may grant less.
const SOCKET_BUFFER: usize = 4 << 20;

/// Receive buffers filled by one system call. Few, so that acknowledgements are not held back to
/// cover hundreds of packets; each takes a whole GRO aggregate.
const RECEIVE_BATCH: usize = 8;

/// Largest aggregate that the kernel hands over or takes, in bytes.
const AGGREGATE: usize = 65_536;

/// A received datagram.
pub struct Datagram<'a> {
    pub data: &'a mut [u8],
    pub from: SocketAddr,
    pub to: SocketAddr,
    /// ECN bits of the IP header; `None` is Not-ECT.
    pub ecn: Option<EcnCodepoint>,
    /// When the kernel received it, on the wall clock since the Unix epoch.
    pub received_at: Option<Duration>,
}

/// Datagrams for one destination that leave back to back.
pub struct Outgoing<'a> {
    /// Datagrams of `segment` bytes each; only the last may be shorter.
    pub data: &'a [u8],
    pub segment: usize,
    pub from: SocketAddr,
    pub to: SocketAddr,
    /// ECN bits to put into the IP header; `None` is Not-ECT.
    pub ecn: Option<EcnCodepoint>,
}

/// A non-blocking UDP socket.
pub struct UdpEndpoint {
    socket: UdpSocket,
    state: UdpSocketState,
    local: SocketAddr,
    buffers: Vec<Vec<u8>>,
    /// What the kernel had no room for. quiche counts it as sent, so it must not be dropped.
    unsent: VecDeque<Kept>,
    warned: bool,
}

/// An [`Outgoing`] that owns its data.
struct Kept {
    data: Vec<u8>,
    segment: usize,
    from: SocketAddr,
    to: SocketAddr,
    ecn: Option<EcnCodepoint>,
}

impl UdpEndpoint {
    /// Binds `address`. An IPv6 socket takes IPv6 only, so that both families can share a port.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        Self::new(bound(address, false)?)
    }

    /// Sockets for several threads on the same address, between which `steering` divides what comes.
    pub fn bind_group(address: SocketAddr, steering: &Steering) -> io::Result<Vec<Self>> {
        // Nobody else may have the address; others may join only from then on.
        let first = bound(address, false)?;
        setsockopt(&first, sockopt::ReusePort, &true)?;
        let address = first.local_addr()?;
        let mut sockets = vec![first];
        for _ in 1..steering.workers() {
            sockets.push(bound(address, true)?);
        }
        let unable = |e: io::Error| {
            let why = format!("the kernel does not divide datagrams between workers: {e}");
            io::Error::new(e.kind(), why)
        };
        steering.attach(&sockets[0]).map_err(unable)?;
        let group = sockets.into_iter().map(|socket| {
            let endpoint = Self::new(socket)?;
            // An aggregate goes where its first datagram belongs, with packets of other connections.
            setsockopt(&endpoint.socket, sockopt::UdpGroSegment, &false)?;
            Ok(endpoint)
        });
        group.collect()
    }

    fn new(socket: UdpSocket) -> io::Result<Self> {
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        keep_control_messages_complete(&socket)?;
        for result in [
            state.set_send_buffer_size(UdpSockRef::from(&socket), SOCKET_BUFFER),
            state.set_recv_buffer_size(UdpSockRef::from(&socket), SOCKET_BUFFER),
        ] {
            if let Err(e) = result {
                log::debug!("socket buffer of {SOCKET_BUFFER} bytes refused: {e}");
            }
        }
        Ok(Self {
            local: socket.local_addr()?,
            state,
            socket,
            buffers: vec![vec![0; AGGREGATE]; RECEIVE_BATCH],
            unsent: VecDeque::new(),
            warned: false,
        })
    }

    /// The address it is bound to.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Whether what is sent to this address comes in by it.
    pub fn has(&self, address: SocketAddr) -> bool {
        let any = self.local.ip().is_unspecified()
            && self.local.port() == address.port()
            && self.local.is_ipv6() == address.is_ipv6();
        any || self.local == address
    }

    /// Most datagrams that one [`Outgoing`] may hold.
    pub fn max_segments(&self) -> usize {
        // Linux takes more since 6.9, but this keeps a burst within one aggregate everywhere.
        self.state.max_gso_segments().clamp(1, 64)
    }

    /// Whether datagrams wait for the kernel. Nothing more should be produced until
    /// [`UdpEndpoint::send_unsent`] has cleared it.
    pub fn is_blocked(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Receives what one system call returns, and hands every datagram to `handle`. Returns whether
    /// there may be more.
    pub fn receive(&mut self, mut handle: impl FnMut(Datagram<'_>)) -> io::Result<bool> {
        let mut metas = [RecvMeta::default(); RECEIVE_BATCH];
        let mut slices: Vec<IoSliceMut<'_>> = self
            .buffers
            .iter_mut()
            .map(|buffer| IoSliceMut::new(buffer))
            .collect();
        let received =
            match self
                .state
                .recv(UdpSockRef::from(&self.socket), &mut slices, &mut metas)
            {
                Ok(received) => received,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => 0,
                Err(e) => return Err(e),
            };
        for (buffer, meta) in self.buffers.iter_mut().zip(&metas[..received]) {
            let to = destination(self.local, meta);
            for data in buffer[..meta.len].chunks_mut(meta.stride.max(1)) {
                let (from, ecn, received_at) = (meta.addr, meta.ecn, meta.timestamp);
                handle(Datagram {
                    data,
                    from,
                    to,
                    ecn,
                    received_at,
                });
            }
        }
        Ok(received == RECEIVE_BATCH)
    }

    /// Sends datagrams, or keeps them until the socket is writable.
    pub fn send(&mut self, outgoing: &Outgoing<'_>) {
        if self.is_blocked() || !self.try_send(outgoing) {
            self.unsent.push_back(Kept {
                data: outgoing.data.to_vec(),
                segment: outgoing.segment,
                from: outgoing.from,
                to: outgoing.to,
                ecn: outgoing.ecn,
            });
        }
    }

    /// Sends what was kept, as far as the kernel has room.
    pub fn send_unsent(&mut self) {
        while let Some(kept) = self.unsent.pop_front() {
            let Kept {
                ref data,
                segment,
                from,
                to,
                ecn,
            } = kept;
            if !self.try_send(&Outgoing {
                data,
                segment,
                from,
                to,
                ecn,
            }) {
                self.unsent.push_front(kept);
                return;
            }
        }
    }

    /// Returns false if the kernel has no room. Any other failure loses the datagrams, as a
    /// network would.
    fn try_send(&mut self, outgoing: &Outgoing<'_>) -> bool {
        let segments_before = self.state.max_gso_segments();
        match self.transmit(outgoing.data, Some(outgoing.segment), outgoing) {
            Ok(()) => true,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => false,
            Err(_) if self.state.max_gso_segments() < segments_before => {
                // The kernel accepts offload but the device does not: once more, one by one.
                for data in outgoing.data.chunks(outgoing.segment) {
                    if let Err(e) = self.transmit(data, None, outgoing) {
                        self.warn(outgoing, &e);
                    }
                }
                true
            }
            Err(e) => {
                self.warn(outgoing, &e);
                true
            }
        }
    }

    fn transmit(
        &self,
        contents: &[u8],
        segment_size: Option<usize>,
        outgoing: &Outgoing<'_>,
    ) -> io::Result<()> {
        let transmit = Transmit {
            destination: outgoing.to,
            ecn: outgoing.ecn,
            contents,
            segment_size,
            // Only a wildcard socket has a choice of source address.
            src_ip: self.local.ip().is_unspecified().then(|| outgoing.from.ip()),
        };
        self.state
            .try_send(UdpSockRef::from(&self.socket), &transmit)
    }

    fn warn(&mut self, outgoing: &Outgoing<'_>, error: &io::Error) {
        let (to, segment) = (outgoing.to, outgoing.segment);
        let level = if self.warned {
            log::Level::Debug
        } else {
            log::Level::Warn
        };
        log::log!(
            level,
            "datagrams of {segment} bytes to {to} were not sent: {error}"
        );
        self.warned = true;
    }
}

impl AsFd for UdpEndpoint {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A socket on this address, which it may `share` with others that do.
fn bound(address: SocketAddr, share: bool) -> io::Result<UdpSocket> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    if share {
        setsockopt(&socket, sockopt::ReusePort, &true)?;
    }
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// The local address from which `remote` is reached, with any port. Binding to it, not to the
/// wildcard, makes the addresses of sent and received packets agree.
pub fn local_for(remote: SocketAddr) -> io::Result<SocketAddr> {
    let wildcard = if remote.is_ipv6() {
        "[::]:0"
    } else {
        "0.0.0.0:0"
    };
    let probe = UdpSocket::bind(wildcard)?;
    // Sends nothing: the kernel only looks up the route.
    probe.connect(remote)?;
    let mut local = probe.local_addr()?;
    local.set_port(0);
    Ok(local)
}

/// Switches off what would make the kernel drop ECN bits.
///
/// quinn-udp 0.6.3 has 96 bytes for control messages, but with an aggregate come its segment size
/// (24), the receive time (32), the address (32, IPv6 40), and last the ECN bits (24), which then
/// are lost. A socket that is bound to one address does not need to be told the address; any other
/// does without aggregates.
fn keep_control_messages_complete(socket: &UdpSocket) -> io::Result<()> {
    let local = socket.local_addr()?;
    match local.ip() {
        ip if ip.is_unspecified() => setsockopt(socket, sockopt::UdpGroSegment, &false)?,
        IpAddr::V4(_) => setsockopt(socket, sockopt::Ipv4PacketInfo, &false)?,
        IpAddr::V6(_) => setsockopt(socket, sockopt::Ipv6RecvPacketInfo, &false)?,
    }
    Ok(())
}

/// The local address that the datagram was sent to. quiche tells paths apart by it, so a socket
/// bound to one address always reports exactly that.
fn destination(local: SocketAddr, meta: &RecvMeta) -> SocketAddr {
    match meta.dst_ip {
        Some(ip) if local.ip().is_unspecified() => SocketAddr::new(ip, local.port()),
        _ => local,
    }
}

#[cfg(test)]
mod tests;
