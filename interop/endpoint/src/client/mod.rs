//! The HTTP/3 client.

mod cli;
mod download;
mod exchange;
mod group;
mod http;
mod http09;
mod moving;
mod progress;
mod requests;
mod resumption;
mod sink;
mod summary;
mod upkeep;

pub use cli::ClientArgs;
pub use group::{plan, Group};
pub use summary::{fetch_all, ExitStatus};
