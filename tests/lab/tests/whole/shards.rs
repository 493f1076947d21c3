//! Runs that one process lists and another makes, from the suite's file to the report.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::compare::{compare, SQUARE};

/// `cc-lab shard` with this input, in a directory that has none of the files.
fn shard(input: &[u8]) -> Output {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cc-lab"))
        .arg("shard")
        .current_dir(elsewhere.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    written.unwrap();
    output
}

/// The suite over one rate and a recording, in a directory of its own.
fn suite(directory: &Path) -> String {
    std::fs::write(directory.join("up.trace"), "2\n5\n9\n10\n").unwrap();
    SQUARE.replace("\"8Mbps\"", "\"trace:up.trace\"")
}

fn file(directory: &Path, name: &str) -> String {
    std::fs::read_to_string(directory.join("out").join(name)).unwrap()
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn runs_that_are_made_elsewhere_give_the_same_lines_and_the_same_report() {
    let [here, there] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [here, there] = [here.path(), there.path()];
    let output = compare(here, &suite(here), "");
    assert!(output.status.success(), "{output:?}");
    let listed = compare(there, &suite(there), "--missing");
    assert!(listed.status.success(), "{listed:?}");
    let made = shard(&listed.stdout);
    assert!(made.status.success(), "{made:?}");
    let lines = String::from_utf8(made.stdout).unwrap();
    assert_eq!(sorted(&lines), sorted(&file(here, "runs.jsonl")));
    std::fs::write(there.join("out/runs.jsonl"), &lines).unwrap();
    let nothing = compare(there, &suite(there), "--missing");
    let nothing = String::from_utf8(nothing.stdout).unwrap();
    assert_eq!(nothing, "{\"store\":\"out/runs.jsonl\"}\n");
    assert!(compare(there, &suite(there), "--stored").status.success());
    for name in ["results.json", "report.md", "report.html"] {
        assert_eq!(file(here, name), file(there, name), "{name}");
    }
}

#[test]
fn what_would_give_another_result_is_refused_before_any_run() {
    let directory = tempfile::tempdir().unwrap();
    let listed = compare(directory.path(), &suite(directory.path()), "--missing");
    let listed = String::from_utf8(listed.stdout).unwrap();
    let version = listed.split("\"version\":\"").nth(1).unwrap();
    let recording: String = listed
        .lines()
        .filter(|line| line.contains("\"recording\":"))
        .collect();
    for (changed, why) in [
        (listed.replace(&version[..64], "0"), "another version"),
        (listed.replace("\"seed\":1", "\"seed\":2"), "was changed"),
        (listed.replace("40ms", "41ms"), "was changed"),
        (listed.replace("9\\n10", "9\\n11"), "recording was changed"),
        (
            listed.replace(&format!("{recording}\n"), ""),
            "no recording",
        ),
        (format!("{listed}{{\"job\":"), "EOF while parsing"),
    ] {
        let output = shard(changed.as_bytes());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(why) && output.stdout.is_empty(), "{said}");
    }
}
