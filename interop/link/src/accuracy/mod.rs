//! How accurate the relay is on this machine, measured from outside: through real sockets, with the
//! kernel's receive timestamps, without looking into the relay.

mod measure;
mod table;
mod testbed;

pub use measure::{delay, rate, DelayReport, RateReport};
pub use table::print;
pub use testbed::{receive, Received, Testbed};
