//! Closed forms and fluid models of the papers: what a controller should do, computed without one.

pub mod aimd;
mod dde;
pub mod fluid;
pub mod operating_point;
pub mod tcp;
