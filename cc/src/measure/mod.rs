//! What can be measured on a path, independent of who controls it.

pub mod batch;
pub mod course;
pub mod delays;
pub mod epoch;
pub mod floor;
pub mod jitter;
pub mod loss;
pub mod loss_count;
pub mod owd;
pub mod pause;
pub mod persistent;
pub mod rate;
pub mod round;
pub mod rtt;
pub mod sent;
pub mod skew;
pub mod spans;
pub mod train;
pub mod transmission;
pub mod trend;
pub mod trust;
pub mod used;
pub mod window_min;
