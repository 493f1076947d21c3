//! An honest client beside many others, in one run on one machine: ratios, no times.

mod common;

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use common::{fetch, initial_packet, slow_reader, Server, Talker};

/// Downloads, of which the median counts.
const SAMPLES: usize = 9;

/// What a download may take beside the load, in those without. A Retry costs a round trip, and load,
/// victim and other tests share the cores: up to 3.3 were seen, and 16 with a server that reads too
/// little in a turn.
const MOST_TIMES: u32 = 8;

fn median_download(server: &Server) -> Duration {
    let mut times: Vec<Duration> = (0..SAMPLES)
        .map(|_| {
            let start = Instant::now();
            let done = fetch(&["--null"], &[server.url("/1000000")]);
            assert_eq!(done.code, 0, "{}", done.summary);
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

#[test]
fn an_honest_client_is_served_beside_a_flood_and_slow_readers() {
    let server = Server::start(&[]);
    let alone = median_download(&server);
    let mut readers: Vec<Talker> = (0..50)
        .map(|_| slow_reader(server.address, "/100000000", 10).0)
        .collect();
    let over = Arc::new(AtomicBool::new(false));
    let (asked, address) = (over.clone(), server.address);
    let load = thread::spawn(move || {
        let flooding = thread::spawn({
            let asked = asked.clone();
            move || flood(address, &asked)
        });
        while !asked.load(Ordering::Relaxed) {
            readers.iter_mut().for_each(Talker::ping);
        }
        flooding.join().unwrap();
    });
    let beside = median_download(&server);
    over.store(true, Ordering::Relaxed);
    load.join().unwrap();
    assert!(
        beside <= alone * MOST_TIMES,
        "{beside:?} beside the load, {alone:?} alone"
    );
}
