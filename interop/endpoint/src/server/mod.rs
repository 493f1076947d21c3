//! The HTTP/3 server.

mod accept;
mod chooser;
mod cli;
mod content;
mod crowds;
mod heard;
mod http09;
mod message;
mod peer;
mod peers;
mod range;
mod records;
mod rehearsal;
mod resets;
mod responses;
mod route;
mod rules;
mod run;
mod secret;
mod shortage;
mod site;
mod stalls;
mod strangers;
mod token;

pub use cli::ServerArgs;
pub use run::Server;
