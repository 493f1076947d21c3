//! Congestion controllers written in C.
//!
//! ```text
//!   quiche_cc.h ── abi ──► ops (is the table whole?) ──► controller (a Controller that asks the table)
//!                                                          └─ sane (what it decides, held within bounds)
//! ```
//!
//! [`register`] and [`load`] add them to the catalogue; what they mean is defined in `cc/capi/include/quiche_cc.h`.

#![warn(missing_docs)]

pub mod abi;
mod controller;
pub mod error;
mod load;
mod ops;
mod sane;

pub use self::load::{add, load};
pub use self::ops::register;
