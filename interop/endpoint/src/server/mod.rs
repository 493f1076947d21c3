//! The HTTP/3 server.

mod accept;
mod access;
mod budget;
mod census;
mod chooser;
mod cli;
mod commons;
mod content;
mod crowds;
mod delivery;
mod framing;
mod heard;
mod http09;
mod lead;
mod life;
mod message;
mod metrics;
mod peer;
mod peers;
mod preferred;
mod range;
mod records;
mod rehearsal;
mod resets;
mod responses;
mod route;
mod rules;
mod run;
mod secret;
mod services;
mod shortage;
mod site;
mod spent;
mod stalls;
mod strangers;
mod supervisor;
mod token;
mod workers;

pub use cli::ServerArgs;
#[cfg(test)]
pub(crate) use metrics::Families;
pub use workers::Server;
