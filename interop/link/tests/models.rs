//! The models of the bottleneck between real sockets, by their options.

use std::path::Path;
use std::time::Duration;

use quiche_cc_bottleneck::Ecn;
use quiche_cc_link::accuracy::{receive, Received, Testbed};
use quiche_cc_link::{Config, Relay};

const PATIENCE: Duration = Duration::from_secs(5);
/// Long enough for a packet that must not come to come.
const QUIET: Duration = Duration::from_millis(300);

/// Sends so many packets of 1500 bytes on the link to the client, all at one instant.
fn send_batch(bed: &Testbed, ecn: Ecn, count: u8) {
    let batch: Vec<u8> = (0..count).flat_map(|number| vec![number; 1472]).collect();
    bed.server
        .send_segments(bed.upstream, ecn, &batch, 1472)
        .unwrap();
}

fn numbers(packets: &[Received]) -> Vec<u8> {
    packets.iter().map(|packet| packet.payload[0]).collect()
}

#[test]
fn a_step_marks_what_waited_and_the_summary_counts_it() {
    let bed = Testbed::start(|config| {
        config.down.rate = "12Mbps".parse().unwrap();
        config.down.queue = "step:3500us".parse().unwrap();
        config.down.buffer = "unlimited".parse().unwrap();
    })
    .unwrap();
    send_batch(&bed, Ecn::Ect1, 10);
    let packets = receive(&bed.client, 10, PATIENCE).unwrap();
    let marked = packets.iter().filter(|packet| packet.ecn == Ecn::Ce);
    let marked: Vec<_> = marked.map(|packet| packet.payload[0]).collect();
    // A packet takes a millisecond; the last one is never marked.
    assert_eq!(marked, [4, 5, 6, 7, 8]);
    let summary = bed.stop().unwrap();
    assert_eq!((summary.down.ecn_marked, summary.down.ecn_ce), (5, 5));
    assert_eq!(summary.down.dropped_discipline, 0);
}

#[test]
fn what_asks_for_low_latency_overtakes_the_classic_queue() {
    let bed = Testbed::start(|config| {
        config.down.rate = "12Mbps".parse().unwrap();
        config.down.queue = "dualpi2".parse().unwrap();
        config.down.buffer = "unlimited".parse().unwrap();
    })
    .unwrap();
    send_batch(&bed, Ecn::Ect0, 20);
    send_batch(&bed, Ecn::Ect1, 1);
    let packets = receive(&bed.client, 21, PATIENCE).unwrap();
    let place = packets.iter().position(|packet| packet.ecn == Ecn::Ect1);
    assert!(place.is_some_and(|place| place < 19), "{place:?}");
    bed.stop().unwrap();
}

#[test]
fn each_client_has_a_queue_of_its_own() {
    let bed = Testbed::start(|config| {
        config.down.rate = "1200kbps".parse().unwrap();
        config.down.queue = "fq_codel".parse().unwrap();
        config.down.buffer = "unlimited".parse().unwrap();
    })
    .unwrap();
    let other = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    other.set_read_timeout(Some(PATIENCE)).unwrap();
    other.send_to(b"hello", bed.relay).unwrap();
    let from = receive(&bed.server, 1, PATIENCE).unwrap()[0].from;
    send_batch(&bed, Ecn::Ect0, 40);
    bed.server
        .send_segments(from, Ecn::Ect0, &[0; 100], 100)
        .unwrap();
    other.recv(&mut [0; 100]).unwrap();
    // The first client's packets take 400 ms, and came first.
    let before = receive(&bed.client, 40, Duration::ZERO).unwrap().len();
    assert!(before < 40, "{before}");
    bed.stop().unwrap();
}

#[test]
fn codel_drops_who_cannot_be_marked_and_the_summary_counts_it() {
    let bed = Testbed::start(|config| {
        config.down.rate = "12Mbps".parse().unwrap();
        config.down.queue = "codel:target=1ms,interval=2ms".parse().unwrap();
        config.down.buffer = "unlimited".parse().unwrap();
    })
    .unwrap();
    send_batch(&bed, Ecn::NotEct, 40);
    let received = receive(&bed.client, 40, QUIET).unwrap().len() as u64;
    let summary = bed.stop().unwrap();
    assert!((20..40).contains(&received), "{received}");
    assert_eq!(summary.down.dropped_discipline, 40 - received);
    assert_eq!(summary.down.dropped_overflow, 0);
}

#[test]
fn packets_leave_at_the_opportunities_of_a_recording() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("down.trace");
    std::fs::write(&file, "20\n").unwrap();
    let bed = Testbed::start(|config| {
        config.down.rate = format!("trace:{}", file.display()).parse().unwrap();
        config.down.buffer = "unlimited".parse().unwrap();
    })
    .unwrap();
    send_batch(&bed, Ecn::Ect0, 4);
    let packets = receive(&bed.client, 4, PATIENCE).unwrap();
    assert_eq!(numbers(&packets), [0, 1, 2, 3]);
    let summary = bed.stop().unwrap();
    // Up to 20 ms until the first opportunity, then one packet at each.
    let longest = summary.down.queue_delay_ms.max;
    assert!((39.0..=60.1).contains(&longest), "{longest} ms");
}

#[test]
fn an_outage_and_the_return_path_have_models_of_their_own() {
    let bed = Testbed::start(|config| {
        config.down.outages = "0s..1000s".parse().ok();
        config.up.aggregate = "interval=50ms".parse().ok();
    })
    .unwrap();
    send_batch(&bed, Ecn::Ect0, 4);
    assert!(receive(&bed.client, 1, QUIET).unwrap().is_empty());
    for _ in 0..3 {
        bed.client.send(bed.relay, Ecn::NotEct, b"up").unwrap();
    }
    assert_eq!(receive(&bed.server, 3, PATIENCE).unwrap().len(), 3);
    let summary = bed.stop().unwrap();
    assert_eq!(summary.down.dropped_random, 4);
    assert_eq!(summary.up.forwarded_packets, 4);
}

#[test]
fn packets_overtake_each_other_where_they_take_detours() {
    let bed = Testbed::start(|config| {
        config.down.reorder = "p=50%,extra=20ms".parse().ok();
    })
    .unwrap();
    send_batch(&bed, Ecn::Ect0, 20);
    let order = numbers(&receive(&bed.client, 20, PATIENCE).unwrap());
    bed.stop().unwrap();
    assert_eq!(order.len(), 20);
    assert!(!order.is_sorted(), "{order:?}");
}

#[test]
fn a_recording_that_cannot_be_read_is_refused_before_anything_is_bound() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("up.trace");
    std::fs::write(&file, "1\n2\nthree\n").unwrap();
    let refusal = |path: &Path| {
        let any_port = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let mut config = Config::transparent(any_port, any_port);
        config.up.rate = format!("trace:{}", path.display()).parse().unwrap();
        Relay::bind(config).err().expect("refused").to_string()
    };
    assert!(refusal(&file).contains("up.trace, line 3: `three` is no time"));
    assert!(refusal(Path::new("nowhere")).starts_with("cannot read the trace nowhere: "));
}
