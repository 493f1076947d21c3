//! Low-delay congestion controllers for QUIC, as plug-ins of quiche.
//!
//! ```text
//!   quiche ──► plugin ──► controllers ──► measure ──► units
//!      (ACKs, losses)   (rate, window)  (delay, trend)
//! ```
//!
//! [`register`] makes the controllers known to quiche; from then on
//! `quiche::Config::set_cc_algorithm_name("hybrid:target_delay=10ms")` selects one, in Rust as in
//! C. [`parse`] reads the same strings and explains what is wrong with a bad one. What each
//! controller does, and from which paper, stands in [`catalogue`].
//!
//! Everything but [`plugin`] builds without quiche and so without BoringSSL
//! (`--no-default-features`): controllers take their time and feedback as arguments.

#![warn(missing_docs)]

pub mod catalogue;
pub mod controller;
pub mod controllers;
pub mod estimate;
pub mod feedback;
pub mod measure;
pub mod models;
#[cfg(feature = "plugin")]
pub mod plugin;
pub mod spec;
pub mod units;

pub use catalogue::{parse, Algorithm};
#[cfg(feature = "plugin")]
pub use plugin::{estimate, register};
pub use spec::SpecError;
