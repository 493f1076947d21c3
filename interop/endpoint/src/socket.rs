//! UDP sockets: batches of datagrams in and out, with segmentation offload and ECN.

use std::collections::VecDeque;
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use socket2::{Domain, Protocol, Socket, Type};

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
        let socket = Socket::new(
            Domain::for_address(address),
            Type::DGRAM,
            Some(Protocol::UDP),
        )?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        socket.bind(&address.into())?;
        let socket: UdpSocket = socket.into();
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
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

    /// Receives what one system call returns, and hands every datagram to `handle`.
    pub fn receive(&mut self, mut handle: impl FnMut(Datagram<'_>)) -> io::Result<()> {
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
        Ok(())
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

/// The local address that the datagram was sent to. quiche tells paths apart by it, so a socket
/// bound to one address always reports exactly that.
fn destination(local: SocketAddr, meta: &RecvMeta) -> SocketAddr {
    match meta.dst_ip {
        Some(ip) if local.ip().is_unspecified() => SocketAddr::new(ip, local.port()),
        _ => local,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn receive_all(socket: &mut UdpEndpoint, count: usize) -> Vec<(Vec<u8>, Option<EcnCodepoint>)> {
        let mut got = Vec::new();
        let end = Instant::now() + Duration::from_secs(5);
        while got.len() < count && Instant::now() < end {
            let interests = [crate::wait::Interest {
                fd: socket.as_fd(),
                writable: false,
            }];
            crate::wait::wait(&interests, Some(end)).unwrap();
            socket
                .receive(|datagram| got.push((datagram.data.to_vec(), datagram.ecn)))
                .unwrap();
        }
        got
    }

    #[test]
    fn segments_arrive_as_single_datagrams_with_their_ecn_bits() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let mut sender = UdpEndpoint::bind(address.parse().unwrap()).unwrap();
            let mut receiver = UdpEndpoint::bind(address.parse().unwrap()).unwrap();
            let data: Vec<u8> = (0..3500u32).map(|i| i as u8).collect();
            sender.send(&Outgoing {
                data: &data,
                segment: 1000,
                from: sender.local_addr(),
                to: receiver.local_addr(),
                ecn: Some(EcnCodepoint::Ect1),
            });
            let got = receive_all(&mut receiver, 4);
            let lengths: Vec<usize> = got.iter().map(|(data, _)| data.len()).collect();
            assert_eq!(lengths, [1000, 1000, 1000, 500], "{address}");
            assert_eq!(
                got.iter()
                    .flat_map(|(data, _)| data.clone())
                    .collect::<Vec<u8>>(),
                data
            );
            assert!(
                got.iter().all(|(_, ecn)| *ecn == Some(EcnCodepoint::Ect1)),
                "{address}"
            );
        }
    }

    #[test]
    fn a_wildcard_socket_reports_the_address_that_was_used() {
        let mut sender = UdpEndpoint::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let mut receiver = UdpEndpoint::bind("0.0.0.0:0".parse().unwrap()).unwrap();
        let port = receiver.local_addr().port();
        let to = SocketAddr::new("127.0.0.1".parse().unwrap(), port);
        let from = sender.local_addr();
        sender.send(&Outgoing {
            data: b"x",
            segment: 1,
            from,
            to,
            ecn: None,
        });
        let end = Instant::now() + Duration::from_secs(5);
        let interests = [crate::wait::Interest {
            fd: receiver.as_fd(),
            writable: false,
        }];
        crate::wait::wait(&interests, Some(end)).unwrap();
        let mut seen = None;
        receiver
            .receive(|datagram| seen = Some((datagram.from, datagram.to)))
            .unwrap();
        assert_eq!(seen, Some((from, to)));
    }
}
