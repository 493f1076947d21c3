//! The relay between real sockets.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use quiche_cc_bottleneck::{Ecn, Overhead};
use quiche_cc_link::accuracy::{receive, Received, Testbed};
use quiche_cc_link::{Config, Log, Relay, Socket, Summary};

const PATIENCE: Duration = Duration::from_secs(5);
/// Long enough for a packet that must not come to come.
const QUIET: Duration = Duration::from_millis(300);
const CODEPOINTS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce];

fn payloads(packets: &[Received]) -> Vec<&[u8]> {
    packets
        .iter()
        .map(|packet| packet.payload.as_slice())
        .collect()
}

/// Numbered datagrams of `size` bytes, one after the other.
fn numbered(count: u8, size: usize) -> Vec<u8> {
    (0..count).flat_map(|number| vec![number; size]).collect()
}

fn assert_nothing_else_was_dropped(summary: &Summary) {
    let Summary {
        dropped_flows,
        dropped_foreign,
        dropped_memory,
        dropped_send,
        dropped_kernel,
        ..
    } = *summary;
    let dropped = [dropped_flows, dropped_foreign, dropped_memory, dropped_send];
    assert_eq!((dropped, dropped_kernel.unwrap_or(0)), ([0; 4], 0));
}

fn ecn_stays_as_it_was(ip: IpAddr) {
    let bed = Testbed::start_at(ip, |_| (), Log::none()).unwrap();
    for ecn in CODEPOINTS {
        bed.client.send(bed.relay, ecn, b"up").unwrap();
        bed.server.send(bed.upstream, ecn, b"down").unwrap();
        for (socket, from, payload) in [
            (&bed.server, bed.upstream, "up"),
            (&bed.client, bed.relay, "down"),
        ] {
            let packets = receive(socket, 1, PATIENCE).unwrap();
            assert_eq!(payloads(&packets), [payload.as_bytes()]);
            assert_eq!((packets[0].ecn, packets[0].from), (ecn, from));
        }
    }
    let summary = bed.stop().unwrap();
    assert_eq!((summary.down.ecn_ce, summary.up.ecn_ce), (1, 1));
    assert_eq!((summary.down.ecn_marked, summary.up.ecn_marked), (0, 0));
}

fn ecn_survives_batches(ip: IpAddr) {
    let bed = Testbed::start_at(ip, |_| (), Log::none()).unwrap();
    for ecn in CODEPOINTS {
        let batch = numbered(20, 1200);
        bed.server
            .send_segments(bed.upstream, ecn, &batch, 1200)
            .unwrap();
        let packets = receive(&bed.client, 20, PATIENCE).unwrap();
        let received: Vec<_> = packets.iter().map(|packet| packet.ecn).collect();
        assert_eq!(received, [ecn; 20]);
    }
    bed.stop().unwrap();
}

/// `::1`, unless this machine has no IPv6.
fn ipv6() -> Option<IpAddr> {
    let ip = Ipv6Addr::LOCALHOST.into();
    match Socket::bind(SocketAddr::new(ip, 0)) {
        Ok(_) => Some(ip),
        Err(error) => {
            eprintln!("not tested, this machine has no IPv6: {error}");
            None
        }
    }
}

#[test]
fn ecn_stays_as_it_was_on_ipv4() {
    ecn_stays_as_it_was(Ipv4Addr::LOCALHOST.into());
}

#[test]
fn ecn_stays_as_it_was_on_ipv6() {
    ipv6().into_iter().for_each(ecn_stays_as_it_was);
}

#[test]
fn ecn_survives_batches_of_the_kernel_on_ipv4() {
    ecn_survives_batches(Ipv4Addr::LOCALHOST.into());
}

#[test]
fn ecn_survives_batches_of_the_kernel_on_ipv6() {
    ipv6().into_iter().for_each(ecn_survives_batches);
}

#[test]
fn a_batch_of_the_kernel_is_queued_as_single_datagrams() {
    let bed = Testbed::start(|config| {
        config.down.rate = "10Mbps".parse().unwrap();
        config.down.buffer = "10p".parse().unwrap();
    })
    .unwrap();
    // 40 datagrams at one instant: one is served at once, ten wait, the rest has no room.
    let batch = numbered(40, 1200);
    bed.server
        .send_segments(bed.upstream, Ecn::Ect0, &batch, 1200)
        .unwrap();
    let packets = receive(&bed.client, 40, QUIET).unwrap();
    let expected: Vec<_> = batch.chunks(1200).take(11).collect();
    assert!(
        payloads(&packets) == expected,
        "{} datagrams",
        packets.len()
    );
    let summary = bed.stop().unwrap();
    assert_eq!(
        (summary.down.arrived_packets, summary.down.dropped_overflow),
        (40, 29)
    );
    assert_eq!(summary.down.max_queue_packets, 10);
    assert_eq!(summary.down.forwarded_bytes, 11 * 1228);
    assert_eq!(summary.down.forwarded_payload_bytes, 11 * 1200);
    assert_nothing_else_was_dropped(&summary);
}

#[test]
fn datagrams_of_any_size_pass() {
    let bed = Testbed::start(|_| ()).unwrap();
    for size in [0, 1, 1472, 9000, 60_000] {
        let payload = vec![7; size];
        bed.client.send(bed.relay, Ecn::NotEct, &payload).unwrap();
        let packets = receive(&bed.server, 1, PATIENCE).unwrap();
        assert!(payloads(&packets) == [payload], "{size} bytes");
    }
    assert_nothing_else_was_dropped(&bed.stop().unwrap());
}

#[test]
fn without_overhead_the_rate_is_one_of_payload() {
    let bed = Testbed::start(|config| {
        config.overhead = Overhead::Bytes(0);
        config.down.rate = "1Mbps".parse().unwrap();
        // Exactly two packets of 1250 bytes.
        config.down.buffer = "20ms".parse().unwrap();
    })
    .unwrap();
    bed.server
        .send_segments(bed.upstream, Ecn::NotEct, &numbered(6, 1250), 1250)
        .unwrap();
    assert_eq!(receive(&bed.client, 6, QUIET).unwrap().len(), 3);
    let summary = bed.stop().unwrap();
    assert_eq!(summary.down.forwarded_bytes, 3750);
    // 0, 10 and 20 ms: the buffer's 20 ms are what the last one waited.
    assert!(
        (summary.down.queue_delay_ms.max - 20.0).abs() < 0.1,
        "{summary:?}"
    );
}

/// Numbers of the packets that a link with random loss lets through.
fn survivors(seed: u64) -> BTreeSet<u8> {
    let bed = Testbed::start(|config| {
        config.down.loss = "30%".parse().unwrap();
        config.seed = seed;
    })
    .unwrap();
    bed.server
        .send_segments(bed.upstream, Ecn::NotEct, &numbered(200, 100), 100)
        .unwrap();
    let packets = receive(&bed.client, 200, QUIET).unwrap();
    let summary = bed.stop().unwrap();
    assert_nothing_else_was_dropped(&summary);
    assert_eq!(summary.down.dropped_random, 200 - packets.len() as u64);
    packets.iter().map(|packet| packet.payload[0]).collect()
}

#[test]
fn the_same_seed_loses_the_same_packets() {
    let first = survivors(1);
    // Binomial: 140 expected, standard deviation 6.5.
    assert!((110..170).contains(&first.len()), "{} of 200", first.len());
    assert_eq!(first, survivors(1));
    assert_ne!(first, survivors(2));
}

#[test]
fn two_clients_share_the_bottleneck_and_get_their_own_packets() {
    let bed = Testbed::start(|config| {
        config.down.rate = "10Mbps".parse().unwrap();
        config.down.buffer = "unlimited".parse().unwrap();
        config.down.delay = Duration::from_millis(5).into();
    })
    .unwrap();
    let second = Socket::bind(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0)).unwrap();
    second.send(bed.relay, Ecn::NotEct, b"hello").unwrap();
    let hello = receive(&bed.server, 1, PATIENCE).unwrap();
    let upstream = hello[0].from;
    assert_ne!(
        upstream, bed.upstream,
        "each client has its own socket towards the server"
    );
    for _ in 0..100 {
        bed.server
            .send(bed.upstream, Ecn::NotEct, &[1; 1000])
            .unwrap();
        bed.server.send(upstream, Ecn::NotEct, &[2; 1000]).unwrap();
    }
    let first = receive(&bed.client, 100, PATIENCE).unwrap();
    let other = receive(&second, 100, PATIENCE).unwrap();
    for (packets, number) in [(&first, 1), (&other, 2)] {
        assert_eq!(packets.len(), 100);
        assert!(packets
            .iter()
            .all(|packet| packet.payload == [number; 1000]));
    }
    let summary = bed.stop().unwrap();
    // The link was busy with the packets of both, one after the other.
    let busy = summary.down.utilisation.unwrap() * summary.down.active;
    let ideal = 200.0 * 1028.0 * 8.0 / 10e6;
    assert!((busy / ideal - 1.0).abs() < 1e-3, "{busy} s for {ideal} s");
    assert_eq!((summary.flows, summary.down.forwarded_packets), (2, 200));
}

#[test]
fn a_client_beyond_the_limit_is_refused_until_another_one_is_forgotten() {
    let bed = Testbed::start(|config| {
        config.max_flows = 1;
        config.idle_timeout = Duration::from_secs(1);
    })
    .unwrap();
    let second = Socket::bind(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0)).unwrap();
    second.send(bed.relay, Ecn::NotEct, b"too many").unwrap();
    assert!(receive(&bed.server, 1, Duration::from_millis(50))
        .unwrap()
        .is_empty());
    std::thread::sleep(Duration::from_millis(2500));
    second.send(bed.relay, Ecn::NotEct, b"now").unwrap();
    assert_eq!(
        payloads(&receive(&bed.server, 1, PATIENCE).unwrap()),
        [b"now"]
    );
    let summary = bed.stop().unwrap();
    assert_eq!((summary.flows, summary.dropped_flows), (2, 1));
}

#[test]
fn only_the_server_answers() {
    let bed = Testbed::start(|_| ()).unwrap();
    let stranger = Socket::bind(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0)).unwrap();
    stranger.send(bed.upstream, Ecn::NotEct, b"forged").unwrap();
    assert!(receive(&bed.client, 1, QUIET).unwrap().is_empty());
    assert_eq!(bed.stop().unwrap().dropped_foreign, 1);
}

#[test]
fn addresses_of_the_outside_world_are_refused() {
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let outside = SocketAddr::from(([192, 0, 2, 1], 4433));
    for (listen, to) in [(loopback, outside), (outside, loopback)] {
        let error = Relay::bind(Config::transparent(listen, to))
            .err()
            .expect("refused");
        assert!(
            error
                .to_string()
                .contains("192.0.2.1:4433 is not a loopback address"),
            "{error}"
        );
    }
}

#[test]
fn a_server_may_come_later() {
    let any_port = SocketAddr::from(([127, 0, 0, 1], 0));
    // Nobody listens on this port any more: the system answers with ICMP errors.
    let to = Socket::bind(any_port).unwrap().local_addr().unwrap();
    let relay = Relay::bind(Config::transparent(any_port, to)).unwrap();
    let (address, stopper) = (relay.local_addr(), relay.stopper());
    let thread = std::thread::spawn(move || relay.run(Log::none()));
    let client = Socket::bind(any_port).unwrap();
    for _ in 0..3 {
        client.send(address, Ecn::NotEct, b"anybody").unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    let server = Socket::bind(to).unwrap();
    client.send(address, Ecn::NotEct, b"hello").unwrap();
    assert_eq!(
        payloads(&receive(&server, 1, PATIENCE).unwrap()),
        [b"hello"]
    );
    stopper.stop();
    assert_eq!(thread.join().unwrap().unwrap().up.forwarded_packets, 4);
}
