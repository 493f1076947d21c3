//! Starts the real programs on loopback.
#![allow(
    dead_code,
    unused_imports,
    reason = "every test file uses its own part"
)]

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{channel, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};

pub mod certificates;
mod figures;
mod forger;
mod process;
mod relay;
mod slow_reader;
mod stranger;
mod talker;

pub use figures::{ask, figures, get, sum};
pub use forger::{Forger, Lie};
pub use process::{memory, open_files, peak_memory};
pub use relay::Relay;
pub use slow_reader::{ask_without_reading, request, slow_reader};
pub use stranger::{first_flight, initial_packet, strangers};
pub use talker::Talker;

/// A running `cc-server`. It is killed when dropped.
pub struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    log: Option<Receiver<String>>,
    pub address: SocketAddr,
    /// Where its figures are told, if they are.
    pub metrics: Option<SocketAddr>,
}

impl Server {
    /// Starts one on a free port of `127.0.0.1`.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_on("127.0.0.1:0", arguments)
    }

    pub fn start_on(listen: &str, arguments: &[&str]) -> Self {
        Self::launch(Self::command(arguments).args(["--listen", listen]))
    }

    /// Starts one on a free port of `127.0.0.1` whose log is read by [`Server::await_log`].
    pub fn start_logged(arguments: &[&str]) -> Self {
        let mut command = Self::command(arguments);
        command
            .args(["--listen", "127.0.0.1:0"])
            .env("RUST_LOG", "info");
        Self::launch(command.stderr(Stdio::piped()))
    }

    pub fn command(arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cc-server"));
        command.env("RUST_LOG", "warn").args(arguments);
        command
    }

    /// Starts one that may have so many descriptors, with its log.
    pub fn start_with_descriptors(most: u32, arguments: &[&str]) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -n {most} && exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_cc-server"))
            .args(arguments)
            .args(["--listen", "127.0.0.1:0"])
            .env("RUST_LOG", "warn")
            .stderr(Stdio::piped());
        Self::launch(&mut command)
    }

    pub fn launch(command: &mut Command) -> Self {
        let started = command.stdout(Stdio::piped()).spawn();
        let mut child = started.expect("cc-server starts");
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let ready = read_line(&mut stdout).expect("cc-server says that it is ready");
        assert_eq!(ready["event"], "ready");
        let address = ready["addresses"][0].as_str().unwrap().parse().unwrap();
        let metrics = ready["metrics"].as_str();
        let metrics = metrics.map(|address| address.parse().unwrap());
        let log = child.stderr.take().map(lines);
        Self {
            child,
            stdout,
            log,
            address,
            metrics,
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line of the log with this text, which comes within ten seconds.
    pub fn await_log(&self, text: &str) -> String {
        let log = self.log.as_ref().expect("a server with a log");
        let end = Instant::now() + Duration::from_secs(10);
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            match log.recv_timeout(left) {
                Ok(line) if line.contains(text) => return line,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        panic!("the log does not say \"{text}\"");
    }

    /// Sends SIGHUP.
    pub fn hang_up(&self) {
        self.signal("-HUP");
    }

    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address)
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.signal("-TERM");
    }

    fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        assert!(Command::new("kill")
            .args([name, &pid])
            .status()
            .unwrap()
            .success());
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// Waits for the end, at most ten seconds. Returns the exit status and the remaining events.
    pub fn wait(mut self) -> (ExitStatus, Vec<Value>) {
        let end = Instant::now() + Duration::from_secs(10);
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > end => panic!("cc-server does not stop"),
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        let mut events = Vec::new();
        while let Some(event) = read_line(&mut self.stdout) {
            events.push(event);
        }
        (status, events)
    }

    /// Stops a server with a log. Returns all lines of the log and the rest of standard output.
    pub fn stop_raw(mut self) -> (Vec<String>, String) {
        self.terminate();
        let mut events = String::new();
        self.stdout.read_to_string(&mut events).unwrap();
        let log = self.log.as_ref().expect("a server with a log");
        (log.iter().collect(), events)
    }

    /// The events of a server that was told to stop.
    pub fn stop_reading(self) -> Vec<Value> {
        let (status, events) = self.wait();
        assert!(status.success(), "cc-server ended with {status}");
        events
    }

    /// Stops the server and returns its events. It must end without an error.
    pub fn stop(self) -> Vec<Value> {
        self.terminate();
        self.stop_reading()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lines as they come.
fn lines(stderr: ChildStderr) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

fn read_line(stdout: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    (!line.is_empty()).then(|| serde_json::from_str(&line).unwrap())
}

/// What `cc-client --json` said.
#[derive(Debug)]
pub struct Fetched {
    pub code: i32,
    pub summary: Value,
}

impl Fetched {
    pub fn downloads(&self) -> Vec<&Value> {
        let connections = self.summary["connections"].as_array().unwrap();
        connections
            .iter()
            .flat_map(|c| c["downloads"].as_array().unwrap())
            .collect()
    }
}

/// Starts `cc-client` without waiting for it.
pub fn spawn_client(arguments: &[&str], urls: &[String]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_cc-client"))
        .arg("--json")
        .args(arguments)
        .args(urls)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cc-client starts")
}

/// What a client said that was started by [`spawn_client`].
pub fn fetched(client: Child) -> Fetched {
    let output = client.wait_with_output().unwrap();
    let summary = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    Fetched {
        code: output.status.code().expect("cc-client exits"),
        summary,
    }
}

/// Runs `cc-client --insecure --json`.
pub fn fetch(arguments: &[&str], urls: &[String]) -> Fetched {
    let all: Vec<&str> = ["--insecure"].iter().chain(arguments).copied().collect();
    fetched(spawn_client(&all, urls))
}

/// Runs one of the programs to its end.
pub fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().unwrap()
}

/// Runs a program that ends within ten seconds; nothing if it does not.
pub fn ended(command: &mut Command) -> Option<Output> {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(10);
    while Instant::now() < end {
        if child.try_wait().unwrap().is_some() {
            return Some(child.wait_with_output().unwrap());
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

pub fn sha256(data: &[u8]) -> String {
    quiche_cc_endpoint::connection::hex(&Sha256::digest(data))
}

/// SHA-256 of a generated object.
pub fn sha256_of_object(size: u64) -> String {
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 20];
    let mut offset = 0;
    while offset < size {
        let part = &mut block[..(size - offset).min(1 << 20) as usize];
        quiche_cc_endpoint::object::fill(offset, part);
        hash.update(&*part);
        offset += part.len() as u64;
    }
    quiche_cc_endpoint::connection::hex(&hash.finalize())
}

/// The traces in a directory.
pub fn traces(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|e| e == "sqlog"))
        .collect()
}

/// Reads a trace, and checks that it is complete: JSON text sequences (RFC 7464), each record
/// between a record separator and a line feed.
pub fn read_trace(path: &Path) -> Vec<Value> {
    let mut text = String::new();
    std::fs::File::open(path)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let records = text
        .strip_prefix('\x1e')
        .expect("a record separator comes first");
    let parse = |record: &str| {
        let line = record
            .strip_suffix('\n')
            .expect("every record ends with a line feed");
        serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))
    };
    records.split('\x1e').map(parse).collect()
}

/// Waits until a condition holds, at most half a minute: tests share slow machines.
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < end, "{what} did not happen");
        thread::sleep(Duration::from_millis(5));
    }
}

/// That an honest client of this server gets what it asks for.
pub fn assert_served(server: &Server) {
    let result = fetch(&["--null", "--hash"], &[server.url("/100000")]);
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_eq!(result.downloads()[0]["sha256"], sha256_of_object(100_000));
}
