//! What a client's connection needs of the server.

use quiche::h3;

use super::access::AccessLog;
use super::chooser::Chooser;
use super::content::{Content, Response};
use super::metrics::Families;

/// Borrowed for one turn.
pub struct Services<'a> {
    pub content: &'a Content,
    pub h3_config: &'a h3::Config,
    pub chooser: &'a Chooser,
    /// What is counted, if anything is.
    pub families: Option<&'a Families>,
    /// Where requests are told, if anywhere.
    pub access_log: Option<&'a AccessLog>,
    /// The server is stopping: new requests are turned away.
    pub stopping: bool,
}

impl Services<'_> {
    /// A response begins.
    pub fn count_response(&self, response: &Response) {
        if let Some(families) = self.families {
            families.on_response(response.status);
        }
    }
}
