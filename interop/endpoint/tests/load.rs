//! An honest client beside many others, in one run on one machine: ratios, no times.

mod common;

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use common::{
    ask_without_reading, fetch, initial_packet, peak_memory, Forger, Lie, Server, Talker,
};

/// Downloads, of which the median counts.
const SAMPLES: usize = 9;

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
#[derive(Clone, Copy)]
struct Load {
    /// In the line that is printed, which tests/load reads.
    name: &'static str,
    /// How many times as long a download may take as without it.
    most_times: f64,
    /// Whether beginnings come.
    flood: bool,
    readers: usize,
    /// Objects that each of them asks for, and does not read.
    objects: usize,
    path: &'static str,
    /// What they say of when packets came.
    lie: Option<fn(Instant) -> Instant>,
    /// Clients that lie about what came, each of which comes again when it is cut off.
    liars: usize,
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

/// Liars of all kinds, until the flag is set.
fn lie(count: usize, server: SocketAddr, over: &AtomicBool) {
    const KINDS: [Lie; 4] = [Lie::NeverSent, Lie::Skipped, Lie::Nothing, Lie::Delay];
    /// Turns without an answer after which one takes itself for cut off.
    const PATIENCE: usize = 20;
    let liar = || {
        let client = Talker::connect_from("127.2.0.2", server);
        Forger::new(ask_without_reading(client, "/100000000", 1).0)
    };
    let mut liars: Vec<(Forger, Lie)> = KINDS
        .into_iter()
        .cycle()
        .take(count)
        .map(|kind| (liar(), kind))
        .collect();
    while !over.load(Ordering::Relaxed) {
        for (forger, kind) in &mut liars {
            forger.tell(*kind);
            if forger.silent > PATIENCE {
                *forger = liar();
            }
        }
    }
}

fn an_honest_client_is_served_beside(load: &Load, server: &Server) {
    let alone = median_answer(server, None);
    let (memory, mut readers) = (peak_memory(server), load.begin(server.address));
    let over = Arc::new(AtomicBool::new(false));
    let (asked, address, load) = (over.clone(), server.address, *load);
    let others = thread::spawn(move || {
        let lying = (load.liars > 0).then(|| {
            let asked = asked.clone();
            thread::spawn(move || lie(load.liars, address, &asked))
        });
        let flooding = load.flood.then(|| {
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
        if let Some(lying) = lying {
            lying.join().unwrap();
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
    println!(
        "measured: {}: {ratio:.2} times, {} MiB",
        load.name,
        grown >> 20
    );
    // The README's limits: for each response, and for what else a connection has.
    let objects = (load.readers * load.objects + load.liars) as u64;
    let connections = (load.readers + load.liars) as u64;
    let bound = (objects * 64 + connections * 1024 + 65_536) << 10;
    assert!(grown <= bound, "{grown} bytes of at most {bound}");
    assert!(
        ratio <= load.most_times,
        "{beside:?} beside the load, {alone:?} alone"
    );
}

const BOTH: Load = Load {
    name: "a flood and slow readers",
    most_times: 8.0,
    flood: true,
    readers: 50,
    objects: 10,
    path: "/100000000",
    lie: None,
    liars: 0,
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
    let load = Load {
        name: "2,000 Initials a second",
        readers: 0,
        ..BOTH
    };
    an_honest_client_is_served_beside(&load, &Server::start(&PATIENT));
}

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_served_beside_50000_streams_that_nobody_reads() {
    let load = Load {
        name: "500 readers of 50,000 streams",
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
        name: "descriptors that ran out",
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
        name: "50 liars about receive times",
        flood: false,
        lie: Some(any_time),
        ..BOTH
    };
    an_honest_client_is_served_beside(&load, &Server::start(&PATIENT));
}

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_served_beside_liars_about_acknowledgements() {
    let load = Load {
        name: "48 liars about ACKs",
        flood: false,
        readers: 0,
        liars: 48,
        ..BOTH
    };
    an_honest_client_is_served_beside(&load, &Server::start(&PATIENT));
}
