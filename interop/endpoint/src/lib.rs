//! HTTP/3 server and client on quiche, with the congestion controller chosen by name.
//!
//! A thread runs a loop (a server may have several): [`wait`] sleeps until a socket is ready or a deadline passes,
//! [`socket`] hands datagrams in and out, [`pacing`] asks quiche for packets at the moment its
//! pacer releases them. `server` and `client` put HTTP/3 on top of it. Everything a connection
//! needs to be configured the same way at both ends is in [`transport`].

pub mod arguments;
pub mod body;
pub mod cc_choice;
pub mod client;
pub mod connection;
pub mod documents;
pub mod files;
pub mod held;
pub mod http09;
pub mod keylog;
pub mod logging;
pub mod object;
pub mod output;
pub mod pacing;
pub mod plugins;
pub mod qlog;
#[cfg(test)]
mod reference;
pub mod report;
pub mod server;
pub mod share;
pub mod signals;
pub mod socket;
pub mod splitmix;
pub mod steering;
pub mod text;
pub mod timers;
pub mod tls;
pub mod transport;
pub mod wait;
