//! `cc-lab` as it is called.

use std::path::Path;
use std::process::{Command, Output};

const SCENARIO: &str = r#"
title = "short"
duration = "2s"
[[link]]
name = "bottleneck"
rate = "4Mbps"
delay = "10ms"
[[flow]]
name = "main"
path = ["bottleneck"]
traffic = { kind = "unlimited" }
"#;

/// In a directory with `short.toml`.
fn cc_lab(directory: &Path, options: &str) -> Output {
    std::fs::write(directory.join("short.toml"), SCENARIO).unwrap();
    Command::new(env!("CARGO_BIN_EXE_cc-lab"))
        .args(options.split_whitespace())
        .current_dir(directory)
        .output()
        .unwrap()
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[test]
fn a_single_run_writes_to_the_directory_itself_and_prints_a_table() {
    let directory = tempfile::tempdir().unwrap();
    let output = cc_lab(
        directory.path(),
        "run short.toml --cc hybrid:paper --out out --qlog --plots",
    );
    assert!(output.status.success(), "{}", err(&output));
    for file in [
        "summary.json",
        "flows.csv",
        "links.csv",
        "qlog/main.sqlog",
        "plots/goodput.svg",
        "plots/queue.svg",
    ] {
        assert!(directory.path().join("out").join(file).is_file(), "{file}");
    }
    assert!(out(&output).contains("hybrid_paper,seed=1") && out(&output).contains("utilisation"));
    assert!(err(&output).contains("packets/s"), "{}", err(&output));
}

#[test]
fn a_record_changes_nothing_and_is_the_same_for_the_same_seed() {
    let directory = tempfile::tempdir().unwrap();
    for options in [
        "--out plain --qlog",
        "--out one --record --qlog",
        "--out two --record",
    ] {
        let output = cc_lab(
            directory.path(),
            &format!("run short.toml --cc hybrid {options}"),
        );
        assert!(output.status.success(), "{}", err(&output));
    }
    let read = |file: &str| std::fs::read(directory.path().join(file)).unwrap();
    assert_eq!(read("plain/summary.json"), read("one/summary.json"));
    assert_eq!(read("one/record.parquet"), read("two/record.parquet"));
    // The trace names its run, and is the same otherwise.
    let trace = |file: &str| String::from_utf8(read(file)).unwrap();
    let (plain, one) = (trace("plain/qlog/main.sqlog"), trace("one/qlog/main.sqlog"));
    assert_ne!(plain, one);
    let run = one
        .split_once("cc-lab with congestion controller hybrid, run ")
        .unwrap()
        .1;
    let run = &run[..run.find('"').unwrap()];
    assert_eq!(plain, one.replace(&format!(", run {run}"), ""));
    assert!(!directory.path().join("plain/record.parquet").exists());
}

#[test]
fn several_runs_have_a_directory_each() {
    let directory = tempfile::tempdir().unwrap();
    let options =
        "run short.toml --cc reno,hybrid:target_delay=10ms,drain_epochs=2 --cc cubic --seeds 1..2 \
        --grid link.bottleneck.rate=1Mbps,2Mbps --set duration=1s --jobs 2 --out out";
    let output = cc_lab(directory.path(), options);
    assert!(output.status.success(), "{}", err(&output));
    let runs = std::fs::read_dir(directory.path().join("out")).unwrap();
    assert_eq!(runs.count(), 3 * 2 * 2);
    let run = "out/hybrid_target_delay=10ms,drain_epochs=2,link.bottleneck.rate=2Mbps,seed=2/summary.json";
    let text = std::fs::read_to_string(directory.path().join(run)).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(summary["cc"], "hybrid:target_delay=10ms,drain_epochs=2");
    assert_eq!(summary["seed"], 2);
    assert_eq!(summary["parameters"]["link.bottleneck.rate"], "2Mbps");
    assert_eq!(summary["parameters"]["duration"], "1s");
    assert_eq!(summary["to_s"], 1);
    assert!(
        !text.contains(directory.path().to_str().unwrap()),
        "no paths"
    );
}

#[test]
fn what_cannot_be_asked_for_ends_with_code_2_and_says_what_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    for (options, message) in [
        ("run short.toml --out out", "--cc <CC,...>"),
        ("run short.toml --cc reno", "--out <DIR>"),
        ("run --cc reno --out out", "<SCENARIO.toml>..."),
        (
            "run nothing.toml --cc reno --out out",
            "nothing.toml: cannot be read",
        ),
        (
            "run short.toml short.toml --cc reno --out out",
            "one scenario at a time",
        ),
        (
            "run short.toml --cc renoo --out out",
            "available are hybrid, ",
        ),
        (
            "run short.toml --cc hybrid:target_delay=1 --out out",
            "target_delay=1 is not allowed; target_delay is a time",
        ),
        (
            "run short.toml --cc reno --out out --seeds 5..1",
            "such as 1..5",
        ),
        (
            "run short.toml --cc reno --out out --seed x",
            "'--seed <SEED>': allowed is a whole number from 0 to 18446744073709551615",
        ),
        (
            "run short.toml --cc reno --out out --seed -1",
            "'-1' for '--seed <SEED>': allowed is a whole number from 0 to 18446744073709551615",
        ),
        (
            "run short.toml --cc reno --out out --seeds -1..2",
            "'-1..2' for '--seeds <FIRST..LAST>': allowed are two whole numbers such as 1..5",
        ),
        (
            "run short.toml --cc reno --out out --set duration",
            "NAME=VALUE",
        ),
        (
            "run short.toml --cc reno --out out --set duration=9",
            "--set duration=9: integer `9` is not allowed; allowed: a text with a unit",
        ),
        (
            "run --check short.toml --set link.bottleneck.rte=1Mbps",
            "--set link.bottleneck.rte=1Mbps: there is no key `rte`; allowed: name, rate, ",
        ),
        (
            "run short.toml --cc reno --out out --grid link.bottleneck.rate=1Mbps,fast",
            "--grid link.bottleneck.rate=fast: `fast` is no valid rate; allowed: ",
        ),
        (
            "run short.toml --cc reno --out out --grid duration",
            "allowed is KEY=V1,V2,..., such as link.bottleneck.rate=1Mbps,10Mbps",
        ),
        (
            "compare short.toml --out out",
            "short.toml: this is a scenario, and no suite: use `cc-lab run`",
        ),
        (
            "run short.toml --cc reno --out out --grid duration=1s,",
            "KEY=V1,V2,...",
        ),
        (
            "run short.toml --cc reno --out out --cc-for x=reno",
            "there are main",
        ),
        (
            "run short.toml --cc reno --out out --jobs 0",
            "'0' for '--jobs <N>': allowed is a whole number from 1 on",
        ),
        (
            "compare --out out --jobs -1",
            "'-1' for '--jobs <N>': allowed is a whole number from 1 on",
        ),
        (
            "shard --jobs two",
            "'two' for '--jobs <N>': allowed is a whole number from 1 on",
        ),
        (
            "run --check short.toml nothing.toml",
            "nothing.toml: cannot be read",
        ),
    ] {
        let output = cc_lab(directory.path(), options);
        assert_eq!(output.status.code(), Some(2), "{options}");
        assert!(
            err(&output).contains(message),
            "{options}: {}",
            err(&output)
        );
        assert!(!directory.path().join("out").exists(), "{options}");
    }
}

#[test]
fn a_result_that_cannot_be_written_ends_with_code_1_and_names_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let output = cc_lab(
        directory.path(),
        "run short.toml --cc reno --out short.toml",
    );
    assert_eq!(output.status.code(), Some(1));
    let message = "error: run reno,seed=1: short.toml cannot be written: ";
    assert!(err(&output).contains(message), "{}", err(&output));
}

#[test]
fn a_scenario_is_checked_without_being_run() {
    let directory = tempfile::tempdir().unwrap();
    let output = cc_lab(directory.path(), "run --check short.toml");
    assert!(output.status.success());
    assert_eq!(out(&output), "short.toml: fine\n");
}

#[test]
fn controllers_are_listed_with_their_options() {
    let directory = tempfile::tempdir().unwrap();
    let output = cc_lab(directory.path(), "controllers");
    assert_eq!(out(&output), quiche_cc::catalogue::describe());
    assert!(out(&output).contains("hybrid: ") && out(&output).contains("bbr2"));
}

#[test]
fn a_report_becomes_one_page_and_a_figure_that_is_missing_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("report.md");
    std::fs::write(&report, "# T\n\n## One\n\n![x](figures/x.svg)\n").unwrap();
    let output = cc_lab(directory.path(), "page report.md --out page.html");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        err(&output).contains("figures/x.svg cannot be read"),
        "{}",
        err(&output)
    );
    std::fs::create_dir(directory.path().join("figures")).unwrap();
    std::fs::write(directory.path().join("figures/x.svg"), "<svg></svg>").unwrap();
    let output = cc_lab(directory.path(), "page report.md --out page.html");
    assert!(output.status.success(), "{}", err(&output));
    let page = std::fs::read_to_string(directory.path().join("page.html")).unwrap();
    assert!(page.contains("<title>T</title>") && page.contains("<svg></svg>"));
}
