//! Figures of the server in the OpenMetrics format, which Prometheus reads. The loop counts, and a thread of its own tells whoever
//! asks ([`Listener`]), so that nobody who asks slowly holds up a connection.

mod families;
mod health;
mod listener;
mod meter;

use std::io;
use std::net::SocketAddr;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

pub use self::families::Families;
pub use self::health::Pulses;
pub use self::meter::Meter;

use self::listener::Listener;

/// What is counted and told, if anybody may ask for it.
pub struct Metrics {
    pub families: Families,
    listener: Listener,
}

/// What the listener tells.
struct Told {
    registry: Registry,
    pulses: Pulses,
}

impl Metrics {
    /// Figures that are told on this address, and whether the workers with these pulses serve.
    pub fn new(address: SocketAddr, pulses: Pulses) -> io::Result<Self> {
        let families = Families::default();
        let mut registry = Registry::with_prefix("cc_server");
        families.register(&mut registry);
        let told = Told { registry, pulses };
        Ok(Self {
            families,
            listener: Listener::start(address, told)?,
        })
    }

    /// Where they are told.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// To be called once per second, with the number of half-open connections and the bytes that
    /// bodies take.
    pub fn on_second(&self, half_open: usize, memory: usize) {
        let value = |count| i64::try_from(count).unwrap_or(i64::MAX);
        self.families.half_open_connections.set(value(half_open));
        self.families.response_memory.set(value(memory));
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
