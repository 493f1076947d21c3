//! TLS secrets for packet analysers, in the file that `SSLKEYLOGFILE` names.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;

use crate::files::WITHOUT_WAITING;
use crate::output::Output;

/// The variable that names the file. Secrets of all connections are appended.
pub const VARIABLE: &str = "SSLKEYLOGFILE";

/// An open key log; clones write to the same.
#[derive(Clone)]
pub struct KeyLog(Output);

impl KeyLog {
    /// Opens the file if the variable is set. A new one is readable by its owner only.
    pub fn from_environment() -> io::Result<Option<Self>> {
        let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .custom_flags(WITHOUT_WAITING)
            .open(&path)
            .and_then(|file| {
                // It was for opening only: a thread of its own writes, and may wait.
                rustix::io::ioctl_fionbio(&file, false)?;
                Ok(file)
            })
            .map_err(|e| {
                let path = path.display();
                io::Error::new(e.kind(), format!("{VARIABLE}={path} cannot be opened: {e}"))
            })?;
        let notice = |count| format!("# {count} secrets are missing: nobody read them\n");
        Ok(Some(Self(Output::to(file, notice)?)))
    }

    /// A writer for one connection. It takes whole lines.
    pub fn writer(&self) -> Box<dyn io::Write + Send + Sync> {
        Box::new(self.0.clone())
    }

    /// Where all of it goes.
    pub fn output(&self) -> &Output {
        &self.0
    }
}
