//! A bottleneck in real time: a UDP relay between loopback addresses, without special rights.
//!
//! ```text
//!                 up: rate, delay, buffer, queue, loss ... (default: unlimited rate, same delay)
//!   client  ---> [listen] ------------------------------------------> [to]  server
//!           <---          <------------------------------------------
//!                 down: rate, delay, buffer, queue, loss ... (the bottleneck of a download)
//! ```
//!
//! The links themselves are those of [`quiche_cc_bottleneck`]; here are sockets, the clock and the log.
//! A packet's arrival is the kernel's receive time, its departure is computed from that alone,
//! so a relay that wakes up late releases late but neither lowers the rate nor shifts what follows. How
//! late each release was is measured and reported.

pub mod accuracy;
mod address;
pub mod cli;
mod clock;
mod config;
mod direction;
mod flows;
mod kernel_drops;
mod log;
mod realtime;
mod record;
mod recording;
mod relay;
mod socket;
mod spread;
mod stopper;

pub use address::{loopback, AddressError};
pub use config::Config;
pub use log::Log;
pub use record::{Direction, DirectionSummary, PacketRecord, Record, Sample, Start, Summary};
pub use relay::Relay;
pub use socket::{Datagram, Receiver, Socket};
pub use spread::{Percentiles, Spread};
pub use stopper::Stopper;
