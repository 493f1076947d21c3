//! `cc-lab compare`, from the suite's file to the report.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SCENARIO: &str = r#"
title = "short"
duration = "6s"
warmup = "2s"
[[link]]
name = "bottleneck"
rate = "4Mbps"
[[flow]]
name = "main"
path = ["bottleneck"]
rtt = "20ms"
traffic = { kind = "unlimited" }
"#;

/// With two axes.
pub(super) const SQUARE: &str = r#"
title = "Four paths"
scenario = "short.toml"
controllers = ["bbr2", "hybrid"]
reference = "bbr2"
[[axis]]
label = "rate"
key = "link.bottleneck.rate"
values = ["2Mbps", "8Mbps"]
[[axis]]
label = "RTT"
key = "flow.main.rtt"
values = ["10ms", "40ms"]
"#;

const SUITE: &str = r#"
title = "Two paths"
scenario = "short.toml"
controllers = ["bbr2", "hybrid"]
seeds = 2
reference = "bbr2"
[[axis]]
label = "rate"
key = "link.bottleneck.rate"
values = ["2Mbps", "8Mbps"]
"#;

pub(super) fn compare(directory: &Path, suite: &str, options: &str) -> Output {
    compare_over(SCENARIO, directory, suite, options)
}

fn compare_over(scenario: &str, directory: &Path, suite: &str, options: &str) -> Output {
    std::fs::write(directory.join("short.toml"), scenario).unwrap();
    std::fs::write(directory.join("suite.toml"), suite).unwrap();
    Command::new(env!("CARGO_BIN_EXE_cc-lab"))
        .args(["compare", "suite.toml", "--out", "out"])
        .args(options.split_whitespace())
        .current_dir(directory)
        .output()
        .unwrap()
}

/// Whatever they send; and not one with a controller of its own, whose queue this would be.
#[test]
fn flows_count_that_have_the_controller_which_is_compared() {
    let pages =
        r#"{ kind = "requests", objects = 4, parallel = 2, size = 20000, think = "200ms" }"#;
    let neighbour = r#"
[[link]]
name = "elsewhere"
rate = "2Mbps"
buffer = "500ms"
[[flow]]
name = "other"
path = ["elsewhere"]
cc = "reno"
traffic = { kind = "unlimited" }
"#;
    let scenario = SCENARIO.replace(r#"{ kind = "unlimited" }"#, pages) + neighbour;
    let directory = tempfile::tempdir().unwrap();
    let done = compare_over(&scenario, directory.path(), SUITE, "");
    assert!(done.status.success(), "{done:?}");
    let entries = results(directory.path());
    let delays = entries.iter().map(|e| e["queueing_p95_ms"].as_f64());
    let delays: Vec<_> = delays.map(Option::unwrap).collect();
    assert_eq!(delays.len(), 4);
    assert!(delays.iter().all(|ms| *ms < 100.0), "{delays:?}");
}

pub(super) fn results(directory: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(directory.join("out/results.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_controller_stands_at_every_point_with_the_worst_of_its_seeds() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let output = compare(path, SUITE, "");
    assert!(output.status.success(), "{output:?}");
    let both = results(path);
    let places: Vec<_> = both
        .iter()
        .map(|entry| {
            (
                entry["cc"].as_str().unwrap(),
                entry["point"][0].as_str().unwrap(),
            )
        })
        .collect();
    let [slow, fast] = ["2Mbps", "8Mbps"];
    assert_eq!(
        places,
        [
            ("bbr2", slow),
            ("bbr2", fast),
            ("hybrid", slow),
            ("hybrid", fast)
        ]
    );
    compare(path, &SUITE.replace("seeds = 2", "seeds = 1"), "");
    for (both, first) in both.iter().zip(results(path)) {
        let number = |entry: &Value, name: &str| entry[name].as_f64().unwrap();
        assert!(number(both, "utilisation") <= number(&first, "utilisation"));
        assert!(number(both, "queueing_p95_ms") >= number(&first, "queueing_p95_ms"));
        assert!((0.3..=1.0).contains(&number(both, "utilisation")), "{both}");
    }
}

#[test]
fn the_report_has_a_line_per_path_and_its_figures_inside() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let output = compare(path, SUITE, "--cc bbr2,hybrid:target_delay=10ms");
    assert!(output.status.success(), "{output:?}");
    let markdown = std::fs::read_to_string(path.join("out/report.md")).unwrap();
    assert!(
        markdown.contains("| rate | bbr2 | hybrid:target_delay=10ms |"),
        "{markdown}"
    );
    assert!(markdown.contains("| 2Mbps |") && markdown.contains("| 8Mbps |"));
    let page = std::fs::read_to_string(path.join("out/report.html")).unwrap();
    // One figure per rate, and the losses.
    assert_eq!(page.matches("<svg").count(), 3);
}

#[test]
fn a_suite_that_cannot_be_used_says_where_and_what_is_allowed() {
    let cases = [
        (SUITE.replace("seeds = 2", "seeds = 0"), "1 to 1000"),
        (
            SUITE.replace("seeds = 2", "sedes = 2"),
            "suite.toml:5: there is no key `sedes`",
        ),
        (
            SUITE.replace("reference = \"bbr2\"", "reference = \"reno\""),
            "there are bbr2, hybrid",
        ),
        (SUITE.replace("short.toml", "long.toml"), "long.toml"),
        (SUITE.replace("\"hybrid\"]", "\"hybird\"]"), "available are"),
        (SUITE.replace("8Mbps", "8x"), "allowed: "),
        (
            SUITE.replace("[\"2Mbps\", \"8Mbps\"]", "[]"),
            "at least one value",
        ),
    ];
    let directory = tempfile::tempdir().unwrap();
    for (suite, expected) in cases {
        let output = compare(directory.path(), &suite, "");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
        assert!(!directory.path().join("out").exists());
    }
}

/// The names of runs that were made, as they are told on standard error.
pub(super) fn made(output: &Output) -> Vec<String> {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = said.lines().filter(|line| line.ends_with("packets/s"));
    let name = |line: &str| Some(line.split_once(": ")?.0.to_owned());
    let mut names: Vec<String> = lines.filter_map(name).collect();
    names.sort();
    names
}

#[test]
fn what_was_interrupted_goes_on_where_it_stopped_and_gives_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    assert_eq!(made(&compare(path, SUITE, "")).len(), 8);
    let whole = results(path);
    let file = path.join("out/runs.jsonl");
    let runs = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = runs.lines().collect();
    // Five runs, and half of the next.
    let cut = format!("{}\n{}", lines[..5].join("\n"), &lines[5][..30]);
    std::fs::write(&file, cut).unwrap();
    let output = compare(path, SUITE, "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("out/runs.jsonl:6: is left out"), "{said}");
    assert!(said.contains("5 of 8 runs are taken from"), "{said}");
    assert_eq!(made(&output).len(), 3, "{said}");
    assert_eq!(results(path), whole);
    assert_eq!(made(&compare(path, SUITE, "")).len(), 0);
    // Without a new run there is what there was.
    let of_bbr2 = lines.iter().filter(|line| line.contains("\"bbr2,"));
    let of_bbr2: Vec<&str> = of_bbr2.copied().collect();
    std::fs::write(&file, of_bbr2.join("\n")).unwrap();
    let output = compare(path, SUITE, "--stored");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(made(&output).len(), 0);
    assert_eq!(results(path), whole[..2]);
    assert_eq!(made(&compare(path, SUITE, "--again")).len(), 8);
}

#[test]
fn what_changed_is_run_again_and_the_rest_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    compare(path, SUITE, "");
    let other = SUITE.replace("8Mbps", "6Mbps");
    let output = compare(path, &other, "");
    let names = made(&output);
    assert_eq!(names.len(), 4, "{output:?}");
    assert!(names.iter().all(|name| name.contains("6Mbps")), "{names:?}");
    // As if another version of the controllers had made those with hybrid.
    let file = path.join("out/runs.jsonl");
    let runs = std::fs::read_to_string(&file).unwrap();
    let of_another = |line: &str| {
        let (before, rest) = line.split_once("\"version\":\"").unwrap();
        let other = if line.contains("\"name\":\"hybrid") {
            "0".repeat(64)
        } else {
            rest[..64].to_owned()
        };
        format!("{before}\"version\":\"{other}{}\n", &rest[64..])
    };
    std::fs::write(&file, runs.lines().map(of_another).collect::<String>()).unwrap();
    let again = made(&compare(path, SUITE, ""));
    assert_eq!(again.len(), 4, "{again:?}");
    assert!(
        again.iter().all(|name| name.starts_with("hybrid")),
        "{again:?}"
    );
}

#[test]
fn a_run_that_fails_is_named_and_the_others_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    // A path on which nothing arrives after the warm-up.
    let suite = SUITE
        .replace("link.bottleneck.rate", "flow.main.stop")
        .replace("2Mbps", "1s")
        .replace("8Mbps", "5s");
    let output = compare(path, &suite, "");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("nothing arrived after the warm-up"), "{said}");
    assert_eq!(results(path).len(), 2);
    let markdown = std::fs::read_to_string(path.join("out/report.md")).unwrap();
    assert!(
        markdown.contains("**Runs without a result**") && markdown.contains("| 1s | - | - |"),
        "{markdown}"
    );
}

#[test]
fn a_suite_with_two_axes_has_maps_that_mark_where_the_target_is_reached() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let output = compare(path, SQUARE, "");
    assert!(output.status.success(), "{output:?}");
    let figure =
        |id: &str| std::fs::read_to_string(path.join(format!("out/figures/map-{id}.svg"))).unwrap();
    let reached = |part: &str, cc: &[&str]| {
        let all = results(path);
        let own = all
            .iter()
            .filter(|e| cc.contains(&e["cc"].as_str().unwrap()));
        own.filter(|entry| entry["reached"][part].as_bool().unwrap())
            .count()
    };
    let frames = |svg: &str| svg.matches("stroke-width=\"1.6\"").count();
    let both = ["bbr2", "hybrid"];
    // One frame is in the legend.
    assert_eq!(
        frames(&figure("utilisation")),
        1 + reached("utilisation", &both)
    );
    assert_eq!(frames(&figure("delay")), 1 + reached("delay", &["hybrid"]));
    assert_eq!(frames(&figure("loss")), 1 + reached("loss", &both));
    let page = std::fs::read_to_string(path.join("out/report.html")).unwrap();
    // Four maps, a figure per rate, and the losses.
    assert_eq!(page.matches("<svg").count(), 7);
}
