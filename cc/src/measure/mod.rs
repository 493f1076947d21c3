//! What can be measured on a path, independent of who controls it.

pub mod epoch;
pub mod owd;
pub mod round;
pub mod rtt;
pub mod trend;
pub mod trust;
pub mod window_min;
