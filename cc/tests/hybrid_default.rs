//! What the default profile of `hybrid` is for, with margins: use of the path, delay, loss, and shares. The lab's suites
//! (`tests/suites`) measure the same with whole connections.

mod dumbbell;

use std::time::Duration;

use dumbbell::flow::{silent, Flow};
use dumbbell::Dumbbell;

const SIZE: u32 = 1250;

fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn seconds(s: u64) -> Duration {
    Duration::from_secs(s)
}

fn flow(rtt_ms: u64) -> Flow {
    Flow::new("hybrid", SIZE, millis(rtt_ms))
}

/// Share of the path and 95th percentile of the time in its queue, in ms, once start-up is over, and packets lost then.
fn alone(mbps: f64, rtt_ms: u64, bdp: f64, flow: Flow) -> (f64, f64, u64) {
    let mut path = Dumbbell::drop_tail(mbps, rtt_ms as f64 * bdp, vec![flow]);
    let from = millis(60 * rtt_ms).max(seconds(2));
    let period = millis(200 * rtt_ms).clamp(seconds(5), seconds(20));
    path.watch_until(from);
    path.watch_until(from + period);
    let flow = &mut path.flows[0];
    (flow.arrived(period) / mbps, flow.quantile(0.95), flow.lost)
}

#[test]
fn one_flow_uses_paths_of_every_rate_without_filling_their_queues() {
    for (mbps, rtt) in [
        (5.0, 100),
        (10.0, 20),
        (10.0, 100),
        (100.0, 5),
        (100.0, 40),
        (100.0, 200),
        (500.0, 20),
    ] {
        for bdp in [0.5, 1.0, 4.0] {
            for flow in [flow(rtt), flow(rtt).reporting(silent)] {
                let (used, p95, lost) = alone(mbps, rtt, bdp, flow);
                let name =
                    format!("{mbps} Mbit/s, {rtt} ms, {bdp} BDP: {used}, {p95} ms, {lost} lost");
                assert!(used > 0.985, "{name}");
                // Six packets, or a tenth of the round trip.
                let packet = f64::from(SIZE) * 8e-3 / mbps;
                assert!(p95 < (6.0 * packet).max(0.1 * rtt as f64), "{name}");
                assert_eq!(lost, 0, "{name}");
            }
        }
    }
}

#[test]
fn start_up_takes_few_round_trips_and_less_than_a_bandwidth_delay_product_of_buffer() {
    for (mbps, rtt) in [(10.0, 100), (100.0, 20), (100.0, 100)] {
        let mut path = Dumbbell::drop_tail(mbps, rtt as f64, vec![flow(rtt)]);
        path.watch_until(millis(20 * rtt));
        assert_eq!(path.flows[0].lost, 0, "{mbps} Mbit/s, {rtt} ms");
        path.watch_until(millis(25 * rtt));
        let used = path.flows[0].arrived(millis(5 * rtt)) / mbps;
        assert!(used > 0.95, "{mbps} Mbit/s, {rtt} ms: {used}");
    }
}

#[test]
fn start_up_loses_nothing_behind_half_a_bandwidth_delay_product_where_dispersion_shows_the_link() {
    let start = |mbps, rtt, options: &str| {
        let flow = Flow::new(options, SIZE, millis(rtt));
        let mut path = Dumbbell::drop_tail(mbps, rtt as f64 / 2.0, vec![flow]);
        path.watch_until(millis(15 * rtt));
        let lost = path.flows[0].lost;
        path.watch_until(millis(25 * rtt));
        (lost, path.flows[0].arrived(millis(10 * rtt)) / mbps)
    };
    for (mbps, rtt) in [(10.0, 100), (20.0, 300), (100.0, 40), (100.0, 100)] {
        let name = format!("{mbps} Mbit/s, {rtt} ms");
        let (lost, used) = start(mbps, rtt, "hybrid");
        assert_eq!(lost, 0, "{name}");
        assert!(used > 0.97, "{name}: {used}");
        assert!(start(mbps, rtt, "hybrid:without=link_rate").0 > 0, "{name}");
    }
}

#[test]
fn flows_that_come_at_different_times_get_equal_shares() {
    // At 0.5 Mbit/s a flow cannot send three packets together, so that T stays unknown to it.
    for (mbps, rtt, flows, gap, least) in [
        (100.0, 40, 4, 10, 0.98),
        (10.0, 40, 4, 10, 0.98),
        (2.0, 100, 4, 10, 0.95),
        (100.0, 20, 20, 1, 0.98),
    ] {
        let all = (0..flows)
            .map(|n| flow(rtt).between(n * gap, 1 << 40))
            .collect();
        let mut path = Dumbbell::drop_tail(mbps, 100.0, all);
        path.watch_until(seconds((flows - 1) * gap + 20));
        for until in [30, 40] {
            path.watch_until(seconds((flows - 1) * gap + until));
            let shares = path.shares(seconds(10));
            let index = shares.jain();
            assert!(
                index > least,
                "{flows} flows, {mbps} Mbit/s, {rtt} ms: {index}, {shares:?}"
            );
        }
    }
}

#[test]
fn flows_with_different_round_trips_get_similar_shares() {
    for (mbps, rtts) in [
        (100.0, vec![10, 40, 200]),
        (20.0, vec![10, 40, 200]),
        (20.0, vec![20, 100]),
    ] {
        let mut path =
            Dumbbell::drop_tail(mbps, 100.0, rtts.iter().map(|rtt| flow(*rtt)).collect());
        path.watch_until(seconds(60));
        path.watch_until(seconds(90));
        let shares = path.shares(seconds(30));
        assert!(shares.bias() < 2.0, "{mbps} Mbit/s, {rtts:?}: {shares:?}");
    }
}
