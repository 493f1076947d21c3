//! What a relay is to do.

use std::net::SocketAddr;
use std::time::Duration;

use quiche_cc_bottleneck::{Buffer, LinkConfig, Overhead, Probability, Rate};

/// One direction of the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DirectionConfig {
    /// Rate; `None`: unlimited.
    pub rate: Option<Rate>,
    /// Propagation delay, one way.
    pub delay: Duration,
    /// What the queue may hold.
    pub buffer: Buffer,
    /// Random loss.
    pub loss: Probability,
}

/// A relay between loopback addresses.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Where clients send to; port 0 lets the system choose.
    pub listen: SocketAddr,
    /// The server.
    pub to: SocketAddr,
    /// From the server to the clients.
    pub down: DirectionConfig,
    /// From the clients to the server.
    pub up: DirectionConfig,
    /// Bytes that count beyond the UDP payload.
    pub overhead: Overhead,
    /// Seed of the random losses.
    pub seed: u64,
    /// Time between two samples in the log.
    pub interval: Duration,
    /// Also record every packet.
    pub log_packets: bool,
    /// Stop by itself after this time.
    pub duration: Option<Duration>,
    /// At most so many client addresses at once.
    pub max_flows: usize,
    /// A client address that neither sends nor receives for so long is forgotten.
    pub idle_timeout: Duration,
    /// Ask for real-time priority.
    pub realtime: bool,
}

impl Config {
    /// A relay that changes nothing: no limit, no delay, no loss.
    pub fn transparent(listen: SocketAddr, to: SocketAddr) -> Self {
        let open = DirectionConfig {
            rate: None,
            delay: Duration::ZERO,
            buffer: Buffer::Unlimited,
            loss: Probability::ZERO,
        };
        Self {
            listen,
            to,
            down: open,
            up: open,
            overhead: Overhead::IpUdp,
            seed: 1,
            interval: Duration::from_millis(10),
            log_packets: false,
            duration: None,
            max_flows: 1024,
            idle_timeout: Duration::from_secs(60),
            realtime: true,
        }
    }

    /// The round-trip time of the path when nothing queues and sending takes no time.
    pub fn base_rtt(&self) -> Duration {
        self.down.delay + self.up.delay
    }

    /// One direction as the model takes it.
    pub fn link(&self, direction: &DirectionConfig) -> LinkConfig {
        LinkConfig {
            rate: direction.rate,
            delay: direction.delay,
            buffer: direction.buffer,
            base_rtt: self.base_rtt(),
            loss: direction.loss,
        }
    }
}
