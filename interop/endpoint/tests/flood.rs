//! Beginnings of connections that nobody goes on with keep no honest client out.

mod common;

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use common::{fetch, initial_packet, open_files, strangers, Server};

/// Well below the number of beginnings, so that these would fill it.
const MOST_CONNECTIONS: &str = "200";
const BEGINNINGS: usize = 400;
const HONEST: usize = 8;

/// Sends beginnings until it is dropped, at most for half a minute.
struct Flood {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Flood {
    fn start(server: SocketAddr, per_second: usize) -> Self {
        const TURN: Duration = Duration::from_millis(10);
        let beginnings: Vec<Vec<u8>> = (0..BEGINNINGS).map(|_| initial_packet()).collect();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let send = move |packet: &Vec<u8>| drop(socket.send_to(packet, server));
        // All of them at once, so that every honest client comes too late.
        beginnings.iter().for_each(&send);
        let over = Arc::new(AtomicBool::new(false));
        let asked = over.clone();
        let thread = thread::spawn(move || {
            let end = Instant::now() + Duration::from_secs(30);
            let mut next = beginnings.iter().cycle();
            while !asked.load(Ordering::Relaxed) && Instant::now() < end {
                next.by_ref().take(per_second / 100).for_each(&send);
                thread::sleep(TURN);
            }
        });
        Self {
            over,
            thread: Some(thread),
        }
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn honest_clients_are_served_in_a_flood(per_second: usize, workers: &str) {
    let logs = tempfile::tempdir().unwrap();
    let keys = logs.path().join("keys");
    let traces = logs.path().join("traces");
    let arguments = [
        "--max-connections",
        MOST_CONNECTIONS,
        "--qlog",
        traces.to_str().unwrap(),
        "--workers",
        workers,
        "--listen",
        "127.0.0.1:0",
    ];
    let server = Server::launch(Server::command(&arguments).env("SSLKEYLOGFILE", &keys));
    let files_before = open_files(&server);
    let flood = Flood::start(server.address, per_second);
    for number in 0..HONEST {
        let done = fetch(&["--null"], &[server.url("/10000")]);
        assert_eq!(done.code, 0, "client {number}: {}", done.summary);
    }
    assert!(
        open_files(&server) <= files_before + HONEST,
        "what only began has a descriptor"
    );
    drop(flood);
    let events = server.stop();
    assert_eq!(events.len(), HONEST, "what only began has a line");
    assert_eq!(common::traces(&traces).len(), HONEST, "and a trace");
    let keys = std::fs::read_to_string(&keys).unwrap();
    let connections = keys.matches("SERVER_TRAFFIC_SECRET_0 ").count();
    assert_eq!(connections, HONEST, "and secrets");
}

#[test]
fn honest_clients_are_served_while_200_beginnings_a_second_arrive() {
    honest_clients_are_served_in_a_flood(200, "1");
}

#[test]
fn honest_clients_are_served_while_2000_beginnings_a_second_arrive() {
    honest_clients_are_served_in_a_flood(2000, "1");
}

#[test]
fn honest_clients_are_served_in_a_flood_that_all_workers_get() {
    honest_clients_are_served_in_a_flood(2000, "2");
}

/// Connections that ended and Retry packets, as the log says after so many strangers and an honest client.
fn told_after(beginnings: usize, workers: &str) -> [u64; 2] {
    let server = Server::start_logged(&["--retry-above", "10", "--workers", workers]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..beginnings {
        socket.send_to(&initial_packet(), server.address).unwrap();
    }
    let done = fetch(&["--null"], &[server.url("/1000")]);
    assert_eq!(done.code, 0, "{}", done.summary);
    let (log, events) = server.stop_raw();
    assert_eq!(events.lines().count(), 1, "{events}");
    let [ended, retries, ..] = strangers(&log);
    [ended, retries]
}

#[test]
fn a_retry_is_asked_for_only_when_too_many_connections_are_half_open() {
    for workers in ["1", "2"] {
        assert_eq!(told_after(9, workers), [9, 0]);
        let [ended, retries] = told_after(15, workers);
        assert_eq!(ended, 10, "of all {workers}");
        assert!(retries > 0);
    }
}
