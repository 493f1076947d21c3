//! One qlog file per connection.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use crate::connection::{hex, Connection};

/// A directory for traces.
#[derive(Clone, Debug)]
pub struct QlogDirectory(PathBuf);

impl QlogDirectory {
    /// Uses `path`, which is created if need be.
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path).map_err(|e| {
            let path = path.display();
            io::Error::new(
                e.kind(),
                format!("qlog directory {path} cannot be created: {e}"),
            )
        })?;
        Ok(Self(path.to_owned()))
    }

    /// Starts the trace of a new connection. `original_id` is the connection id that the client
    /// chose for the server, which both ends know: their files get the same name but for the role.
    ///
    /// The file is complete when the connection is dropped. An existing one is never overwritten:
    /// whoever repeats a client's first packet would destroy its trace.
    pub fn attach(&self, conn: &mut Connection, original_id: &[u8], cc: &str) -> io::Result<()> {
        let role = if conn.is_server() { "server" } else { "client" };
        let path = self.0.join(format!("{}_{role}.sqlog", hex(original_id)));
        let file = File::create_new(&path)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        conn.set_qlog_with_level(
            Box::new(BufWriter::with_capacity(1 << 16, file)),
            format!("quiche-cc {role}"),
            format!("{role} with congestion controller {cc}"),
            quiche::QlogLevel::Extra,
        );
        Ok(())
    }
}
