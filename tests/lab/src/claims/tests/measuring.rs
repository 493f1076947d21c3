//! Numbers of a record that is known.

use std::time::Duration;

use quiche_cc_bottleneck::{LossCause, Time};

use super::super::evaluate::Run;
use super::super::file::Measure;
use super::super::metric::Metric;
use crate::record::{Delivery, FlowRecord, Loss, Record, SenderSample};
use crate::scenario::{self, Overrides, Scenario};

const SCENARIO: &str = r#"
title = "two flows"
duration = "10s"
[[link]]
name = "l"
rate = "1Mbps"
[[flow]]
name = "a-1"
path = ["l"]
traffic = { kind = "unlimited" }
[[flow]]
name = "a-2"
path = ["l"]
start = "5s"
traffic = { kind = "unlimited" }
"#;

fn millis(at: u64) -> Time {
    Time::from_nanos(at * 1_000_000)
}

/// A packet of 1000 bytes every `gap` ms from `from` to `to`, the k-th of which waited k ms.
fn flow(from: u64, to: u64, gap: u64) -> FlowRecord {
    let times = (from..to).step_by(gap as usize);
    let delivery = |(k, at)| Delivery {
        at: millis(at),
        one_way: Duration::from_millis(50 + k),
        queueing: Duration::from_millis(k),
        size: 1000,
        ce: k % 4 == 0,
    };
    let sample = |at| SenderSample {
        at: millis(at),
        window: 10_000,
        rtt: Duration::from_millis(100),
        declared_lost: 0,
        spurious: 0,
        estimate: Default::default(),
    };
    FlowRecord {
        deliveries: (0..).zip(times.clone()).map(delivery).collect(),
        samples: times.map(sample).collect(),
        ..FlowRecord::default()
    }
}

fn scenario() -> Scenario {
    scenario::parse(
        SCENARIO,
        "two flows",
        std::path::Path::new(""),
        &Overrides::default(),
    )
    .unwrap()
}

fn measure(given: &str) -> Vec<Option<f64>> {
    let scenario = scenario();
    let mut record = Record {
        // The first halves its rate when the second comes; the second is there from 5 s on.
        flows: vec![flow(0, 5000, 10), flow(5000, 10_000, 20)],
        ..Record::default()
    };
    let second_half = flow(5000, 10_000, 20);
    record.flows[0].deliveries.extend(second_half.deliveries);
    record.flows[1].losses = [6000, 7000]
        .map(|at| Loss {
            at: millis(at),
            link: 0,
            cause: LossCause::Wire,
        })
        .into();
    let measure: Measure = toml::from_str(given).unwrap();
    let metric = Metric::of(&measure).unwrap();
    metric.check(&scenario).unwrap();
    Run {
        scenario: &scenario,
        record: &record,
    }
    .measure(&metric)
}

#[test]
fn metrics_are_those_of_the_record_in_base_units() {
    for (given, wanted) in [
        ("metric = 'throughput'\nflow = 'a-1'\nto = '5s'", 800_000.0),
        (
            "metric = 'throughput'\nflow = 'a-1'\nfrom = '5s'",
            400_000.0,
        ),
        // The second flow's own time is the second half.
        ("metric = 'throughput'\nflow = 'a-2'", 400_000.0),
        ("metric = 'throughput'", 800_000.0),
        (
            "metric = 'throughput.min'\nflow = 'a-1'\nevery = '500ms'",
            400_000.0,
        ),
        ("metric = 'throughput.sd'\nflow = 'a-1'", 200_000.0),
        ("metric = 'queueing_delay.max'\nflow = 'a-2'", 0.249),
        ("metric = 'queueing_delay.mean'\nflow = 'a-2'", 0.1245),
        ("metric = 'one_way_delay.min'", 0.05),
        ("metric = 'queueing_delay.p50'\nflow = 'a-2'", 0.124),
        ("metric = 'losses'", 2.0),
        ("metric = 'loss'\nflow = 'a-2'", 2.0 / 252.0),
        ("metric = 'marks'\nflow = 'a-2'", 63.0 / 250.0),
        ("metric = 'window.mean'", 10_000.0),
        ("metric = 'window_rate.max'", 800_000.0),
        ("metric = 'rtt.p95'\nflows = ['a-*']", 0.1),
        ("metric = 'jain'\nfrom = '5s'", 1.0),
        ("metric = 'jain'\nto = '5s'", 1.0),
        ("metric = 'smallest_share'\nfrom = '5s'", 1.0),
        ("metric = 'share_ratio'\nfrom = '5s'", 1.0),
        ("metric = 'jain.min'\nevery = '1s'", 1.0),
        ("metric = 'convergence_time'\nfrom = '5s'\nhold = '2s'", 0.0),
        ("metric = 'settling_time'\nflow = 'a-1'", 5.0),
    ] {
        let [Some(found)] = measure(given)[..] else {
            panic!("{given} gives no number");
        };
        assert!(
            (found - wanted).abs() <= 1e-9 * wanted.abs(),
            "{given}: {found} instead of {wanted}"
        );
    }
}

#[test]
fn every_window_gives_a_number_and_one_without_samples_none() {
    let windows = "windows = ['0s..5s', '5s..10s']";
    let found = measure(&format!("metric = 'throughput'\nflow = 'a-1'\n{windows}"));
    assert_eq!(found, [Some(800_000.0), Some(400_000.0)]);
    let found = measure(&format!(
        "metric = 'queueing_delay.max'\nflow = 'a-2'\n{windows}"
    ));
    assert_eq!(found, [None, Some(0.249)]);
}

#[test]
fn a_rate_that_never_stays_has_not_settled() {
    assert_eq!(
        measure("metric = 'settling_time'\nflow = 'a-1'\nto = '5200ms'\nevery = '100ms'"),
        [None]
    );
}
