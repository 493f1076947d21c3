//! The programs under test, as processes on loopback.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{channel, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long anything may take that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where CMake puts a program.
pub fn installed(name: &str) -> PathBuf {
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/bin");
    let folder = std::env::var_os("QUICHE_CC_BIN_DIR").map_or(build, PathBuf::from);
    let path = folder.join(name);
    assert!(
        path.exists(),
        "{} is missing; `cmake --build build` makes it",
        path.display()
    );
    path
}

/// A running server. It is killed when dropped.
pub struct Server {
    child: Child,
    events: Receiver<Value>,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Starts a program that writes JSON lines, the first of them with `"event":"ready"` and its addresses.
    pub fn start(program: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stdout = BufReader::new(child.stdout.take().expect("it has a pipe"));
        let (sender, events) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let Ok(event) = serde_json::from_str(&line) else {
                    continue;
                };
                if sender.send(event).is_err() {
                    break;
                }
            }
        });
        let ready: Value = events
            .recv_timeout(PATIENCE)
            .expect("the server says that it is ready");
        assert_eq!(ready["event"], "ready");
        let address = ready["addresses"][0]
            .as_str()
            .and_then(|text| text.parse().ok());
        Self {
            child,
            events,
            address: address.expect("an address to connect to"),
        }
    }

    /// Waits for `count` further events.
    pub fn events(&self, count: usize) -> Result<Vec<Value>, String> {
        let end = Instant::now() + PATIENCE;
        let next = |seen| {
            let left = end.saturating_duration_since(Instant::now());
            self.events
                .recv_timeout(left)
                .map_err(|_| format!("{seen} events of {count}"))
        };
        (0..count).map(next).collect()
    }

    /// Sends SIGTERM and waits for the end.
    pub fn stop(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .expect("kill runs");
        assert!(sent.success(), "the server was there no more");
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                return status;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("the server does not stop");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Downloads `path` with `cc-client`, and returns what it says about it.
pub fn download(server: SocketAddr, path: &str, options: &[&str]) -> Value {
    let output = Command::new(installed("cc-client"))
        .args(["--insecure", "--null", "--hash", "--json"])
        .args(options)
        .arg(format!("https://{server}{path}"))
        .output()
        .expect("cc-client runs");
    let error = String::from_utf8_lossy(&output.stderr);
    let summary: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {error}"));
    assert!(output.status.success(), "{summary} {error}");
    summary["connections"][0]["downloads"][0].clone()
}
