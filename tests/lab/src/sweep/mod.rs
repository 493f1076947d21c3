//! Many runs: controllers crossed with scenarios, seeds and values of parameters.

mod controllers;
mod execute;
mod plan;

pub use self::controllers::split;
pub use self::execute::{execute, Event, Failure, Writes};
pub use self::plan::{Axis, Plan, Sweep, SweepError};
