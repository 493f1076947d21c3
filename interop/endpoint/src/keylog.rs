//! TLS secrets for packet analysers, in the file that `SSLKEYLOGFILE` names.

use std::io;
use std::path::Path;

use crate::files;
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
        let path = Path::new(&path);
        let file = files::open_to_append(path).map_err(|e| {
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
