//! Malformed HTTP/3 as data: what a client sends, and what the RFCs demand of the server.
//!
//! [`cases`] are the table, [`drive`] plays one of them with h3i against a running server and says what came of it.

mod cases;
mod client;
mod outcome;
pub mod programs;
pub mod wire;

pub use cases::cases;
pub use client::drive;
pub use outcome::{code, Outcome};

use h3i::actions::h3::Action;

/// One way to break the rules (or to stretch them), on a connection of its own.
pub struct Case {
    /// What is sent, in words.
    pub name: &'static str,
    /// The section that says what a server has to do.
    pub rfc: &'static str,
    /// What is sent. Stream 0 is the request under test, where there is one.
    pub send: Vec<Action>,
    /// What the section allows.
    pub demanded: Vec<Outcome>,
    /// What quiche does instead, and why.
    pub deviation: Option<(Outcome, &'static str)>,
}

impl Case {
    /// A case in which the server has to react in one of the ways in `demanded`.
    pub fn new(
        name: &'static str,
        rfc: &'static str,
        send: Vec<Action>,
        demanded: &[Outcome],
    ) -> Self {
        Self {
            name,
            rfc,
            send,
            demanded: demanded.to_vec(),
            deviation: None,
        }
    }

    /// Records that quiche does something else.
    pub fn deviates(self, observed: Outcome, reason: &'static str) -> Self {
        Self {
            deviation: Some((observed, reason)),
            ..self
        }
    }

    /// Whether this is how the server has to react: as demanded, or as the recorded deviation. A deviation that is gone
    /// is a reason to strike it off the table.
    pub fn expects(&self, outcome: &Outcome) -> bool {
        match &self.deviation {
            Some((observed, _)) => observed == outcome,
            None => self.demanded.contains(outcome),
        }
    }
}
