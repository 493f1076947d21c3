//! The controllers, one file or folder each. None knows quiche, qlog or where time comes from.

pub mod hybrid;
mod newreno;
mod pacing;
pub mod raimd;
mod report;
pub mod rrr;
pub mod smallq;
pub mod vegas;
