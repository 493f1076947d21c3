//! Many runs, and what becomes of the others if one goes wrong.

use std::path::PathBuf;

use quiche_cc_lab::scenario::Transport;
use quiche_cc_lab::sweep::{execute, Axis, Event, Failure, Plan, Sweep, Writes};

use super::plan;

const SHORT: &str = r#"
title = "short"
duration = "1s"
[[link]]
name = "bottleneck"
rate = "4Mbps"
delay = "10ms"
[[flow]]
name = "main"
count = 2
path = ["bottleneck"]
traffic = { kind = "unlimited" }
[[flow]]
name = "other"
path = ["bottleneck"]
traffic = { kind = "unlimited" }
[[flow]]
name = "udp"
path = ["bottleneck"]
transport = "udp"
traffic = { kind = "cbr", rate = "100kbps" }
"#;

fn file() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("short.toml");
    std::fs::write(&file, SHORT).unwrap();
    (directory, file)
}

fn sweep() -> Sweep {
    let axis = |key: &str, values: [&str; 2]| Axis {
        key: key.to_owned(),
        values: values.map(str::to_owned).to_vec(),
    };
    Sweep {
        controllers: vec!["reno".into(), "hybrid:target_delay=10ms".into()],
        seeds: vec![1, 2],
        set: vec![("duration".into(), "2s".into())],
        grid: vec![
            axis("link.bottleneck.rate", ["1Mbps", "10Mbps"]),
            axis("link.bottleneck.delay", ["5ms", "50ms"]),
        ],
        fixed: vec![("main".into(), "cubic".into())],
    }
}

#[test]
fn everything_is_crossed_with_everything() {
    let (_directory, file) = file();
    let plans = sweep().plan(&file).unwrap();
    assert_eq!(plans.len(), 2 * 2 * 4);
    let names: Vec<_> = plans.iter().map(|plan| plan.name.as_str()).collect();
    assert_eq!(
        names[..3],
        [
            "reno,link.bottleneck.rate=1Mbps,link.bottleneck.delay=5ms,seed=1",
            "reno,link.bottleneck.rate=1Mbps,link.bottleneck.delay=5ms,seed=2",
            "reno,link.bottleneck.rate=1Mbps,link.bottleneck.delay=50ms,seed=1",
        ]
    );
    assert!(names[8].starts_with("hybrid_target_delay=10ms,"));
    let last = plans.last().unwrap();
    assert_eq!(last.scenario.duration.as_secs(), 2);
    assert_eq!(last.scenario.flows[0].base_rtt.as_millis(), 100);
    assert_eq!(last.parameters.len(), 3);
}

#[test]
fn a_flow_or_all_that_were_counted_up_from_it_get_a_controller_of_their_own() {
    let (_directory, file) = file();
    let controllers = |fixed: &str| {
        let fixed = vec![(fixed.to_owned(), "cubic".to_owned())];
        let plans = Sweep { fixed, ..sweep() }.plan(&file)?;
        let flows = plans[0].scenario.flows.iter();
        Ok::<_, quiche_cc_lab::sweep::SweepError>(
            flows
                .map(|flow| match &flow.transport {
                    Transport::Quic(quic) => quic.cc.is_some(),
                    Transport::Udp => false,
                })
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(controllers("main").unwrap(), [true, true, false, false]);
    assert_eq!(controllers("main-2").unwrap(), [false, true, false, false]);
    for wrong in ["mai", "udp", "main-3"] {
        let error = controllers(wrong).unwrap_err().to_string();
        assert!(
            error.ends_with("there are main-1, main-2, other"),
            "{error}"
        );
    }
}

#[test]
fn the_same_run_twice_is_a_slip() {
    let (_directory, file) = file();
    let twice = Sweep {
        seeds: vec![3, 3],
        ..sweep()
    };
    let error = twice.plan(&file).unwrap_err().to_string();
    assert!(error.ends_with("seed=3 is asked for twice"), "{error}");
}

/// What became of each run, `digest` seeing it.
fn results(
    plans: &[Plan],
    digest: impl Fn(&Plan) -> Result<u64, Failure> + Sync,
) -> Vec<Option<Result<u64, String>>> {
    quiche_cc_lab::neighbour::register().unwrap();
    let mut results = vec![None; plans.len()];
    execute(
        plans,
        2,
        &|_| Ok(Writes::default()),
        &|plan, _| digest(plan),
        |event| {
            if let Event::Over(run, result) = event {
                results[run] = Some(result.map_err(|failure| failure.to_string()));
            }
        },
    );
    results
}

#[test]
fn a_run_that_panics_leaves_the_others_alone() {
    let plans: Vec<_> = (0..6).map(|seed| plan(SHORT, "reno", seed)).collect();
    let results = results(&plans, |plan| {
        assert!(plan.seed != 2, "seed 2 is unlucky");
        Ok(plan.seed)
    });
    for (seed, result) in (0..).zip(results) {
        match result.expect("every run is over once") {
            Ok(other) => assert_eq!(seed, other),
            Err(message) => {
                assert_eq!(seed, 2);
                assert!(
                    message.starts_with("panicked: seed 2 is unlucky ("),
                    "{message}"
                );
                assert!(message.contains("sweeps.rs:"), "{message}");
            }
        }
    }
}

#[test]
fn a_run_that_cannot_begin_leaves_the_others_alone() {
    let plans = ["reno", "nonsense", "cubic"].map(|cc| plan(SHORT, cc, 1));
    let results = results(&plans, |_| Ok(0));
    assert!(matches!(results[0], Some(Ok(_))) && matches!(results[2], Some(Ok(_))));
    let message = results[1].clone().unwrap().unwrap_err();
    assert!(
        message.contains("refuses the congestion controller `nonsense`"),
        "{message}"
    );
}
