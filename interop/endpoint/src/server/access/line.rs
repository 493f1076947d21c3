//! The line.

use serde::Serialize;

use super::{milliseconds, Access};
use crate::server::responses::End;

/// The connection that a request came on.
pub struct About {
    pub peer: String,
    pub original_id: String,
    pub cc: String,
    pub cc_rule: Option<String>,
    pub protocol: String,
}

/// How it ended for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// The client has acknowledged all of it.
    Delivered,
    /// The client wanted no more of it.
    Cancelled,
    /// The client took or acknowledged too little of it for too long.
    Stalled,
    /// The server could not go on with it.
    Reset,
    /// The connection ended first.
    Closed,
}

impl Fate {
    /// Of a response that has ended before the connection.
    pub fn of(end: End) -> Self {
        match end {
            End::Delivered => Self::Delivered,
            End::Cancelled => Self::Cancelled,
            End::Stalled => Self::Stalled,
            End::Failed => Self::Reset,
        }
    }
}

/// Its fields, in the order in which they are written.
#[derive(Serialize)]
pub struct Line<'a> {
    event: &'static str,
    /// When the request came (RFC 3339, UTC).
    time: String,
    peer: &'a str,
    original_id: &'a str,
    cc: &'a str,
    cc_rule: Option<&'a str>,
    protocol: &'a str,
    method: Option<&'a str>,
    host: Option<&'a str>,
    path: Option<&'a str>,
    status: u16,
    bytes: u64,
    /// From the request to the end of the response.
    duration_ms: f64,
    end: Fate,
    user_agent: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// Of an access that ends now, with so many bytes of its body.
    pub fn new(about: &'a About, access: &'a Access, bytes: u64, end: Fate) -> Self {
        let asked = &access.asked;
        Self {
            event: "request",
            time: format!("{:.3}", access.time),
            peer: &about.peer,
            original_id: &about.original_id,
            cc: &about.cc,
            cc_rule: about.cc_rule.as_deref(),
            protocol: &about.protocol,
            method: asked.method.as_deref(),
            host: asked.host.as_deref(),
            path: asked.path.as_deref(),
            status: access.status,
            bytes,
            duration_ms: milliseconds(access.began.elapsed()),
            end,
            user_agent: asked.user_agent.as_deref(),
        }
    }
}
