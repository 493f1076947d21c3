//! Statistics over any part of a run: pure functions of its [record](crate::record).
//!
//! What there are no samples of is `None`, never 0. Units stand in names: `_ms`, `_bps` (bit/s), `_packets`; a `share` is 0
//! to 1. All statistics are the same on every machine: sums go in a fixed order, and square roots are exact.

pub mod fairness;
mod flow;
mod link;
pub mod media;
pub mod rate;
mod samples;
#[cfg(test)]
mod tests;
mod window;

pub use self::flow::{one_way, queueing, FlowStats, Lost};
pub use self::link::{LinkStats, QueueStats};
pub use self::samples::{millis, Distribution, Samples};
pub use self::window::Window;
