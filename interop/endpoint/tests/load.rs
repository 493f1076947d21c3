//! An honest client beside many others, in one run on one machine: ratios, no times.

mod common;

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use common::{
    ask_without_reading, fetch, initial_packet, peak_memory, Forger, Lie, Server, Talker,
};

/// Downloads from each server.
const SAMPLES: usize = 15;

/// How often each reader sends a PING. More would measure what PINGs take of the machine's cores.
const TURN: Duration = Duration::from_millis(200);

/// Packets of a liar in a turn.
const MOST_AT_ONCE: usize = 20;

/// How long a client takes until it has the object, or is told with this status that it cannot have it for
/// now.
fn answer(server: &Server, refusal: Option<u64>) -> Duration {
    let start = Instant::now();
    let done = fetch(&["--null"], &[server.url("/1000000")]);
    let refused = done.downloads()[0]["status"].as_u64();
    let told = refusal.is_some() && refused == refusal;
    assert!(done.code == 0 || told, "{}", done.summary);
    start.elapsed()
}

/// How many times as long clients of the first server take as those of the second, by turns, so that what
/// else the machine does hits both: by the medians, and by the lower quartiles.
fn ratios(loaded: &Server, idle: &Server, refusal: Option<u64>) -> [f64; 2] {
    let turn = |_| (answer(loaded, refusal), answer(idle, None));
    let (mut beside, mut alone): (Vec<_>, Vec<_>) = (0..SAMPLES).map(turn).unzip();
    beside.sort();
    alone.sort();
    [2, 4].map(|part| {
        let at = SAMPLES / part;
        beside[at].as_secs_f64() / alone[at].as_secs_f64()
    })
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
    /// How many times as long a download may take as from a server without it, by one of both ratios.
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
        let next = Instant::now() + TURN / 10;
        for (forger, kind) in &mut liars {
            forger.tell(*kind);
            if forger.silent > PATIENCE {
                *forger = liar();
            }
        }
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
    liars.iter_mut().for_each(|(forger, _)| forger.close());
}

/// All that the honest client has beside it, until the flag is set.
fn others(
    load: Load,
    server: SocketAddr,
    mut readers: Vec<Talker>,
    over: &Arc<AtomicBool>,
) -> JoinHandle<Vec<Talker>> {
    let over = over.clone();
    thread::spawn(move || {
        thread::scope(|scope| {
            if load.flood {
                scope.spawn(|| flood(server, &over));
            }
            if load.liars > 0 {
                scope.spawn(|| lie(load.liars, server, &over));
            }
            while !over.load(Ordering::Relaxed) {
                let next = Instant::now() + TURN;
                for reader in &mut readers {
                    reader.ping();
                    if reader.lie.is_some() {
                        // Who takes nothing acknowledges nothing, and has nothing to lie about.
                        (0..MOST_AT_ONCE).for_each(|_| reader.receive());
                        reader.take(20_000);
                    }
                }
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
        });
        readers
    })
}

fn an_honest_client_is_served_beside(load: &Load, server: &Server, idle: &Server) {
    answer(server, None);
    let (memory, readers) = (peak_memory(server), load.begin(server.address));
    let over = Arc::new(AtomicBool::new(false));
    let others = others(*load, server.address, readers, &over);
    let [median, quartile] = ratios(server, idle, load.refusal);
    over.store(true, Ordering::Relaxed);
    let readers = others.join().unwrap();
    let kept = readers.iter().filter(|one| one.conn.is_established());
    assert_eq!(kept.count(), load.readers, "all were there to the end");
    let grown = peak_memory(server) - memory;
    println!(
        "measured: {}: {median:.2} and {quartile:.2} times, {} MiB, bound {}",
        load.name,
        grown >> 20,
        load.most_times
    );
    // The README's limits: for each response, and for what else a connection has.
    let objects = (load.readers * load.objects + load.liars) as u64;
    let connections = (load.readers + load.liars) as u64;
    let bound = (objects * 64 + connections * 1024 + 65_536) << 10;
    assert!(grown <= bound, "{grown} bytes of at most {bound}");
    // What else the machine does may hit one of both; a server that is slower moves both.
    let ratio = median.min(quartile);
    assert!(ratio <= load.most_times, "{ratio:.2} times as long");
}

const BOTH: Load = Load {
    name: "a flood and slow readers",
    most_times: 2.0,
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
    an_honest_client_is_served_beside(&BOTH, &Server::start(&[]), &Server::start(&[]));
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
    let [server, idle] = [0, 1].map(|_| Server::start(&PATIENT));
    an_honest_client_is_served_beside(&load, &server, &idle);
}

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_served_beside_50000_streams_that_nobody_reads() {
    let load = Load {
        name: "500 readers of 50,000 streams",
        // Whatever comes from a reader, the server offers data to each of its 100 streams again.
        most_times: 8.0,
        flood: false,
        readers: 500,
        objects: 100,
        ..BOTH
    };
    let [server, idle] = [0, 1].map(|_| Server::start(&PATIENT));
    an_honest_client_is_served_beside(&load, &server, &idle);
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
    an_honest_client_is_served_beside(&load, &server, &Server::start(&PATIENT));
    server.await_log("no file descriptors left");
}

#[test]
#[ignore = "nightly"]
fn an_honest_client_is_served_beside_liars_about_time() {
    let load = Load {
        name: "50 liars about receive timestamps",
        flood: false,
        objects: 1,
        lie: Some(any_time),
        ..BOTH
    };
    let [server, idle] = [0, 1].map(|_| Server::start(&PATIENT));
    an_honest_client_is_served_beside(&load, &server, &idle);
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
    let [server, idle] = [0, 1].map(|_| Server::start(&PATIENT));
    an_honest_client_is_served_beside(&load, &server, &idle);
}
