//! The measuring itself: what a file of scenarios may say, and that figures are what they are called.

mod dumbbell;

use std::time::Duration;

use dumbbell::flow::Flow;
use dumbbell::measure::{measure_all, Figures};
use dumbbell::scenario::{Kind, Set};
use dumbbell::summary::summary;
use dumbbell::Dumbbell;

const TWO: &str = r#"
[[scenario]]
name = "one"
rate = "5Mbps"
buffer = "1bdp"
jitter = "wifi"
rtts = ["40ms"]
from = "2s"
period = "3s"

[[scenario]]
name = "two"
rate = "5Mbps"
buffer = "50ms"
rtts = ["40ms", "40ms"]
gap = "2s"
from = "10s"
period = "10s"
"#;

fn figures(seeds: &[u64], jobs: usize) -> Vec<Figures> {
    let set = Set::parse(TWO).unwrap();
    measure_all(&set.scenario, "hybrid", seeds, jobs)
}

#[test]
fn the_same_seed_gives_the_same_figures_on_any_number_of_threads_and_another_seed_others() {
    let one = figures(&[1, 2], 1);
    assert_eq!(one, figures(&[1, 2], 3));
    assert_eq!(one[..2], figures(&[1], 1));
    assert_ne!(one[0].p95_ms, one[2].p95_ms);
    assert_ne!(one[1].p95_ms, one[3].p95_ms);
}

#[test]
fn a_scenario_of_several_flows_tells_of_shares_and_one_of_a_single_flow_of_its_start() {
    let [one, two] = &figures(&[1], 1)[..] else {
        panic!("two scenarios")
    };
    assert_eq!((one.kind, two.kind), (Kind::Disturbed, Kind::Equal));
    assert!(one.start_up.is_some() && one.jain.is_none() && one.arrival_ms.is_none());
    assert!(two.start_up.is_none() && two.jain > Some(0.9) && two.bias >= Some(1.0));
    assert!(two.arrival_ms >= Some(two.packet_ms), "{two:?}");
    assert!((one.packet_ms - 2.0).abs() < 1e-3, "{one:?}");
    let names: Vec<&str> = summary(std::slice::from_ref(one))
        .iter()
        .map(|cell| cell.name)
        .collect();
    assert_eq!(names, ["loss", "start_loss", "disturbed"]);
}

#[test]
fn what_is_wrong_with_a_scenario_is_said() {
    for (right, wrong, said) in [
        ("5Mbps", "5", "`5` is no valid rate"),
        ("5Mbps", "unlimited", "`rate` must be a rate"),
        ("[\"40ms\"]", "[]", "`rtts` must name"),
        (
            "from = \"10s\"",
            "from = \"1s\"",
            "`from` after the last flow's start",
        ),
        ("buffer", "bufer", "unknown field `bufer`"),
    ] {
        let error = Set::parse(&TWO.replace(right, wrong)).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}

/// 200 ms for each packet: acknowledgements come long after the probe timeout.
#[test]
fn a_packet_that_was_given_up_and_arrives_late_is_counted_once() {
    let flow = Flow::new("hybrid", 1250, Duration::from_millis(40)).between(0, 30);
    let mut path = Dumbbell::on(["50kbps", "unlimited", "0ms", "0%"], vec![flow]);
    path.watch_until(Duration::from_secs(90));
    let flow = &path.flows[0];
    assert!(flow.lost > 0, "nothing was given up");
    assert_eq!(flow.sent, flow.delivered + flow.lost);
}
