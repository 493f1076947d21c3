//! What is written down about one connection, from its first packet, but only if its client exists.

use std::io;

use crate::held::Held;
use crate::keylog::KeyLog;
use crate::qlog::HeldTrace;

/// Trace and secrets of a connection, without a file until they are kept.
#[derive(Default)]
pub struct Records {
    pub trace: Option<HeldTrace>,
    pub secrets: Option<(Held, KeyLog)>,
}

impl Records {
    /// Writes all of it where it belongs. Without it the connection still works.
    pub fn keep(&self) {
        match self.trace.as_ref().map(HeldTrace::open) {
            None | Some(Ok(())) => {}
            Some(Err(e)) if e.kind() == io::ErrorKind::AlreadyExists => {
                log::debug!("no trace: {e}");
            }
            Some(Err(e)) => log::warn!("no trace: {e}"),
        }
        if let Some((held, keylog)) = &self.secrets {
            if let Err(e) = held.open(keylog.writer()) {
                log::warn!("no key log: {e}");
            }
        }
    }
}
