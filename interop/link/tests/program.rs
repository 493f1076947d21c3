//! `cc-link` as scripts use it.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use quiche_cc_bottleneck::Ecn;
use quiche_cc_link::accuracy::receive;
use quiche_cc_link::Socket;
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cc-link");

/// A running program; ends with the test.
struct Running {
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
    fn start(options: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).unwrap();
        kill(Pid::from_raw(pid), signal).unwrap();
    }

    /// Waits for the end: the exit code and what was said on standard error.
    fn end(&mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + Duration::from_secs(10);
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

fn refusal(options: &[&str]) -> (Option<i32>, String) {
    Running::start(options).end()
}

fn lines(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    assert!(text.ends_with('\n'), "the last line is whole");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn socket() -> Socket {
    Socket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap()
}

/// Runs 20 packets through a full queue and ends the program with `signal`.
fn logged_run(signal: Signal) -> (Value, Vec<Value>) {
    let (client, server) = (socket(), socket());
    let to = server.local_addr().unwrap().to_string();
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("link.jsonl");
    let mut program = Running::start(&[
        "--listen",
        "127.0.0.1:0",
        "--to",
        &to,
        "--rate",
        "1Mbps",
        "--delay",
        "10ms",
        "--buffer",
        "10p",
        "--overhead",
        "0",
        "--log",
        log.to_str().unwrap(),
        "--log-packets",
    ]);
    let ready = program.line();
    assert_eq!(
        (&ready["event"], &ready["to"]),
        (&"ready".into(), &to.into())
    );
    let relay = ready["listen"].as_str().unwrap().parse().unwrap();
    client.send(relay, Ecn::NotEct, b"hello").unwrap();
    let hello = receive(&server, 1, Duration::from_secs(5)).unwrap();
    server
        .send_segments(hello[0].from, Ecn::Ect0, &[0; 20 * 1250], 1250)
        .unwrap();
    assert_eq!(
        receive(&client, 11, Duration::from_secs(5)).unwrap().len(),
        11
    );
    std::thread::sleep(Duration::from_millis(300));
    program.signal(signal);
    let summary = program.line();
    let (code, said) = program.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("down: 11 packets"), "{said}");
    (summary, lines(&log))
}

#[test]
fn a_signal_ends_it_with_a_complete_log() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let (summary, log) = logged_run(signal);
        assert_eq!(log.first().unwrap()["event"], "start");
        assert_eq!(log.last(), Some(&summary));
        let down = &summary["down"];
        assert_eq!(down["forwarded_packets"], 11);
        assert_eq!(down["dropped_overflow"], 9);
        assert_eq!(down["max_queue_bytes"], 12_500);
        assert!(summary["lateness_ms"]["p50"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn the_log_shows_the_queue_over_time() {
    let (_, log) = logged_run(Signal::SIGTERM);
    let start = &log[0];
    assert_eq!(
        (&start["down"]["rate_bps"], &start["up"]["rate_bps"]),
        (&1_000_000.into(), &Value::Null)
    );
    let samples: Vec<_> = log
        .iter()
        .filter(|line| line["event"] == "sample" && line["direction"] == "down")
        .collect();
    let numbers = |key: &str| -> Vec<f64> {
        samples
            .iter()
            .map(|line| line[key].as_f64().unwrap())
            .collect()
    };
    let times = numbers("time");
    assert!(times.is_sorted_by(|a, b| a < b));
    assert!(
        times
            .iter()
            .all(|time| ((time * 100.0).round() / 100.0 - time).abs() < 1e-9),
        "{times:?}"
    );
    // One packet is served per interval of 10 ms: the queue goes down one by one and is empty in the end.
    let queue: Vec<_> = numbers("queue_packets")
        .into_iter()
        .skip_while(|&packets| packets == 0.0)
        .collect();
    assert_eq!(queue.iter().copied().fold(0.0, f64::max), 10.0);
    assert!(
        queue
            .windows(2)
            .all(|pair| pair[0] - pair[1] <= 1.0 && pair[0] >= pair[1]),
        "{queue:?}"
    );
    assert_eq!(samples.last().unwrap()["queue_packets"], 0);
    assert_eq!(samples.last().unwrap()["forwarded_packets"], 11);
    for (delay, packets) in numbers("queue_delay_ms")
        .iter()
        .zip(numbers("queue_packets"))
    {
        assert!(
            (packets * 10.0..=(packets + 1.0) * 10.0).contains(delay),
            "{delay} ms for {packets} packets"
        );
    }
    let packets: Vec<_> = log
        .iter()
        .filter(|line| line["event"] == "packet")
        .collect();
    assert_eq!(packets.len(), 21);
    let overflow = packets
        .iter()
        .filter(|line| line["lost"] == "overflow")
        .count();
    assert_eq!(overflow, 9);
    let waits: Vec<_> = packets
        .iter()
        .filter(|line| line["direction"] == "down")
        .filter_map(|line| line["queue_delay_ms"].as_f64())
        .collect();
    assert_eq!(waits.len(), 11);
    for (wait, number) in waits.iter().zip(0..) {
        assert!((wait - 10.0 * f64::from(number)).abs() < 0.5, "{waits:?}");
    }
}

#[test]
fn a_late_relay_does_not_lower_the_rate() {
    let (client, server) = (socket(), socket());
    let to = server.local_addr().unwrap().to_string();
    let mut program = Running::start(&[
        "--listen",
        "127.0.0.1:0",
        "--to",
        &to,
        "--rate",
        "1Mbps",
        "--buffer",
        "1s",
        "--overhead",
        "0",
    ]);
    let relay = program.line()["listen"].as_str().unwrap().parse().unwrap();
    client.send(relay, Ecn::NotEct, b"hello").unwrap();
    let hello = receive(&server, 1, Duration::from_secs(5)).unwrap();
    // 50 packets of 10 ms each, and a relay that sleeps for 250 ms in the middle.
    server
        .send_segments(hello[0].from, Ecn::NotEct, &[0; 50 * 1250], 1250)
        .unwrap();
    let first = receive(&client, 1, Duration::from_secs(5)).unwrap();
    program.signal(Signal::SIGSTOP);
    std::thread::sleep(Duration::from_millis(250));
    program.signal(Signal::SIGCONT);
    let packets = receive(&client, 49, Duration::from_secs(5)).unwrap();
    let span = (packets.last().unwrap().at - first[0].at).as_secs_f64();
    // The schedule is 490 ms; a schedule that starts anew after the pause would be 740 ms.
    assert!((0.45..0.6).contains(&span), "{span} s");
    program.signal(Signal::SIGTERM);
    let lateness = &program.line()["lateness_ms"]["max"];
    assert!(lateness.as_f64().unwrap() > 200.0, "{lateness}");
}

#[test]
fn it_ends_by_itself_after_its_duration() {
    let start = Instant::now();
    let mut program = Running::start(&[
        "--listen",
        "127.0.0.1:0",
        "--to",
        "127.0.0.1:9",
        "--duration",
        "200ms",
    ]);
    assert_eq!(program.line()["event"], "ready");
    assert_eq!(program.line()["event"], "summary");
    assert_eq!(program.end().0, Some(0));
    assert!(start.elapsed() >= Duration::from_millis(200));
}

#[test]
fn bad_options_are_named_and_end_with_code_2() {
    for (options, message) in [
        (
            vec!["--listen", "0.0.0.0:0", "--to", "127.0.0.1:9"],
            "0.0.0.0:0 is not a loopback address",
        ),
        (
            vec!["--listen", "127.0.0.1:0", "--to", "example.org:9"],
            "not an IP address with a port",
        ),
        (
            vec![
                "--listen",
                "127.0.0.1:0",
                "--to",
                "127.0.0.1:9",
                "--rate",
                "fast",
            ],
            "`fast` is not a rate",
        ),
        (vec!["--to", "127.0.0.1:9"], "--listen"),
    ] {
        let (code, said) = refusal(&options);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn what_the_system_refuses_is_said_and_ends_with_code_1() {
    let taken = socket();
    let address = taken.local_addr().unwrap().to_string();
    let (code, said) = refusal(&["--listen", &address, "--to", "127.0.0.1:9"]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains(&format!("cannot relay from {address}")),
        "{said}"
    );
    let (code, said) = refusal(&[
        "--listen",
        "127.0.0.1:0",
        "--to",
        "127.0.0.1:9",
        "--log",
        "/nowhere/link.jsonl",
    ]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("cannot write the log /nowhere/link.jsonl"),
        "{said}"
    );
}
