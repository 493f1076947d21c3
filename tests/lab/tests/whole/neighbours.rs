//! Competing flows of the lab's own, by what RFC 9438 says of CUBIC.

use quiche_cc_lab::neighbour;
use quiche_cc_lab::record::Record;
use quiche_cc_lab::stats::rate::{bps, Counted};
use quiche_cc_lab::stats::LinkStats;

use super::{record, window};

/// One flow, or two of which the second comes 10 s later, behind a bandwidth-delay product.
fn beside_itself(flows: u32, duration: u64) -> Record {
    let text = format!(
        r#"
        title = "flows behind a bandwidth-delay product"
        duration = "{duration}s"
        [[link]]
        name = "bottleneck"
        rate = "20Mbps"
        buffer = "40ms"
        [[flow]]
        name = "main"
        count = {flows}
        every = "10s"
        rtt = "40ms"
        path = ["bottleneck"]
        traffic = {{ kind = "unlimited" }}
        "#
    );
    record(&text, neighbour::CUBIC)
}

#[test]
fn cubic_fills_a_buffer_and_loses_little() {
    let record = beside_itself(1, 30);
    let link = LinkStats::of(&record.links[0], window(5_000, 30_000));
    assert!(link.utilisation.unwrap() > 0.99, "{link:?}");
    assert!(link.loss_share.unwrap() < 0.001, "{link:?}");
    // Also at the start: HyStart++ ends before the buffer overflows.
    let link = LinkStats::of(&record.links[0], window(0, 5_000));
    assert!(link.loss_share.unwrap() < 0.01, "{link:?}");
}

#[test]
fn a_flow_of_cubic_leaves_its_share_to_one_that_comes_later() {
    let record = beside_itself(2, 60);
    let goodput = |flow: usize| {
        bps(
            &record.flows[flow],
            Counted::Goodput,
            window(30_000, 60_000),
        )
    };
    let share = goodput(1) / (goodput(0) + goodput(1));
    assert!((0.35..=0.65).contains(&share), "{share}");
}

const RANDOM_LOSS: &str = r#"
title = "one packet in ten thousand is lost by chance"
duration = "DURATION"
[[link]]
name = "bottleneck"
rate = "60Mbps"
loss = "0.01%"
[[flow]]
name = "main"
rtt = "100ms"
path = ["bottleneck"]
traffic = { kind = "unlimited" }
"#;
/// Section 5.1, equation (5) with C = 0.4 and beta = 0.7: 1.054 (RTT / p)^0.75 packets of 1250 bytes.
const RATE_BPS: f64 = 1.054 * 177.83 * 1250.0 * 8.0 / 0.1;

/// From 10 s on.
fn random_loss(cc: &str, duration: u64) -> f64 {
    let text = RANDOM_LOSS.replace("DURATION", &format!("{duration}s"));
    let flow = &record(&text, cc).flows[0];
    bps(flow, Counted::Throughput, window(10_000, duration * 1_000))
}

#[test]
fn the_window_of_cubic_is_that_of_its_response_function() {
    let ratio = random_loss(neighbour::CUBIC, 200) / RATE_BPS;
    assert!((0.8..=1.25).contains(&ratio), "{ratio}");
}

#[test]
fn the_cubic_of_quiche_hardly_answers_losses_so_that_another_one_is_needed() {
    let ratio = random_loss("cubic", 30) / RATE_BPS;
    assert!(
        ratio > 2.0,
        "{ratio}: quiche's cubic may do as a competing flow of TCP now"
    );
}
