//! What a relay is to do.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use quiche_cc_bottleneck::{LinkConfig, Overhead};

/// A relay between loopback addresses.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Where clients send to; port 0 lets the system choose.
    pub listen: SocketAddr,
    /// The server.
    pub to: SocketAddr,
    /// From the server to the clients. The round-trip time is not looked at: see [`base_rtt`](Config::base_rtt).
    pub down: LinkConfig,
    /// From the clients to the server. Likewise.
    pub up: LinkConfig,
    /// Bytes that count beyond the UDP payload.
    pub overhead: Overhead,
    /// Seed of all that is random.
    pub seed: u64,
    /// Time between two samples in the log.
    pub interval: Duration,
    /// Also record every packet.
    pub log_packets: bool,
    /// Where the record of the run goes, if anywhere.
    pub record: Option<PathBuf>,
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
        Self {
            listen,
            to,
            down: LinkConfig::default(),
            up: LinkConfig::default(),
            overhead: Overhead::IpUdp,
            seed: 1,
            interval: Duration::from_millis(10),
            log_packets: false,
            record: None,
            duration: None,
            max_flows: 1024,
            idle_timeout: Duration::from_secs(60),
            realtime: true,
        }
    }

    /// The round-trip time of the path at the start, when nothing queues and sending takes no time.
    pub fn base_rtt(&self) -> Duration {
        self.down.delay.first() + self.up.delay.first()
    }

    /// One direction as the model takes it.
    pub fn link(&self, direction: &LinkConfig) -> LinkConfig {
        LinkConfig {
            base_rtt: self.base_rtt(),
            ..direction.clone()
        }
    }
}
