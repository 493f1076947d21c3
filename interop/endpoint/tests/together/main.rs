//! Tests that measure no time: in one program, since to link one takes seconds, and beside other tests.

#[path = "../common/mod.rs"]
mod common;

mod access_log;
mod amplification;
mod credentials;
mod ecn;
mod escapes;
mod hostile;
mod http09;
mod lies;
mod metrics;
mod pieces;
mod reload;
mod requests;
mod rules;
mod supervised;
mod traced;
mod unread;
mod usage;
mod written;
