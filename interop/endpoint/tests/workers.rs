//! Several workers are one server.

mod common;

use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

use common::{
    fetch, fetched, figures, sha256_of_object, spawn_client, sum, wait_for, Fetched, Relay, Server,
};
use serde_json::Value;

/// Enough that all of them are with one of two workers once in ten thousand runs.
const CLIENTS: usize = 15;

/// How many connections each worker had.
fn shares(events: &[Value]) -> BTreeMap<u64, usize> {
    let mut shares = BTreeMap::new();
    for event in events {
        *shares.entry(event["worker"].as_u64().unwrap()).or_default() += 1;
    }
    shares
}

fn assert_complete(done: &Fetched, size: u64) {
    assert_eq!(done.code, 0, "{}", done.summary);
    assert_eq!(done.downloads()[0]["sha256"], sha256_of_object(size));
}

#[test]
fn connections_are_spread_and_all_downloads_are_complete() {
    const SIZE: u64 = 3_000_000;
    let server = Server::start(&["--workers", "2", "--metrics", "127.0.0.1:0"]);
    let metrics = server.metrics.unwrap();
    let url = [server.url(&format!("/{SIZE}"))];
    let options = ["--insecure", "--null", "--hash"];
    let start = |_| spawn_client(&options, &url);
    let clients: Vec<Child> = (0..CLIENTS).map(start).collect();
    for client in clients {
        assert_complete(&fetched(client), SIZE);
    }
    let told = |name| sum(&figures(metrics), name);
    wait_for("the end of all", || {
        told("cc_server_open_connections") == 0.0
    });
    assert_eq!(told("cc_server_connections_total"), CLIENTS as f64);
    assert_eq!(told("cc_server_misdirected_datagrams_total"), 0.0);
    let events = server.stop();
    assert_eq!(events.len(), CLIENTS);
    assert_eq!(shares(&events).len(), 2, "{events:#?}");
}

#[test]
fn a_download_goes_on_when_the_clients_address_changes() {
    const SIZE: u64 = 30_000_000;
    /// quiche has no path for a fifth address, with one worker neither.
    const REBINDINGS: usize = 3;
    let server = Server::start(&["--workers", "8", "--metrics", "127.0.0.1:0"]);
    let relay = Relay::start(server.address, 2000, REBINDINGS);
    let to = relay.address.to_string();
    let arguments = ["--null", "--hash", "--connect-to", &to];
    let done = fetch(&arguments, &[server.url(&format!("/{SIZE}"))]);
    assert_complete(&done, SIZE);
    assert_eq!(relay.rebindings(), REBINDINGS);
    let figures = figures(server.metrics.unwrap());
    assert_eq!(sum(&figures, "cc_server_misdirected_datagrams_total"), 0.0);
    // Another worker would have seen a connection of its own, or none.
    assert_eq!(server.stop().len(), 1);
}

#[test]
fn a_session_is_resumed_whoever_gave_the_ticket() {
    let server = Server::start(&["--workers", "2"]);
    let urls = ["/1", "/2"].map(|path| server.url(path));
    for _ in 0..CLIENTS {
        let done = fetch(&["--null", "--resume"], &urls);
        assert_eq!(done.code, 0, "{}", done.summary);
        let resumed = done.summary["connections"].as_array().unwrap().last();
        assert_eq!(resumed.unwrap()["resumed"], true, "{}", done.summary);
    }
    assert_eq!(shares(&server.stop()).len(), 2);
}

#[test]
fn a_drain_ends_the_connections_of_all_workers() {
    let server = Server::start(&["--workers", "3", "--drain-timeout", "0"]);
    let url = [server.url("/1000000000000")];
    let start = |_| spawn_client(&["--insecure", "--null"], &url);
    let clients: Vec<Child> = (0..CLIENTS).map(start).collect();
    std::thread::sleep(Duration::from_secs(1));
    let stopped = Instant::now();
    server.terminate();
    let events = server.stop_reading();
    assert!(stopped.elapsed() < Duration::from_secs(4));
    for client in clients {
        let done = fetched(client);
        let error = &done.summary["connections"][0]["error"];
        assert!(error.as_str().unwrap().contains("server is stopping"));
    }
    assert_eq!(events.len(), CLIENTS);
    assert!(shares(&events).len() > 1);
}

#[test]
fn an_address_that_is_taken_is_not_shared_with_another_server() {
    let server = Server::start(&["--workers", "2"]);
    let address = server.address.to_string();
    for workers in ["1", "2"] {
        let arguments = ["--listen", &address, "--workers", workers];
        let output = common::ended(&mut Server::command(&arguments)).expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains("cannot listen on") && said.contains(&address),
            "{said}"
        );
    }
}
