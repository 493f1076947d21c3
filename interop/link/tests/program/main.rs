//! `cc-link` as scripts use it.

mod late;
mod record;
mod running;

use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use quiche_cc_bottleneck::Ecn;
use quiche_cc_link::accuracy::receive;
use running::{socket, LoggedPath, Running, PATIENCE};
use serde_json::Value;

fn refusal(options: &[&str]) -> (Option<i32>, String) {
    Running::start(options).end()
}

/// Runs 20 packets through a full queue and ends the program with `signal`.
fn logged_run(signal: Signal) -> (Value, Vec<Value>) {
    let client = socket();
    let mut path = LoggedPath::start(&[&client], &["--delay", "10ms", "--buffer", "10p"]);
    path.send(0, 20);
    let packets = receive(&client, 11, PATIENCE).unwrap();
    assert_eq!(packets.len(), 11);
    std::thread::sleep(Duration::from_millis(300));
    path.program.signal(signal);
    let summary = path.program.line();
    let (code, said) = path.program.end();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("down: 11 packets"), "{said}");
    (summary, path.log())
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
fn without_descriptors_for_new_clients_it_serves_those_that_there_are() {
    let server = socket();
    let to = server.local_addr().unwrap().to_string();
    let options = ["--listen", "127.0.0.1:0", "--to", &to];
    let mut program = Running::start_with_descriptors(30, &options);
    let ready = program.line();
    let relay = ready["listen"].as_str().unwrap().parse().unwrap();
    let clients: Vec<_> = (0..40).map(|_| socket()).collect();
    for client in &clients {
        client.send(relay, Ecn::NotEct, b"hello").unwrap();
    }
    let served = receive(&server, 40, Duration::from_secs(1)).unwrap().len();
    clients[0].send(relay, Ecn::NotEct, b"again").unwrap();
    assert_eq!(receive(&server, 1, PATIENCE).unwrap()[0].payload, b"again");
    program.signal(Signal::SIGTERM);
    let summary = program.line();
    assert_eq!(program.end().0, Some(0));
    assert_eq!(summary["flows"], served);
    assert_eq!(summary["dropped_flows"], 40 - served);
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
            "`fast` is no valid rate",
        ),
        (vec!["--to", "127.0.0.1:9"], "--listen"),
    ] {
        let (code, said) = refusal(&options);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn a_recording_that_cannot_be_used_is_a_bad_option_and_no_log_overwrites_one() {
    let folder = std::env::temp_dir().join(format!("cc-link-recordings-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (good, bad, link) = (folder.join("good"), folder.join("bad"), folder.join("link"));
    std::fs::write(&good, "1\n2\n").unwrap();
    std::fs::write(&bad, "1\nx\n").unwrap();
    std::os::unix::fs::symlink(&good, &link).unwrap();
    let refused = |recording: &Path, log: &Path| {
        let rate = format!("trace:{}", recording.display());
        let ends = ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:9"];
        let files = ["--up-rate", &rate, "--log", log.to_str().unwrap()];
        refusal(&[ends, files].concat())
    };
    for (recording, log, message) in [
        (&bad, "log", "line 2: `x` is no time; allowed: 0 to"),
        (&folder.join("none"), "log", "cannot read the trace"),
        (&good, "good", "would overwrite the recording"),
        (&good, "link", "would overwrite the recording"),
    ] {
        let (code, said) = refused(recording, &folder.join(log));
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(message), "{said}");
    }
    assert_eq!(std::fs::read_to_string(&good).unwrap(), "1\n2\n");
    std::fs::remove_dir_all(&folder).unwrap();
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

#[test]
fn a_log_that_nobody_reads_does_not_keep_it_running() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let made = std::process::Command::new("mkfifo").arg(&log).status();
    assert!(made.unwrap().success());
    // Both ends, so that neither this nor the program waits for the other to open it.
    let both = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&log);
    let _unread = both.unwrap();
    let mut program = Running::start(&[
        "--listen",
        "127.0.0.1:0",
        "--to",
        "127.0.0.1:9",
        "--log-packets",
        "--log",
        log.to_str().unwrap(),
    ]);
    let ready = program.line();
    let to = ready["listen"].as_str().unwrap();
    let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    // Their records are several times what the pipe holds.
    for _ in 0..40 {
        for _ in 0..50 {
            client.send_to(&[0; 100], to).unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    program.signal(Signal::SIGTERM);
    let (code, said) = program.end();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the log took nothing"), "{said}");
}
