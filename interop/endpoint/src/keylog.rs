//! TLS secrets for packet analysers, in the file that `SSLKEYLOGFILE` names.

use std::fs::{File, OpenOptions};
use std::io;

/// The variable that names the file. Secrets of all connections are appended.
pub const VARIABLE: &str = "SSLKEYLOGFILE";

/// An open key log; cheap to share between connections.
pub struct KeyLog(File);

impl KeyLog {
    /// Opens the file if the variable is set.
    pub fn from_environment() -> io::Result<Option<Self>> {
        let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) else {
            return Ok(None);
        };
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|e| {
                let path = path.display();
                io::Error::new(e.kind(), format!("{VARIABLE}={path} cannot be opened: {e}"))
            })?;
        Ok(Some(Self(file)))
    }

    /// A writer for one connection.
    pub fn writer(&self) -> io::Result<Box<dyn io::Write + Send + Sync>> {
        Ok(Box::new(self.0.try_clone()?))
    }
}
