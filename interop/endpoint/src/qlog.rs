//! One qlog file per connection.

mod quota;

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use self::quota::{Limited, Quota};
use crate::connection::{hex, Connection};
use crate::held::Held;

/// A directory for traces.
#[derive(Clone, Debug)]
pub struct QlogDirectory {
    path: PathBuf,
    quota: Arc<Quota>,
}

/// A trace that has no file yet.
pub struct HeldTrace {
    path: PathBuf,
    quota: Arc<Quota>,
    records: Held,
}

impl QlogDirectory {
    /// Uses `path`, which is created if need be.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::with_quota(path, u64::MAX)
    }

    /// The same for traces of at most `most` bytes in all.
    pub fn with_quota(path: &Path, most: u64) -> io::Result<Self> {
        let fails = |what: &str, e: io::Error| {
            let path = path.display();
            io::Error::new(
                e.kind(),
                format!("qlog directory {path} cannot be {what}: {e}"),
            )
        };
        fs::create_dir_all(path).map_err(|e| fails("created", e))?;
        let quota = Quota::new(path, most).map_err(|e| fails("read", e))?;
        Ok(Self {
            path: path.to_owned(),
            quota: quota.into(),
        })
    }

    /// Whether another trace may begin.
    pub fn has_room(&self) -> bool {
        self.quota.has_room(Instant::now())
    }

    /// Starts the trace of a new connection. `original_id` is the connection id that the client
    /// chose for the server, which both ends know: their files get the same name but for the role.
    pub fn attach(&self, conn: &mut Connection, original_id: &[u8], cc: &str) -> io::Result<()> {
        self.hold(conn, original_id, cc).open()
    }

    /// The same, but the file is made only when the trace is opened.
    pub fn hold(&self, conn: &mut Connection, original_id: &[u8], cc: &str) -> HeldTrace {
        let role = if conn.is_server() { "server" } else { "client" };
        let path = self.path.join(format!("{}_{role}.sqlog", hex(original_id)));
        let records = Held::default();
        conn.set_qlog_with_level(
            Box::new(BufWriter::with_capacity(1 << 16, records.clone())),
            format!("quiche-cc {role}"),
            format!("{role} with congestion controller {cc}"),
            quiche::QlogLevel::Extra,
        );
        let quota = self.quota.clone();
        HeldTrace {
            path,
            quota,
            records,
        }
    }
}

impl HeldTrace {
    /// Gives the trace its file, which is complete when the connection is dropped. An existing one
    /// is never overwritten: whoever repeats a client's first packets would destroy its trace.
    pub fn open(&self) -> io::Result<()> {
        File::create_new(&self.path)
            .and_then(|file| {
                let limited = Limited::new(file, self.quota.clone());
                self.records.open(Box::new(limited))
            })
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", self.path.display())))
    }
}
