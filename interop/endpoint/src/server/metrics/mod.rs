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
pub use self::health::Phase;
pub use self::meter::Meter;

use self::health::Health;
use self::listener::Listener;
use super::peers::Peers;

/// The figures, and the listener if somebody may ask for them.
#[derive(Default)]
pub struct Metrics {
    pub families: Families,
    health: Arc<Health>,
    listener: Option<Listener>,
}

/// What the listener tells.
struct Told {
    registry: Registry,
    health: Arc<Health>,
}

impl Metrics {
    /// Figures that are told on this address, if there is one.
    pub fn new(address: Option<SocketAddr>) -> io::Result<Self> {
        let mut metrics = Self::default();
        if let Some(address) = address {
            let mut registry = Registry::with_prefix("cc_server");
            metrics.families.register(&mut registry);
            let health = metrics.health.clone();
            let told = Told { registry, health };
            metrics.listener = Some(Listener::start(address, told)?);
        }
        Ok(metrics)
    }

    /// Where they are told.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.as_ref().map(Listener::address)
    }

    /// When the loop has to show that it still turns.
    pub fn due(&self) -> Option<Instant> {
        self.listener.as_ref().map(|_| self.health.due())
    }

    /// To be called in every turn of the loop.
    pub fn on_turn(&self, now: Instant, phase: Phase, peers: &Peers) {
        if self.health.beat(now, phase) {
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
