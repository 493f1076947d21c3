//! The same seed gives the same run.

use std::path::Path;
use std::process::Command;

use quiche_cc_lab::series;
use quiche_cc_lab::summary::{json, Summary};
use quiche_cc_lab::sweep::Plan;

use super::{plan, run};

/// Loss, jitter, a queue that marks at random, and random traffic of both transports.
const RANDOM: &str = r#"
title = "randomness everywhere"
duration = "6s"
warmup = "1s"

[[link]]
name = "bottleneck"
rate = "4Mbps"
delay = "10ms"
queue = "mark:q0=20p"
loss = "0.5%"
jitter = "uniform:max=2ms"

[[flow]]
name = "main"
count = 2
every = "500ms"
path = ["bottleneck"]
traffic = { kind = "unlimited" }

[[flow]]
name = "web"
path = ["bottleneck"]
cc = "cubic"
traffic = { kind = "requests", objects = 3, parallel = 2, size = 20000, spread = 1.0, think = "200ms" }

[[flow]]
name = "noise"
path = ["bottleneck"]
transport = "udp"
traffic = { kind = "poisson", rate = "500kbps" }
"#;

/// All that is written about a run.
fn output(plan: &Plan) -> [String; 3] {
    let record = run(plan);
    [
        json::to_text(&Summary::of(plan, &record)),
        series::flows(&plan.scenario, &record),
        series::links(&plan.scenario, &record),
    ]
}

#[test]
fn runs_of_one_seed_are_the_same_in_threads_at_the_same_time() {
    for cc in ["reno", "bbr2", "hybrid", "smallq"] {
        let other = std::thread::spawn(move || output(&plan(RANDOM, cc, 7)));
        let here = output(&plan(RANDOM, cc, 7));
        assert_eq!(here, other.join().unwrap(), "{cc}");
        assert!(here[0].contains("\"goodput_bps\""));
    }
}

#[test]
fn a_run_does_not_depend_on_runs_before_it_on_the_same_thread() {
    let first = output(&plan(RANDOM, "cubic", 1));
    output(&plan(RANDOM, "hybrid", 2));
    assert_eq!(output(&plan(RANDOM, "cubic", 1)), first);
}

#[test]
fn another_seed_gives_another_run() {
    let [summary, flows, links] = output(&plan(RANDOM, "reno", 1));
    let [summary2, flows2, links2] = output(&plan(RANDOM, "reno", 2));
    assert_ne!(summary, summary2.replace("\"seed\": 2", "\"seed\": 1"));
    assert!(flows != flows2 && links != links2);
}

fn run_program(directory: &Path) -> Vec<Vec<u8>> {
    let file = directory.join("scenario.toml");
    std::fs::write(&file, RANDOM).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_cc-lab"))
        .args(["run", "--cc", "hybrid", "--seed", "7", "--qlog"])
        .args([Path::new("--out"), directory, &file])
        .output()
        .unwrap();
    assert!(status.status.success(), "{status:?}");
    let names = [
        "summary.json",
        "flows.csv",
        "links.csv",
        "qlog/main-1.sqlog",
    ];
    let files = names.iter();
    files
        .map(|name| std::fs::read(directory.join(name)).unwrap())
        .collect()
}

#[test]
fn runs_of_one_seed_are_the_same_in_two_processes_traces_included() {
    let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (first, second) = (run_program(first.path()), run_program(second.path()));
    assert!(first == second);
    assert!(first.iter().all(|file| file.len() > 500));
}

#[test]
fn a_summary_is_that_of_the_program_and_of_the_library() {
    let directory = tempfile::tempdir().unwrap();
    let files = run_program(directory.path());
    let here = output(&plan(RANDOM, "hybrid", 7));
    for (file, text) in files.iter().zip(here) {
        assert_eq!(std::str::from_utf8(file).unwrap(), text);
    }
}
