//! Closed forms and fluid models of the papers: what a controller should do, computed without one.

pub mod aimd;
pub mod operating_point;
pub mod tcp;
