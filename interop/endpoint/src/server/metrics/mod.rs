//! Figures of the server in the OpenMetrics format, which Prometheus reads. The loop counts, and a thread of its own tells whoever
//! asks ([`Listener`]), so that nobody who asks slowly holds up a connection.

mod families;
mod health;
mod listener;
mod meter;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

pub use self::families::Families;
pub use self::meter::Meter;

use self::health::Health;
use self::listener::Listener;
use super::peers::Peers;

/// What is counted and told, if anybody may ask for it.
pub struct Metrics {
    pub families: Families,
    health: Arc<Health>,
    listener: Listener,
}

/// What the listener tells.
struct Told {
    registry: Registry,
    health: Arc<Health>,
}

impl Metrics {
    /// Figures that are told on this address.
    pub fn new(address: SocketAddr) -> io::Result<Self> {
        let families = Families::default();
        let health = Arc::<Health>::default();
        let mut registry = Registry::with_prefix("cc_server");
        families.register(&mut registry);
        let told = Told {
            registry,
            health: health.clone(),
        };
        Ok(Self {
            families,
            health,
            listener: Listener::start(address, told)?,
        })
    }

    /// Where they are told.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// When the loop has to show that it still turns.
    pub fn due(&self) -> Instant {
        self.health.due()
    }

    /// To be called in every turn of the loop.
    pub fn on_turn(&self, now: Instant, draining: bool, peers: &Peers) {
        if self.health.beat(now, draining) {
            let half_open = i64::try_from(peers.half_open()).unwrap_or(i64::MAX);
            self.families.half_open_connections.set(half_open);
        }
    }
}

impl Told {
    /// All figures as text.
    fn figures(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
