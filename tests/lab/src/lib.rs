//! The lab: whole quiche connections, with TLS and all, over a simulated network in virtual time.
//!
//! ```text
//!   scenario (TOML) ──┐                         ┌──► summary, series, plots
//!   controllers ──────┼──► simulation ──► record┤
//!   seed ─────────────┘    (virtual time)       └──► claims
//! ```
//!
//! What runs is the production code: the patched quiche and the controllers behind its seam. Only the clock
//! ([`virtual_time`]), the randomness ([`randomness`]) and the network ([`network`]) are the lab's, so that minutes pass in
//! seconds and the same seed gives the same run.

#![warn(missing_docs)]

mod agenda;
mod asked;
pub mod claims;
pub mod cli;
pub mod compare;
mod host;
mod job;
pub mod neighbour;
pub mod network;
mod page;
pub mod plot;
pub mod randomness;
pub mod record;
pub mod recording;
pub mod scenario;
pub mod series;
pub mod simulation;
pub mod stats;
mod store;
pub mod summary;
pub mod sweep;
mod toml_errors;
mod traffic;
pub mod version;
pub mod virtual_time;
