//! `cc-lab compare --known`: published results in place of runs.

use std::path::Path;
use std::process::Output;

use serde_json::{json, Value};

use super::compare::{compare, made, results, SQUARE};

/// As published: without a mean delay.
fn result(cc: &str, rate: &str, rtt: &str) -> Value {
    json!({
        "point": [rate, rtt], "cc": cc, "utilisation": 0.9, "queueing_p95_ms": 7.5, "loss": 0.0, "loss_at_start": 0.01,
        "reached": { "utilisation": true, "delay": true, "loss": true, "loss_at_start": false }
    })
}

fn publish(directory: &Path, results: &[Value]) {
    std::fs::write(directory.join("known.json"), json!(results).to_string()).unwrap();
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn earlier(directory: &Path) -> Vec<String> {
    let entries = results(directory);
    let earlier = entries.iter().filter(|entry| entry["earlier"] == true);
    let name = |entry: &Value| format!("{} {}", entry["cc"], entry["point"]);
    let names = earlier.map(|entry| name(entry).replace('"', ""));
    names.collect()
}

#[test]
fn known_results_stand_in_for_runs_and_the_report_names_them() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let slow = result("bbr2", "2Mbps", "10ms");
    publish(
        path,
        &[
            slow,
            result("bbr2", "8Mbps", "40ms"),
            result("vegas", "8Mbps", "40ms"),
        ],
    );
    let output = compare(path, SQUARE, "--known known.json");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(made(&output).len(), 6, "{}", said(&output));
    assert_eq!(earlier(path), ["bbr2 [2Mbps,10ms]", "bbr2 [8Mbps,40ms]"]);
    let sentence = "easured by an earlier build";
    let told = "taken from known.json: bbr2 at 2 points";
    assert!(said(&output).contains(&format!("m{sentence}, and {told}")));
    let markdown = std::fs::read_to_string(path.join("out/report.md")).unwrap();
    assert!(
        markdown.contains(&format!("**M{sentence}**, and {told}.")),
        "{markdown}"
    );
    let entries = results(path);
    assert_eq!(entries[0]["queueing_p95_ms"], 7.5);
    assert_eq!(entries[0].get("queueing_mean_ms"), None);
    // Hybrid is held against them.
    let utilisation = entries[4]["utilisation"].as_f64().unwrap();
    assert_eq!(entries[4]["reached"]["utilisation"], utilisation >= 0.895);
}

#[test]
fn a_run_that_there_is_comes_before_a_known_result() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    assert!(compare(path, SQUARE, "").status.success());
    let whole = results(path);
    publish(path, &[result("bbr2", "2Mbps", "10ms")]);
    let output = compare(path, SQUARE, "--known known.json");
    assert!(output.status.success(), "{output:?}");
    assert!(!said(&output).contains("earlier build"), "{output:?}");
    assert_eq!(results(path), whole);
    // A results.json can be taken as well.
    std::fs::rename(path.join("out/results.json"), path.join("known.json")).unwrap();
    std::fs::remove_file(path.join("out/runs.jsonl")).unwrap();
    let output = compare(path, SQUARE, "--known known.json");
    assert_eq!(made(&output).len(), 0, "{output:?}");
    assert_eq!(earlier(path).len(), 8);
    for (mut entry, before) in results(path).into_iter().zip(whole) {
        entry.as_object_mut().unwrap().remove("earlier");
        assert_eq!(entry, before);
    }
}

#[test]
fn what_is_to_be_measured_is_not_taken_and_nothing_else_is_run() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let points = [
        ("2Mbps", "10ms"),
        ("2Mbps", "40ms"),
        ("8Mbps", "10ms"),
        ("8Mbps", "40ms"),
    ];
    let all = ["bbr2", "hybrid"].map(|cc| points.map(|(rate, rtt)| result(cc, rate, rtt)));
    publish(path, &all.concat()[1..]);
    let output = compare(path, SQUARE, "--measure hybrid --known known.json");
    assert!(output.status.success(), "{output:?}");
    let names = made(&output);
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(
        names.iter().all(|name| name.starts_with("hybrid")),
        "{names:?}"
    );
    assert_eq!(earlier(path).len(), 3);
    assert_eq!(results(path).len(), 7);
    let markdown = std::fs::read_to_string(path.join("out/report.md")).unwrap();
    let gap = "where they belong: bbr2,link.bottleneck.rate=2Mbps,flow.main.rtt=10ms,seed=1.";
    assert!(markdown.contains(gap), "{markdown}");
    let output = compare(path, SQUARE, "--stored --known known.json");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(results(path).len(), 7);
    // Without a run, and without a known result in its place.
    std::fs::remove_file(path.join("out/runs.jsonl")).unwrap();
    let output = compare(path, SQUARE, "--stored --measure hybrid --known known.json");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(made(&output).len(), 0);
    assert_eq!(results(path).len(), 3);
}

#[test]
fn a_file_that_cannot_be_used_says_where_and_what_is_allowed() {
    let good = result("bbr2", "2Mbps", "10ms");
    let with = |name: &str, value: Value| {
        let mut changed = good.clone();
        changed[name] = value;
        json!([result("hybrid", "2Mbps", "10ms"), changed]).to_string()
    };
    let cases = [
        ("{".to_owned(), "is no list of results"),
        ("{}".to_owned(), "is no list of results"),
        (
            with("utilization", json!(1)),
            "unknown field `utilization`, expected one of `point`, `cc`",
        ),
        (
            with("loss", Value::Null),
            "invalid type: null, expected f64",
        ),
        (
            with("loss", json!(0)).replace("\"loss\":0,", ""),
            "missing field `loss`",
        ),
        (
            with("loss", json!(-0.1)),
            "result 2 (bbr2 at 2Mbps, 10ms): `loss` is -0.1; a share is 0 to 1",
        ),
        (
            with("utilisation", json!(1.1)),
            "`utilisation` is 1.1; a share is 0 to 1",
        ),
        (
            with("queueing_p95_ms", json!(-1)),
            "`queueing_p95_ms` is -1; a delay is 0 or more",
        ),
        (
            with("queueing_mean_ms", json!(-1)),
            "`queueing_mean_ms` is -1; a delay",
        ),
        (
            with("loss", json!(7)).replace(":7,", ":NaN,"),
            "is no list of results",
        ),
        (
            with("loss", json!(7)).replace(":7,", ":1e999,"),
            "number out of range",
        ),
        (
            with("point", json!(["2Mbps"])),
            "result 2 (bbr2 at 2Mbps): `point` has 1 values, but the suite has 2 axes: rate, RTT",
        ),
        (
            with("cc", json!("hybrid")),
            "result 2 (hybrid at 2Mbps, 10ms): result 1 is about the same",
        ),
        (
            json!([result("vegas", "2Mbps", "10ms")]).to_string(),
            "no result on a path of this suite",
        ),
        (
            "[]".to_owned(),
            "no result on a path of this suite by one of its controllers, bbr2, hybrid",
        ),
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let refused = |options: &str, expected: &str| {
        let output = compare(path, SQUARE, options);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(
            said(&output).contains(expected),
            "{expected}: {}",
            said(&output)
        );
        assert!(!path.join("out").exists());
    };
    refused(
        "--known known.json",
        "--known known.json: cannot be read: No such file",
    );
    for (text, expected) in cases {
        std::fs::write(path.join("known.json"), text).unwrap();
        refused("--known known.json", expected);
    }
    refused(
        "--measure hybird",
        "--measure: `hybird` is not among the controllers; there are bbr2, hybrid",
    );
}
