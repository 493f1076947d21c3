//! Numbers that are known without a simulation.

use std::time::Duration;

use quiche_cc_bottleneck::Rate;
use quiche_cc_lab::record::{FlowRecord, Record};
use quiche_cc_lab::stats::rate::{bps, bytes, Counted};
use quiche_cc_lab::stats::LinkStats;
use quiche_cc_lab::summary::{json, Summary};

use super::{ms, plan, record, run, window};

const MS: Duration = Duration::from_millis(1);

fn lost(flow: &FlowRecord) -> usize {
    flow.losses.len()
}

#[test]
fn a_packet_takes_what_the_links_on_its_way_take() {
    let record = record(
        r#"
        title = "two links, 1250 bytes: 10 ms and 2 ms"
        duration = "10s"
        [[link]]
        name = "slow"
        rate = "1Mbps"
        delay = "20ms"
        [[link]]
        name = "fast"
        rate = "5Mbps"
        delay = "3ms"
        [[flow]]
        name = "cbr"
        path = ["slow", "fast"]
        delay = "5ms"
        transport = "udp"
        traffic = { kind = "cbr", rate = "500kbps" }
        "#,
        "reno",
    );
    let flow = &record.flows[0];
    assert!(flow.deliveries.len() > 490);
    for delivery in &flow.deliveries {
        assert_eq!(delivery.one_way, (5 + 10 + 20 + 2 + 3) * MS);
        assert_eq!(delivery.queueing, Duration::ZERO);
    }
    // 10 ms of every 20, and 2 of every 20.
    let utilisation = |link: usize| LinkStats::of(&record.links[link], window(2000, 10_000));
    assert_eq!(utilisation(0).utilisation, Some(0.5));
    assert_eq!(utilisation(1).utilisation, Some(0.1));
    assert_eq!(bps(flow, Counted::Goodput, window(2000, 10_000)), 500_000.0);
}

/// Twice the rate into four packets, and what else the scenario says.
fn overloaded(more: &str) -> Record {
    let text = format!(
        r#"
        title = "twice the rate into four packets"
        duration = "10s"
        {more}
        [[link]]
        name = "bottleneck"
        rate = "1Mbps"
        buffer = "4p"
        [[flow]]
        name = "cbr"
        path = ["bottleneck"]
        transport = "udp"
        traffic = {{ kind = "cbr", rate = "2Mbps" }}
        "#
    );
    record(&text, "reno")
}

#[test]
fn what_does_not_fit_is_dropped_and_what_does_waits_for_a_full_buffer() {
    let record = overloaded("");
    let late = window(1000, 9000);
    let flow = &record.flows[0];
    let link = LinkStats::of(&record.links[0], late);
    assert_eq!(link.utilisation, Some(1.0));
    assert_eq!(link.queue_packets.max, 4);
    assert_eq!(bps(flow, Counted::Throughput, late), 1e6);
    // Every other packet is taken, and then three others and up to one in service are before it.
    assert!((link.loss_share.unwrap() - 0.5).abs() < 0.002);
    let deliveries = late.cut(&flow.deliveries, |delivery| delivery.at);
    assert!(deliveries
        .iter()
        .all(|d| (30 * MS..=40 * MS).contains(&d.queueing)));
    assert_eq!(lost(flow) as u64, link_losses(&record));
}

#[test]
fn links_are_looked_at_where_windows_begin_and_end() {
    // An interval that neither the warm-up nor the run is a multiple of.
    let record = overloaded("warmup = \"2500ms\"\ninterval = \"3s\"");
    let link = LinkStats::of(&record.links[0], window(2500, 10_000));
    assert_eq!(link.utilisation, Some(1.0));
    assert_eq!(link.throughput_bps, Some(1e6));
    // The one at 2.5 s had come before, and at 10 s none is sent any more.
    assert_eq!(link.arrived_packets, 1499);
}

#[test]
fn a_transfer_in_datagrams_sends_all_of_it() {
    for (given, datagrams) in [("1000", 1), ("20000100", 16_001)] {
        let record = record(
            &r#"
            title = "transfer"
            duration = "10s"
            [[link]]
            name = "bottleneck"
            rate = "1Gbps"
            buffer = "100000p"
            [[flow]]
            name = "file"
            path = ["bottleneck"]
            transport = "udp"
            traffic = { kind = "transfer", bytes = GIVEN }
            "#
            .replace("GIVEN", given),
            "reno",
        );
        let deliveries = &record.flows[0].deliveries;
        let sent: u64 = deliveries.iter().map(|d| u64::from(d.size)).sum();
        assert_eq!(sent.to_string(), given);
        assert_eq!(deliveries.len(), datagrams);
    }
}

fn link_losses(record: &Record) -> u64 {
    let last = record.links[0].samples.last().unwrap();
    last.counters.lost().packets
}

#[test]
fn a_quic_flow_that_never_fills_its_path_waits_nowhere() {
    let record = record(
        r#"
        title = "idle path"
        duration = "10s"
        [[link]]
        name = "link"
        rate = "10Mbps"
        delay = "25ms"
        [[flow]]
        name = "calm"
        path = ["link"]
        traffic = { kind = "cbr", rate = "200kbps" }
        "#,
        "reno",
    );
    let rate: Rate = "10Mbps".parse().unwrap();
    let calm = window(1000, 10_000);
    let deliveries = calm.cut(&record.flows[0].deliveries, |delivery| delivery.at);
    assert!(deliveries.len() > 100);
    for delivery in deliveries {
        assert_eq!(delivery.queueing, Duration::ZERO);
        assert_eq!(
            delivery.one_way,
            25 * MS + rate.time_for(delivery.size.into())
        );
    }
    let goodput = bps(&record.flows[0], Counted::Goodput, calm);
    assert!((goodput / 200e3 - 1.0).abs() < 0.01, "{goodput}");
    let samples = &record.flows[0].samples;
    assert!(samples
        .iter()
        .all(|sample| sample.at < ms(1000) || sample.rtt >= 50 * MS));
}

/// 1250 bytes at 8 Mbit/s.
const FULL_PACKET: Duration = Duration::from_micros(1250);

const SATURATED: &str = r#"
title = "more than there is"
duration = "10s"
[[link]]
name = "bottleneck"
rate = "8Mbps"
delay = "10ms"
buffer = "50ms"
[[flow]]
name = "main"
count = 3
path = ["bottleneck"]
traffic = { kind = "unlimited" }
"#;

#[test]
fn nobody_gets_more_than_the_link_has() {
    for cc in ["reno", "cubic", "bbr2", "hybrid", "smallq", "vegas"] {
        let record = record(SATURATED, cc);
        for part in window(0, 10_000).bins(100 * MS) {
            let all = record.flows.iter();
            let all: u64 = all.map(|flow| bytes(flow, Counted::Throughput, part)).sum();
            // 8 Mbit/s in 100 ms, and a packet whose first bits were sent before.
            assert!(all <= 100_000 + 1250, "{cc}: {all} from {:?}", part.from());
        }
        let link = LinkStats::of(&record.links[0], window(2000, 10_000));
        let utilisation = link.utilisation.unwrap();
        assert!(
            utilisation > 0.5 && utilisation <= 1.0,
            "{cc}: {utilisation}"
        );
        let deliveries = record.flows.iter().flat_map(|flow| &flow.deliveries);
        let longest = deliveries.map(|d| d.queueing).max().unwrap();
        // The buffer holds 50 ms, and behind a packet in service a small one takes little of it.
        assert!(longest <= 50 * MS + FULL_PACKET, "{cc}: {longest:?}");
    }
}

#[test]
fn every_packet_arrives_or_is_lost_or_is_on_its_way() {
    let lossy = SATURATED.replace("buffer =", "loss = \"1%\"\nbuffer =");
    let record = record(&lossy, "cubic");
    for flow in &record.flows {
        let (sent, done) = (flow.sent.len(), flow.deliveries.len() + lost(flow));
        assert!(done <= sent, "{done} of {sent}");
        // 10 ms of delay and at most 50 ms of queue.
        let late = flow
            .sent
            .iter()
            .filter(|(at, _)| *at >= ms(10_000 - 75))
            .count();
        assert!(done + late >= sent, "{done} and {late} of {sent}");
    }
    let sender = record.flows[0].samples.last().unwrap();
    let really = lost(&record.flows[0]) as u64;
    assert!(sender.declared_lost - sender.spurious <= really);
}

#[test]
fn random_loss_takes_its_share() {
    let text = SATURATED.replace("buffer =", "loss = \"2%\"\nbuffer =");
    let text = text.replace("10s", "60s");
    let record = record(&text, "hybrid");
    let link = record.links[0].samples.last().unwrap();
    let arrived = link.counters.arrived.packets as f64;
    let share = link.counters.lost_wire.packets as f64 / arrived;
    // Four standard deviations.
    let deviation = (0.02 * 0.98 / arrived).sqrt();
    assert!(
        (share - 0.02).abs() < 4.0 * deviation,
        "{share} of {arrived}"
    );
}

#[test]
fn a_transfer_is_read_to_its_last_byte_and_pages_take_a_round_trip_at_least() {
    let record = record(
        r#"
        title = "finite"
        duration = "20s"
        [[link]]
        name = "link"
        rate = "10Mbps"
        delay = "20ms"
        loss = "1%"
        [[flow]]
        name = "transfer"
        path = ["link"]
        traffic = { kind = "transfer", bytes = 1234567 }
        [[flow]]
        name = "pages"
        path = ["link"]
        traffic = { kind = "requests", objects = 4, parallel = 2, size = 10000, think = "100ms" }
        "#,
        "reno",
    );
    let read = bytes(&record.flows[0], Counted::Goodput, window(0, 20_000));
    assert_eq!(read, 1_234_567);
    let pages = &record.flows[1].completions;
    assert!(pages.len() > 20, "{}", pages.len());
    // Four objects, two at a time.
    assert!(pages
        .iter()
        .all(|(from, to)| to.since(*from) >= 2 * 40 * MS));
    let read = bytes(&record.flows[1], Counted::Goodput, window(0, 20_000));
    let (complete, begun) = (pages.len() as u64, pages.len() as u64 + 1);
    assert!(
        (complete * 40_000..=begun * 40_000).contains(&read),
        "{read}"
    );
}

/// The summary with a right clock at the client, and with one that is an hour fast, drifts, and is set back. Without the bytes of
/// ACKs: a timestamp is as long as its value.
fn with_clocks(cc: &str, timestamps: bool) -> [String; 2] {
    let flow = format!("timestamps = {timestamps}");
    let clock = r#"{ offset = "3600s", drift_ppm = 100, steps = [{ at = "5s", by = "-20ms" }] }"#;
    ["{}", clock].map(|clock| {
        let flow = format!("{flow}\nclock = {clock}");
        let plan = plan(&SATURATED.replace("count = 3", &flow), cc, 1);
        let text = json::to_text(&Summary::of(&plan, &run(&plan)));
        let lines = text.lines();
        lines
            .filter(|line| !line.contains("returned_bytes"))
            .collect()
    })
}

#[test]
fn what_the_clients_clock_shows_matters_only_to_who_looks_at_it() {
    for cc in ["reno", "cubic"] {
        let [right, wrong] = with_clocks(cc, true);
        assert_eq!(right, wrong, "{cc}");
    }
    let [right, wrong] = with_clocks("hybrid", true);
    assert_ne!(right, wrong, "hybrid with receive timestamps");
}

#[test]
fn a_queue_marks_flows_that_ask_for_it_and_no_others() {
    let marking = SATURATED.replace("count = 3", "ecn = true");
    let marking = marking.replace("buffer =", "queue = \"mark:q0=10p\"\nbuffer =");
    let marks = |text: &str| {
        let record = record(text, "smallq");
        let deliveries = record.flows[0].deliveries.iter();
        deliveries.filter(|delivery| delivery.ce).count()
    };
    assert!(marks(&marking) > 100);
    assert_eq!(marks(&marking.replace("ecn = true", "ecn = false")), 0);
}
