//! The controllers, one file or folder each. None knows quiche, qlog or where time comes from.

mod bounds;
pub mod hybrid;
pub mod hybrid_paper;
mod newreno;
mod pacing;
pub mod raimd;
mod report;
pub mod rrr;
pub mod smallq;
#[cfg(test)]
mod testing;
mod trace;
pub mod vegas;
