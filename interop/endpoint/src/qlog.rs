//! One qlog file per connection.

mod quota;

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt;
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
    quota: Option<Arc<Quota>>,
}

/// A trace that has no file yet.
pub struct HeldTrace {
    path: PathBuf,
    quota: Option<Arc<Quota>>,
    records: Held,
}

impl QlogDirectory {
    /// Uses `path`, which is created if need be.
    pub fn create(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path).map_err(|e| unusable(path, "created", e))?;
        Ok(Self {
            path: path.to_owned(),
            quota: None,
        })
    }

    /// The same, if files can be made in it.
    pub fn create_writable(path: &Path) -> io::Result<Self> {
        let created = Self::create(path)?;
        tempfile::tempfile_in(path).map_err(|e| unusable(path, "written to", e))?;
        Ok(created)
    }

    /// The same for traces of at most `most` bytes in all.
    pub fn with_quota(path: &Path, most: u64) -> io::Result<Self> {
        let unlimited = Self::create(path)?;
        let quota = Quota::new(path, most).map_err(|e| unusable(path, "read", e))?;
        Ok(Self {
            quota: Some(quota.into()),
            ..unlimited
        })
    }

    /// Whether another trace may begin.
    pub fn has_room(&self) -> bool {
        let has_room = |quota: &Arc<Quota>| quota.has_room(Instant::now());
        self.quota.as_ref().is_none_or(has_room)
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
    /// is never overwritten: whoever repeats a client's first packets would destroy its trace. Only its
    /// owner can read it, because it has the fields of requests.
    pub fn open(&self) -> io::Result<()> {
        let mut new = OpenOptions::new();
        new.write(true).create_new(true).mode(0o600);
        new.open(&self.path)
            .and_then(|file| match &self.quota {
                Some(quota) => {
                    self.records
                        .open(Box::new(Limited::new(&self.path, file, quota.clone())))
                }
                None => self.records.open(Box::new(file)),
            })
            .map_err(|e| {
                self.records.close();
                io::Error::new(e.kind(), format!("{}: {e}", self.path.display()))
            })
    }
}

fn unusable(directory: &Path, what: &str, e: io::Error) -> io::Error {
    let path = directory.display();
    io::Error::new(
        e.kind(),
        format!("qlog directory {path} cannot be {what}: {e}"),
    )
}
