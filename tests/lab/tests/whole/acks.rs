//! How often clients acknowledge, and what they say.

use quiche_cc_bottleneck::Time;
use quiche_cc_lab::record::FlowRecord;

use super::{plan, run};

/// A download whose client is set so.
fn download(settings: &str) -> FlowRecord {
    let text = format!(
        r#"
        title = "a download"
        duration = "10s"
        [[link]]
        name = "bottleneck"
        rate = "10Mbps"
        delay = "20ms"
        [[flow]]
        name = "main"
        path = ["bottleneck"]
        traffic = {{ kind = "unlimited" }}
        {settings}
        "#
    );
    run(&plan(&text, "hybrid", 1)).flows.remove(0)
}

/// What the client sent and received from the third second on: packets back, bytes back, packets there.
fn traffic(flow: &FlowRecord) -> (f64, f64, f64) {
    let late = |at: Time| at.as_secs_f64() >= 3.0;
    let returned: Vec<u32> = flow
        .returned
        .iter()
        .filter(|r| late(r.0))
        .map(|r| r.1)
        .collect();
    let delivered = flow.deliveries.iter().filter(|d| late(d.at)).count();
    let bytes: u32 = returned.iter().sum();
    (returned.len() as f64, bytes.into(), delivered as f64)
}

#[test]
fn a_client_acknowledges_as_many_packets_at_once_as_it_is_told() {
    for packets in [1, 2, 8] {
        let (acks, _, delivered) = traffic(&download(&format!("packets_per_ack = {packets}")));
        let found = delivered / acks;
        let wanted = f64::from(packets);
        assert!(
            (0.95 * wanted..=1.02 * wanted).contains(&found),
            "{found} for {packets}"
        );
    }
}

#[test]
fn an_acknowledgement_waits_25_ms_at_most() {
    let text = r#"packets_per_ack = 100"#;
    let flow = download(text);
    let (acks, _, _) = traffic(&flow);
    // 100 packets take 100 ms.
    assert!(acks / 7.0 > 35.0, "{acks} in 7 s");
}

#[test]
fn receive_timestamps_take_bytes_of_acks_and_no_more_than_they_may() {
    let bytes = |settings: &str| {
        let (acks, bytes, _) = traffic(&download(&format!("packets_per_ack = 8\n{settings}")));
        bytes / acks
    };
    let (without, one, many) = (
        bytes("timestamps = false"),
        bytes("timestamps_per_ack = 1"),
        bytes("timestamps_per_ack = 64"),
    );
    assert!(without < one && one < many, "{without}, {one}, {many}");
}
