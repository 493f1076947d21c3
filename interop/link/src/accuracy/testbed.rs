//! A client, a relay on a thread of its own, and a server.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use polling::{Event, Events, Poller};
use quiche_cc_bottleneck::Ecn;

use crate::clock::unix_now;
use crate::{Config, Log, Receiver, Relay, Socket, Stopper, Summary};

/// How long to wait for a packet that should come at once, beside the path's own delay.
const PATIENCE: Duration = Duration::from_secs(5);

/// Both ends of a path through a relay. The first packet has made its way from the client to the server.
pub struct Testbed {
    /// Sends to and receives from [`relay`](Testbed::relay).
    pub client: Socket,
    /// Sends to and receives from [`upstream`](Testbed::upstream).
    pub server: Socket,
    /// Where the client sends to.
    pub relay: SocketAddr,
    /// Where the server sends to: the relay's socket for this client.
    pub upstream: SocketAddr,
    stopper: Stopper,
    thread: JoinHandle<io::Result<Summary>>,
}

/// A datagram as an end received it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Who sent it.
    pub from: SocketAddr,
    /// Its ECN field.
    pub ecn: Ecn,
    /// When, since the Unix epoch: the kernel's time, or else when it was read.
    pub at: Duration,
    /// Its UDP payload.
    pub payload: Vec<u8>,
}

impl Testbed {
    /// Starts a relay on 127.0.0.1, changed from transparent as `shape` says.
    ///
    /// # Errors
    /// Those of sockets and threads; `TimedOut` if the first packet does not arrive.
    pub fn start(shape: impl FnOnce(&mut Config)) -> io::Result<Self> {
        Self::start_at(Ipv4Addr::LOCALHOST.into(), shape, Log::none())
    }

    /// Starts a relay on the loopback address `ip`, with a log.
    ///
    /// # Errors
    /// As [`start`](Testbed::start).
    pub fn start_at(ip: IpAddr, shape: impl FnOnce(&mut Config), log: Log) -> io::Result<Self> {
        let any_port = SocketAddr::new(ip, 0);
        let server = Socket::bind(any_port)?;
        let mut config = Config::transparent(any_port, server.local_addr()?);
        shape(&mut config);
        let patience = PATIENCE + config.up.delay.first();
        let relay = Relay::bind(config)?;
        let (address, stopper) = (relay.local_addr(), relay.stopper());
        let thread = std::thread::Builder::new()
            .name("relay".to_owned())
            .spawn(move || relay.run(log))?;
        let client = Socket::bind(any_port)?;
        client.send(address, Ecn::NotEct, b"hello")?;
        let hello = receive(&server, 1, patience)?;
        let Some(hello) = hello.first() else {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "nothing came through the relay",
            ));
        };
        Ok(Self {
            client,
            server,
            relay: address,
            upstream: hello.from,
            stopper,
            thread,
        })
    }

    /// Stops the relay.
    ///
    /// # Errors
    /// Those that ended the relay.
    pub fn stop(self) -> io::Result<Summary> {
        self.stopper.stop();
        self.thread
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the relay panicked")))
    }
}

/// Receives until there are `count` datagrams or `patience` is over.
///
/// # Errors
/// Those of the socket.
pub fn receive(socket: &Socket, count: usize, patience: Duration) -> io::Result<Vec<Received>> {
    let poller = Poller::new()?;
    let mut events = Events::new();
    let mut receiver = Receiver::default();
    let mut all = Vec::new();
    let deadline = Instant::now() + patience;
    // SAFETY: the socket is deleted from the poller before this function gives the borrow back; the
    // poller itself does not outlive it.
    unsafe { poller.add(socket.inner(), Event::none(0))? };
    while all.len() < count && Instant::now() < deadline {
        poller.modify(socket.inner(), Event::readable(0))?;
        events.clear();
        poller.wait_deadline(&mut events, deadline)?;
        socket.receive(&mut receiver, |datagram| {
            all.push(Received {
                from: datagram.from,
                ecn: datagram.ecn,
                at: datagram.received.unwrap_or_else(unix_now),
                payload: datagram.payload.to_vec(),
            });
        })?;
    }
    poller.delete(socket.inner())?;
    Ok(all)
}
