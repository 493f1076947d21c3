//! A running `cc-link`.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use quiche_cc_bottleneck::Ecn;
use quiche_cc_link::accuracy::receive;
use quiche_cc_link::Socket;
use serde_json::Value;
use tempfile::TempDir;

/// How long to wait for what should come at once.
pub const PATIENCE: Duration = Duration::from_secs(5);
const PROGRAM: &str = env!("CARGO_BIN_EXE_cc-link");

/// A running program; ends with the test.
pub struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    pub fn start(options: &[&str]) -> Self {
        Self::spawn(Command::new(PROGRAM).args(options))
    }

    /// With so many file descriptors at most.
    pub fn start_with_descriptors(count: u32, options: &[&str]) -> Self {
        let script = format!("ulimit -n {count}; exec \"$0\" \"$@\"");
        let command = &mut Command::new("sh");
        Self::spawn(command.args(["-c", &script, PROGRAM]).args(options))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    pub fn line(&mut self) -> Value {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        kill(Pid::from_raw(pid), signal).unwrap();
    }

    /// Waits for the end: the exit code and what was said on standard error.
    pub fn end(&mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + 2 * PATIENCE;
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut said = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

fn lines(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    assert!(text.ends_with('\n'), "the last line is whole");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A socket on a free port of 127.0.0.1.
pub fn socket() -> Socket {
    Socket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap()
}

/// A server behind a `cc-link` of 1 Mbit/s of payload with a log of every packet, and the clients that have said hello.
pub struct LoggedPath {
    pub program: Running,
    server: Socket,
    upstream: Vec<SocketAddr>,
    log: PathBuf,
    _directory: TempDir,
}

impl LoggedPath {
    pub fn start(clients: &[&Socket], options: &[&str]) -> Self {
        let server = socket();
        let to = server.local_addr().unwrap().to_string();
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("link.jsonl");
        let mut all = vec![
            "--listen",
            "127.0.0.1:0",
            "--to",
            &to,
            "--rate",
            "1Mbps",
            "--overhead",
            "0",
        ];
        all.extend(["--log", log.to_str().unwrap(), "--log-packets"]);
        all.extend(options);
        let mut program = Running::start(&all);
        let ready = program.line();
        assert_eq!(
            (&ready["event"], &ready["to"]),
            (&"ready".into(), &to.clone().into())
        );
        let relay = ready["listen"].as_str().unwrap().parse().unwrap();
        let hello = |client: &&Socket| {
            client.send(relay, Ecn::NotEct, b"hello").unwrap();
            receive(&server, 1, PATIENCE).unwrap()[0].from
        };
        let upstream = clients.iter().map(hello).collect();
        Self {
            program,
            server,
            upstream,
            log,
            _directory: directory,
        }
    }

    /// Sends `count` packets of 1250 bytes, 10 ms each on the link, to a client at one instant.
    pub fn send(&self, client: usize, count: usize) {
        let batch = vec![0; count * 1250];
        self.server
            .send_segments(self.upstream[client], Ecn::Ect0, &batch, 1250)
            .unwrap();
    }

    /// Does `meanwhile` in the middle of the 250 ms for which the program does not run.
    pub fn interrupt(&self, meanwhile: impl FnOnce()) {
        self.program.signal(Signal::SIGSTOP);
        std::thread::sleep(Duration::from_millis(150));
        meanwhile();
        std::thread::sleep(Duration::from_millis(100));
        self.program.signal(Signal::SIGCONT);
    }

    /// All lines of the log, once the program has ended.
    pub fn log(&self) -> Vec<Value> {
        lines(&self.log)
    }
}
