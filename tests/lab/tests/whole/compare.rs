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

fn compare(directory: &Path, suite: &str, options: &str) -> Output {
    std::fs::write(directory.join("short.toml"), SCENARIO).unwrap();
    std::fs::write(directory.join("suite.toml"), suite).unwrap();
    Command::new(env!("CARGO_BIN_EXE_cc-lab"))
        .args(["compare", "suite.toml", "--out", "out"])
        .args(options.split_whitespace())
        .current_dir(directory)
        .output()
        .unwrap()
}

fn results(directory: &Path) -> Vec<Value> {
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
    let output = compare(path, SUITE, "--cc bbr2,hybrid:d1=10ms");
    assert!(output.status.success(), "{output:?}");
    let markdown = std::fs::read_to_string(path.join("out/report.md")).unwrap();
    assert!(
        markdown.contains("| rate | bbr2 | hybrid:d1=10ms |"),
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
            "suite.toml:5: unknown field `sedes`",
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
