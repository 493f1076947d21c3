//! `raimd` under random loss and on a bottleneck, against the equations it is built on.

mod dumbbell;

use std::time::Duration;

use dumbbell::flow::Flow;
use dumbbell::Dumbbell;
use quiche_cc::models::aimd::{throughput, Path};
use quiche_cc::models::tcp::Pftk;
use quiche_cc::units::PacketRate;

const SECOND: Duration = Duration::from_secs(1);
const SIZE: u32 = 1250;
/// Loss cycles to average over: their lengths vary by half, so the mean by some 4 %.
const CYCLES: f64 = 200.0;

fn path(millis: u64, loss: f64) -> Path {
    Path {
        rtt: Duration::from_millis(millis),
        loss,
    }
}

/// Packets/s that leave on a path with random loss and no other limit, after a tenth of the time.
fn sent(spec: &str, path: &Path, expected: PacketRate) -> f64 {
    let link = [
        "unlimited",
        "unlimited",
        &format!("{}us", path.rtt.as_micros() / 2),
        &format!("{}%", path.loss * 100.0),
    ];
    let flow = Flow::new(spec, SIZE, path.rtt - path.rtt / 2);
    let mut bell = Dumbbell::on(link, vec![flow]);
    let cycle = (1.0 / (path.loss * expected.per_sec())).max(3.0 * path.rtt.as_secs_f64());
    let length = Duration::from_secs_f64(cycle * CYCLES);
    bell.run_until(length / 10);
    bell.watch_until(length / 10 + length);
    bell.flows[0].sent as f64 / length.as_secs_f64()
}

/// Equation (12), from a hundredth of a packet per round trip and cycle to several lost in one.
#[test]
fn the_throughput_is_the_papers_over_decades_of_round_trip_and_loss() {
    for (alpha, beta) in [(10.0, 0.5), (50.0, 0.6), (100.0, 0.7)] {
        for path in [
            path(10, 1e-3),
            path(10, 1e-2),
            path(100, 1e-3),
            path(1_000, 1e-3),
            path(10_000, 1e-3),
        ] {
            let model = throughput(PacketRate::from_per_sec(alpha), beta, &path);
            let spec = format!("raimd:paper,alpha={alpha},beta={beta}");
            let ratio = sent(&spec, &path, model) / model.per_sec();
            assert!(
                (0.9..1.1).contains(&ratio),
                "{spec}: {ratio} of the model at {path:?}"
            );
        }
    }
}

/// Section 3.3: R = 100 ms, p = 1e-2 and R = 1 s, p = 1e-3 with B = 2 Mbit/s.
#[test]
fn a_target_is_met_from_measured_round_trip_and_loss() {
    for path in [path(100, 1e-2), path(1_000, 1e-3)] {
        let target = PacketRate::from_per_sec(2e6 / (f64::from(SIZE) * 8.0));
        for beta in [0.5, 0.8] {
            let spec = format!("raimd:paper,beta={beta},target=2Mbps,history=32");
            let ratio = sent(&spec, &path, target) / target.per_sec();
            assert!(
                (0.75..1.25).contains(&ratio),
                "{spec}: {ratio} of the target at {path:?}"
            );
        }
        let fixed = sent("raimd:paper", &path, target);
        assert!(fixed < 0.5 * target.per_sec(), "{fixed}");
    }
}

#[test]
fn the_target_tcp_is_what_the_model_of_tcp_gives() {
    for path in [path(50, 1e-3), path(100, 1e-2)] {
        let tcp = Pftk::tfrc(path.rtt).throughput(path.loss);
        let ratio = sent("raimd", &path, tcp) / tcp.per_sec();
        assert!(
            (0.75..1.25).contains(&ratio),
            "{ratio} of TCP's at {path:?}"
        );
    }
}

/// Figure 6: the larger beta, the calmer.
#[test]
fn a_larger_share_kept_swings_less() {
    let swing = |beta: f64| {
        let spec = format!("raimd:paper,beta={beta},target=2Mbps,history=32");
        let mut bell = Dumbbell::on(
            ["unlimited", "unlimited", "500ms", "0.1%"],
            vec![Flow::new(&spec, SIZE, SECOND / 2)],
        );
        let mut rates = Vec::new();
        for second in 200..1_000 {
            bell.run_until(second * SECOND);
            rates.push(bell.flows[0].pacing().bps());
        }
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let square = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>();
        (square / rates.len() as f64).sqrt() / mean
    };
    let (wild, calm) = (swing(0.5), swing(0.8));
    assert!(calm < 0.8 * wild, "{calm} and {wild}");
}

#[test]
fn on_a_bottleneck_start_up_finds_the_capacity_and_flows_share_it() {
    let link = ["10Mbps", "50p", "10ms", "0%"];
    let flow = |start| Flow::new("raimd", SIZE, Duration::from_millis(30)).between(start, 1_000);
    let mut bell = Dumbbell::on(link, vec![flow(0), flow(30)]);
    bell.run_until(5 * SECOND);
    bell.watch_until(30 * SECOND);
    let alone = bell.flows[0].arrived(25 * SECOND);
    assert!(alone > 8.5, "{alone} of 10 Mbit/s");
    assert!(bell.flows[0].loss() < 0.02, "{}", bell.flows[0].loss());
    bell.run_until(60 * SECOND);
    bell.watch_until(120 * SECOND);
    let [first, second] = [0, 1].map(|flow| bell.flows[flow].arrived(60 * SECOND));
    assert!(
        first + second > 9.0 && (0.6..1.7).contains(&(first / second)),
        "{first} and {second}"
    );
}
