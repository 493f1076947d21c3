//! The server under test, with a folder for its certificate and traces.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use quiche_cc_http3::programs::Server;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_tokio-server");

/// A folder with a fresh certificate and its key, in which traces are written.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = made.signing_key.serialize_pem();
        fs::write(folder.path().join("cert.pem"), made.cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), key).unwrap();
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Starts the server with controller `cc`.
    pub fn serve(&self, cc: &str) -> Server {
        let options = options(self.path(), cc);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        Server::start(Path::new(PROGRAM), &options)
    }

    /// The one trace and its events, when it is complete: the server writes it out at the end of the connection.
    pub fn trace(&self) -> (PathBuf, Vec<Value>) {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let traces = self.traces();
            assert!(traces.len() < 2, "{traces:?}");
            let text = traces
                .first()
                .map(|file| fs::read_to_string(file).unwrap())
                .unwrap_or_default();
            if text.contains("connection_closed") && text.ends_with('\n') {
                let events = text.split('\x1e').filter(|record| !record.is_empty());
                let events = events.map(|record| serde_json::from_str(record).unwrap());
                return (traces[0].clone(), events.collect());
            }
            assert!(Instant::now() < end, "{traces:?} has no end");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn traces(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path()).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        files
            .filter(|path| path.extension().is_some_and(|e| e == "sqlog"))
            .collect()
    }
}

/// The options for a server with controller `cc` and everything in `folder`.
pub fn options(folder: &Path, cc: &str) -> Vec<String> {
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (cert, key, traces) = (path("cert.pem"), path("key.pem"), path(""));
    let options = [
        ("--listen", "127.0.0.1:0"),
        ("--cert", &cert),
        ("--key", &key),
        ("--cc-algorithm", cc),
        ("--qlog-dir", &traces),
    ];
    options
        .iter()
        .flat_map(|(option, value)| [(*option).to_owned(), (*value).to_owned()])
        .collect()
}

/// The hash of the first `size` bytes of what the server has to serve, in the form of `cc-client`.
pub fn sha256_of(size: usize) -> String {
    let body: Vec<u8> = (0..size).map(|i| (i % 251) as u8).collect();
    let hash = Sha256::digest(body);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
