//! One qlog file per connection.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use crate::connection::{hex, Connection};
use crate::held::Held;

/// A directory for traces.
#[derive(Clone, Debug)]
pub struct QlogDirectory(PathBuf);

/// A trace that has no file yet.
pub struct HeldTrace {
    path: PathBuf,
    records: Held,
}

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
    pub fn attach(&self, conn: &mut Connection, original_id: &[u8], cc: &str) -> io::Result<()> {
        self.hold(conn, original_id, cc).open()
    }

    /// The same, but the file is made only when the trace is opened.
    pub fn hold(&self, conn: &mut Connection, original_id: &[u8], cc: &str) -> HeldTrace {
        let role = if conn.is_server() { "server" } else { "client" };
        let path = self.0.join(format!("{}_{role}.sqlog", hex(original_id)));
        let records = Held::default();
        conn.set_qlog_with_level(
            Box::new(BufWriter::with_capacity(1 << 16, records.clone())),
            format!("quiche-cc {role}"),
            format!("{role} with congestion controller {cc}"),
            quiche::QlogLevel::Extra,
        );
        HeldTrace { path, records }
    }
}

impl HeldTrace {
    /// Gives the trace its file, which is complete when the connection is dropped. An existing one
    /// is never overwritten: whoever repeats a client's first packets would destroy its trace.
    pub fn open(&self) -> io::Result<()> {
        File::create_new(&self.path)
            .and_then(|file| self.records.open(Box::new(file)))
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", self.path.display())))
    }
}
