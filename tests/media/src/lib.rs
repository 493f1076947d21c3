//! Live media whose encoder follows the rate of its connection, as the lab simulates it in virtual time and `cc-encoder` sends
//! it over real sockets: the rate, the rung that follows from it, and what a viewer counts as frozen. Time is passed in.

#![warn(missing_docs)]

mod freezes;
mod ladder;
mod target;

pub use freezes::frozen;
pub use ladder::{Following, Ladder};
pub use target::target;
