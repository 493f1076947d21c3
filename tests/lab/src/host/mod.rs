//! The hosts of a QUIC flow: two quiche connections, each with its own clock.

mod acks;
pub mod clock;
mod endpoint;
mod tls;

pub use self::endpoint::{check, port, Connection, Endpoint, EndpointConfig};
