//! An honest client beside many others, in one run on one machine: ratios, no times.

mod common;

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use common::{ask_without_reading, fetch, fetched, initial_packet, spawn_client, Server, Talker};

/// Downloads, of which the median counts.
const SAMPLES: usize = 9;

/// What a download may take beside the load, in those without. A Retry costs a round trip, and load,
/// victim and other tests share the cores: up to 3.3 were seen, and 16 with a server that reads too
/// little in a turn.
const MOST_TIMES: u32 = 8;

/// Until a client has the object, or is told with this status that it cannot have it for now.
fn median_answer(server: &Server, refusal: Option<u64>) -> Duration {
    let mut times: Vec<Duration> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            let done = fetch(&["--null"], &[server.url("/1000000")]);
            let refused = done.downloads()[0]["status"].as_u64();
            let told = refusal.is_some() && refused == refusal;
            assert!(done.code == 0 || told, "{}", done.summary);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[SAMPLES / 2]
}

/// 2,000 beginnings a second from fifty addresses, until the flag is set, half a minute at most.
fn flood(server: SocketAddr, over: &AtomicBool) {
    let sockets: Vec<UdpSocket> = (0..50)
        .map(|i| UdpSocket::bind((format!("127.0.{}.{}", i / 10, i + 2), 0)).unwrap())
        .collect();
    let beginnings: Vec<Vec<u8>> = (0..200).map(|_| initial_packet()).collect();
    let end = Instant::now() + Duration::from_secs(30);
    let mut next = beginnings.iter().cycle().zip(sockets.iter().cycle());
    while !over.load(Ordering::Relaxed) && Instant::now() < end {
        for (packet, socket) in next.by_ref().take(20) {
            let _ = socket.send_to(packet, server);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// What an honest client has beside it.
struct Load {
    /// Whether beginnings come.
    flood: bool,
    readers: usize,
    /// Objects that each of them asks for, and does not read.
    objects: usize,
    path: &'static str,
    /// What they say of when packets came.
    lie: Option<fn(Instant) -> Instant>,
    /// What the honest client may get instead.
    refusal: Option<u64>,
}

/// Some time within the last hour, never the same twice.
fn any_time(now: Instant) -> Instant {
    let micros = quiche_cc_endpoint::connection::random_number() % 3_600_000_000;
    now.checked_sub(Duration::from_micros(micros))
        .unwrap_or(now)
}

impl Load {
    /// So many of them that no address has more than its share.
    fn begin(&self, server: SocketAddr) -> Vec<Talker> {
        let reader = |number: usize| {
            let local = format!("127.1.{}.2", number / 50);
            let mut client = Talker::connect_from(&local, server);
            client.lie = self.lie;
            ask_without_reading(client, self.path, self.objects).0
        };
        (0..self.readers).map(reader).collect()
    }
}

/// Most that the server has had in memory so far, in bytes.
fn peak_memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.unwrap().trim().strip_suffix(" kB").unwrap();
    kib.parse::<u64>().unwrap() * 1024
}

fn an_honest_client_is_served_beside(load: &Load, server: &Server) {
    let alone = median_answer(server, None);
    let (memory, mut readers) = (peak_memory(server), load.begin(server.address));
    let over = Arc::new(AtomicBool::new(false));
    let (asked, address, floods) = (over.clone(), server.address, load.flood);
    let others = thread::spawn(move || {
        let flooding = floods.then(|| {
            let asked = asked.clone();
            thread::spawn(move || flood(address, &asked))
        });
        while !asked.load(Ordering::Relaxed) {
            readers.iter_mut().for_each(Talker::ping);
            if readers.is_empty() {
                thread::sleep(Duration::from_millis(10));
            }
        }
        if let Some(flooding) = flooding {
            flooding.join().unwrap();
        }
        readers
    });
    let beside = median_answer(server, load.refusal);
    over.store(true, Ordering::Relaxed);
    let readers = others.join().unwrap();
    let kept = readers.iter().filter(|reader| reader.conn.is_established());
    assert_eq!(
        kept.count(),
        load.readers,
        "all of them were there to the end"
    );
    let grown = peak_memory(server) - memory;
    let ratio = beside.as_secs_f64() / alone.as_secs_f64();
    println!("{ratio:.2} times as long, {} MiB more", grown >> 20);
    // The README's limits: for each response, and for what else a connection has.
    let objects = (load.readers * load.objects) as u64;
    let bound = (objects * 64 + load.readers as u64 * 1024 + 65_536) << 10;
    assert!(grown <= bound, "{grown} bytes of at most {bound}");
    assert!(
        beside <= alone * MOST_TIMES,
        "{beside:?} beside the load, {alone:?} alone"
    );
}

const BOTH: Load = Load {
    flood: true,
    readers: 50,
    objects: 10,
    path: "/100000000",
    lie: None,
    refusal: None,
};

#[test]
fn an_honest_client_is_served_beside_a_flood_and_slow_readers() {
    an_honest_client_is_served_beside(&BOTH, &Server::start(&[]));
}

/// Nobody is cut off before the end.
const PATIENT: [&str; 6] = [
    "--stall-timeout",
    "3600",
    "--idle-timeout",
    "600",
    "--cc",
    "hybrid",
];

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_served_beside_a_flood() {
    let load = Load { readers: 0, ..BOTH };
    an_honest_client_is_served_beside(&load, &Server::start(&PATIENT));
}

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_served_beside_50000_streams_that_nobody_reads() {
    let load = Load {
        flood: false,
        readers: 500,
        objects: 100,
        ..BOTH
    };
    an_honest_client_is_served_beside(&load, &Server::start(&PATIENT));
}

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_told_at_once_when_descriptors_have_run_out() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("large"), vec![0; 1 << 20]).unwrap();
    let options = [&["--root", root.path().to_str().unwrap()], &PATIENT[..]].concat();
    let load = Load {
        flood: false,
        readers: 50,
        path: "/large",
        refusal: Some(503),
        ..BOTH
    };
    let server = Server::start_with_descriptors(64, &options);
    an_honest_client_is_served_beside(&load, &server);
    server.await_log("no file descriptors left");
}

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_served_beside_liars_about_time() {
    let load = Load {
        flood: false,
        lie: Some(any_time),
        ..BOTH
    };
    an_honest_client_is_served_beside(&load, &Server::start(&PATIENT));
}

/// Time in which 16 clients get what they ask for, beside each other.
fn goodput_time(workers: &str) -> Duration {
    let server = Server::start(&["--workers", workers, "--cc", "cubic"]);
    let url = [server.url("/40000000")];
    let start = Instant::now();
    let clients: Vec<_> = (0..16)
        .map(|_| spawn_client(&["--insecure", "--null"], &url))
        .collect();
    for client in clients {
        assert_eq!(fetched(client).code, 0);
    }
    start.elapsed()
}

/// A measurement: clients and server share the cores, so it says how much of the machine a second worker uses.
#[test]
#[ignore = "nightly"]
fn the_goodput_of_two_workers_is_printed_beside_that_of_one() {
    let [one, two] = ["1", "2"].map(goodput_time);
    let ratio = one.as_secs_f64() / two.as_secs_f64();
    println!("goodput with 2 workers: {ratio:.2} times that with 1 worker");
    assert!(ratio > 0.5, "{one:?} with one, {two:?} with two");
}
