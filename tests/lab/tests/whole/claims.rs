//! `cc-lab claims`, from a claim set's file to the verdicts.

use std::path::Path;
use std::process::{Command, Output};

const SCENARIO: &str = r#"
title = "short"
duration = "4s"
[[link]]
name = "bottleneck"
rate = "4Mbps"
[[flow]]
name = "main"
path = ["bottleneck"]
start = "1s"
rtt = "20ms"
traffic = { kind = "unlimited" }
"#;

/// Nothing arrives in the first second, so the curve begins with a gap.
const CLAIM_SET: &str = r#"
[claim_set]
letter = "T"
title = "A paper"
authors = "Nobody"
page = "docs/papers/none.md"
[run.one]
scenario = "../short.toml"
cc = "reno"
seeds = 2
[[claim]]
id = "T1"
title = "it sends"
source = "figure 1"
says = "It sends."
[[claim.check]]
what = "rate"
measure = { run = "one", metric = "throughput", from = "1s" }
bound = ">= 1Mbps"
[[claim.figure]]
id = "delay"
title = "Delay"
x = { from = "0", to = "4s" }
y = { label = "delay", from = "0", to = "50ms" }
series = [{ label = "queue", draw = "over_time", every = "500ms", measure = { run = "one", metric = "queueing_delay.mean" } }]
"#;

fn claims(directory: &Path, set: &str) -> (Output, Vec<Vec<u8>>) {
    std::fs::create_dir_all(directory.join("claims")).unwrap();
    std::fs::write(directory.join("short.toml"), SCENARIO).unwrap();
    std::fs::write(directory.join("claims/set.toml"), set).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_cc-lab"))
        .args(["claims", "--claims", "claims", "--out", "out"])
        .current_dir(directory)
        .output()
        .unwrap();
    let read = |name: &str| std::fs::read(directory.join("out").join(name)).unwrap();
    (output, vec![read("claims.json"), read("figures/delay.svg")])
}

fn made(output: &Output) -> usize {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.lines()
        .filter(|line| line.ends_with("packets/s"))
        .count()
}

#[test]
fn runs_of_a_claim_set_are_made_once_and_again_when_something_else_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let (output, first) = claims(directory.path(), CLAIM_SET);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(made(&output), 2, "{output:?}");
    let (output, second) = claims(directory.path(), CLAIM_SET);
    assert_eq!(made(&output), 0, "{output:?}");
    assert_eq!(second, first);
    let bound = CLAIM_SET.replace(">= 1Mbps", ">= 2Mbps");
    assert_eq!(made(&claims(directory.path(), &bound).0), 0);
    let metric = CLAIM_SET.replace("\"throughput\"", "\"goodput\"");
    assert_eq!(made(&claims(directory.path(), &metric).0), 2);
    let curve = CLAIM_SET.replace("500ms", "250ms");
    assert_eq!(
        made(&claims(directory.path(), &curve).0),
        1,
        "of the first seed"
    );
}

#[test]
fn a_file_of_recordings_is_skipped_until_their_directory_is_given() {
    let directory = tempfile::tempdir().unwrap();
    let set = CLAIM_SET
        .replace("[run.one]", "recordings = true\n[run.one]")
        .replace(
            "seeds = 2",
            "set = { \"link.bottleneck.rate\" = \"trace:{recordings}/two.trace\" }",
        )
        .replace(">= 1Mbps", "2Mbps..3Mbps")
        .replace("authors = \"Nobody\"\n", "");
    let recordings = directory.path().join("far");
    std::fs::create_dir_all(directory.path().join("claims")).unwrap();
    std::fs::create_dir_all(&recordings).unwrap();
    std::fs::write(directory.path().join("short.toml"), SCENARIO).unwrap();
    std::fs::write(directory.path().join("claims/set.toml"), set).unwrap();
    // 1500 bytes every 4 ms are 3 Mbit/s.
    std::fs::write(recordings.join("two.trace"), "4\n").unwrap();
    let run = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_cc-lab"))
            .args(["claims", "--claims", "claims", "--out", "out"])
            .args(more)
            .current_dir(directory.path())
            .output()
            .unwrap();
        let report = std::fs::read_to_string(directory.path().join("out/report.md"));
        (output, report.unwrap_or_default())
    };
    let (output, report) = run(&[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    assert!(
        said.contains("skipped") && said.contains("--recordings"),
        "{said}"
    );
    assert!(
        report.starts_with("# Claims") && report.contains("skipped"),
        "{report}"
    );
    let (output, report) = run(&["--recordings", "far"]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        report.contains("**The claim** (figure 1)") && !report.contains("skipped"),
        "{report}"
    );
    let (output, _) = run(&["--recordings", "near"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("there is no directory near"), "{said}");
}

#[test]
fn a_claim_set_that_is_not_there_is_named_with_those_that_are() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("claims")).unwrap();
    std::fs::write(directory.path().join("short.toml"), SCENARIO).unwrap();
    for letter in ["T", "U"] {
        let set = CLAIM_SET.replace("letter = \"T\"", &format!("letter = \"{letter}\""));
        let set = set.replace("id = \"T1\"", &format!("id = \"{letter}1\""));
        let file = directory.path().join(format!("claims/{letter}.toml"));
        std::fs::write(file, set).unwrap();
    }
    for (only, told) in [
        ("ZZ", "`ZZ`; there are T, U\n"),
        ("T,Z", "`Z`; there are T, U\n"),
        ("", "``; there are T, U\n"),
        ("u", "`u`; there are T, U; did you mean U?\n"),
        ("TU", "`TU`; there are T, U; did you mean T,U?\n"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_cc-lab"))
            .args([
                "claims", "--claims", "claims", "--out", "out", "--only", only,
            ])
            .current_dir(directory.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let wanted = format!("error: --only: in claims there is no claim set {told}");
        assert_eq!((output.status.code(), said), (Some(2), wanted), "{only}");
    }
}

#[test]
fn a_check_that_deviates_needs_a_limit_which_the_program_can_write() {
    let directory = tempfile::tempdir().unwrap();
    let set = CLAIM_SET.replace(
        "bound = \">= 1Mbps\"",
        "bound = \">= 5Mbps\"\ndeviates = \"the link has 4 Mbit/s\"",
    );
    let file = directory.path().join("claims/set.toml");
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let (output, _) = claims(directory.path(), &set);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for part in [
        "T1           deviates       0 of 1  it sends",
        "not as expected: claims/set.toml: T1, rate: fails at 1 of 1 points; worst: measured 3.",
        "bound ≥ 5 Mbit/s",
        "add limit = { bound = \">= 3.",
        "0 of 1 claims are reproduced; 0 of 1 checks hold, at 0 of 1 points",
    ] {
        assert!(said(&output).contains(part), "{part} in {}", said(&output));
    }
    let again = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_cc-lab"))
            .args(["claims", "--claims", "claims", "--out", "out"])
            .args(more)
            .current_dir(directory.path())
            .output()
            .unwrap()
    };
    let output = again(&["--write-limits"]);
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).starts_with("checks rewritten: 1"));
    let written = std::fs::read_to_string(&file).unwrap();
    let limits: Vec<&str> = written
        .lines()
        .filter(|line| line.starts_with("limit"))
        .collect();
    assert!(
        limits.len() == 1 && limits[0].starts_with("limit = { bound = \">= 3."),
        "{limits:?}"
    );
    assert!(again(&[]).status.success());
    // A limit that is not kept.
    std::fs::write(&file, written.replace(">= 3.", ">= 4.")).unwrap();
    let output = again(&[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        said(&output).contains("beyond its limit at 1 of them"),
        "{}",
        said(&output)
    );
    // One that nobody can read.
    std::fs::write(&file, written.replace(">= 3.", "about 3.")).unwrap();
    let output = again(&[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("claims/set.toml:21: `limit.bound`") && error.contains("allowed are `<= V`"),
        "{error}"
    );
}
