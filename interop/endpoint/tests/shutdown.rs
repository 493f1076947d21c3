//! Stopping: nothing is lost that could be delivered, and traces are complete.

mod common;

use std::time::{Duration, Instant};

use common::{
    fetch, fetched, read_trace, sha256_of_object, slow_reader, spawn_client, traces, wait_for,
    Server,
};
use quiche::h3;

const LARGE: u64 = 200_000_000;

fn big_enough(directory: &std::path::Path) -> bool {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return false;
    };
    entries
        .filter_map(|entry| entry.unwrap().metadata().ok())
        .any(|file| file.len() > 2_000_000)
}

#[test]
fn a_running_download_is_finished_and_new_ones_are_refused() {
    let logs = tempfile::tempdir().unwrap();
    let server = Server::start(&["--qlog", logs.path().to_str().unwrap()]);
    let url = server.url(&format!("/{LARGE}"));
    let running = spawn_client(&["--insecure", "--null", "--hash"], &[url]);
    wait_for("the download", || big_enough(logs.path()));
    server.terminate();
    std::thread::sleep(Duration::from_millis(50));
    let late = fetch(
        &["--null", "--connect-timeout", "1"],
        &[server.url("/1000")],
    );
    assert_eq!(late.code, 3, "{}", late.summary);
    let result = fetched(running);
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_eq!(result.downloads()[0]["sha256"], sha256_of_object(LARGE));
    let (status, events) = server.wait();
    assert!(status.success());
    assert_eq!(events.len(), 1);
    assert!(traces(logs.path())
        .iter()
        .all(|trace| read_trace(trace).len() > 1000));
}

#[test]
fn the_drain_timeout_bounds_the_end_and_the_trace_is_complete() {
    let logs = tempfile::tempdir().unwrap();
    let arguments = [
        "--qlog",
        logs.path().to_str().unwrap(),
        "--drain-timeout",
        "0",
    ];
    let server = Server::start(&arguments);
    let url = server.url("/1000000000000");
    let running = spawn_client(&["--insecure", "--null"], &[url]);
    wait_for("the download", || big_enough(logs.path()));
    let started = Instant::now();
    server.terminate();
    let (status, events) = server.wait();
    assert!(status.success());
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(events.len(), 1);
    let result = fetched(running);
    assert_eq!(result.code, 3);
    let error = result.summary["connections"][0]["error"].as_str().unwrap();
    assert!(error.contains("server is stopping"), "{error}");
    for trace in traces(logs.path()) {
        read_trace(&trace);
    }
}

#[test]
fn a_response_without_a_body_is_acknowledged_before_the_end() {
    let server = Server::start(&[]);
    let (mut client, mut http) = slow_reader(server.address, "/nothing", 1);
    std::thread::sleep(Duration::from_millis(100));
    client.lose_what_came();
    server.terminate();
    let start = Instant::now();
    let status = loop {
        assert!(start.elapsed() < Duration::from_secs(4), "no response");
        client.receive();
        client.send();
        if let Ok((_, h3::Event::Headers { list, .. })) = http.poll(&mut client.conn) {
            break list[0].clone();
        }
    };
    assert_eq!(status, h3::Header::new(b":status", b"404"));
    assert!(server.wait().0.success());
}

#[test]
fn idle_connections_do_not_delay_the_end() {
    let server = Server::start(&["--drain-timeout", "60"]);
    let result = fetch(&["--null"], &[server.url("/1000")]);
    assert_eq!(result.code, 0);
    let started = Instant::now();
    server.stop();
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn both_ends_trace_the_same_connection_under_the_same_name() {
    let logs = tempfile::tempdir().unwrap();
    let path = logs.path().to_str().unwrap();
    let server = Server::start(&["--qlog", path, "--cc", "bbr2_gcongestion"]);
    let result = fetch(&["--null", "--qlog", path], &[server.url("/500000")]);
    assert_eq!(result.code, 0);
    let events = server.stop();
    let id = events[0]["original_id"].as_str().unwrap();
    assert_eq!(result.summary["connections"][0]["original_id"], id);
    for role in ["server", "client"] {
        let trace = read_trace(&logs.path().join(format!("{id}_{role}.sqlog")));
        assert_eq!(trace[0]["trace"]["vantage_point"]["type"], role);
        let names: Vec<&str> = trace
            .iter()
            .filter_map(|record| record["name"].as_str())
            .collect();
        for name in ["packet_sent", "packet_received", "recovery_metrics_updated"] {
            assert!(
                names.iter().any(|n| n.ends_with(name)),
                "{role} has no {name}"
            );
        }
    }
    assert_eq!(traces(logs.path()).len(), 2);
}

#[test]
fn an_interrupted_client_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    let arguments = ["--insecure", "--out", out.path().to_str().unwrap()];
    let client = spawn_client(&arguments, &[server.url("/100000000000")]);
    wait_for("the download", || big_enough(out.path()));
    let pid = client.id().to_string();
    assert!(std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .unwrap()
        .success());
    let result = fetched(client);
    assert_eq!(result.code, 130);
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
    server.stop();
}
