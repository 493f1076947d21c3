//! The contract of a controller, and what it takes to hold every entry of the catalogue to it.
//!
//! ```text
//!   Operation ──► World ──┐                      (anything that quiche can do to a controller,
//!   (proptest, fuzzer)    │                       from a seed or a fuzzer's bytes)
//!                         ├──► Checked ──► any Controller
//!   Topology ──► Path ────┘     (invariants, after every call)
//!   (one bottleneck, senders and receivers, in virtual time)
//! ```
//!
//! [`subject`] lists who is tested, every profile of every entry, so a new entry is covered without
//! a change here. [`expectation`] is the one table of where an entry differs and why.
//! Nothing here needs quiche: the crate builds in seconds, with overflow checks.

#![warn(missing_docs)]

pub mod checked;
pub mod expectation;
pub mod operation;
pub mod path;
pub mod subject;
pub mod world;

pub use checked::Checked;
pub use operation::Operation;
pub use subject::{subjects, Subject};
pub use world::World;

use quiche_cc::feedback::{Acked, Lost};
use quiche_cc::units::Bytes;

/// What these packets took of the window.
fn bytes_of(acked: &[Acked], lost: &[Lost]) -> Bytes {
    let acked = acked.iter().map(|packet| packet.size.0);
    Bytes(acked.chain(lost.iter().map(|packet| packet.size.0)).sum())
}
