//! A tokio-quiche application gets the controller that its settings name.

mod server;

use std::path::Path;
use std::process::Command;

use quiche_cc_http3::programs::{download, installed};
use quiche_cc_http3::{cases, drive, Outcome};
use serde_json::Value;
use server::{options, sha256_of, Folder, PROGRAM};

/// What `qlog-analysis check` ends with for a trace of a controller that it knows, or that quiche brings.
const OBEYS: i32 = 0;
const HAS_NO_LAW: i32 = 3;

fn named<'a>(trace: &'a [Value], name: &'a str) -> impl Iterator<Item = &'a Value> {
    trace
        .iter()
        .filter(move |event| event["name"] == name)
        .map(|event| &event["data"])
}

#[test]
fn quic_settings_choose_one_of_ours_with_its_options() {
    let cc = "hybrid:paper,d1=10ms,d2=20ms";
    let folder = Folder::new();
    let server = folder.serve(cc);
    let fetched = download(server.address, "/1000000", &[]);
    assert_eq!(fetched["sha256"], sha256_of(1_000_000));

    let (file, trace) = folder.trace();
    let specs: Vec<&Value> = named(&trace, "cc:parameters_set")
        .map(|data| &data["spec"])
        .collect();
    assert!(!specs.is_empty(), "the controller says nothing");
    assert!(specs.iter().all(|spec| **spec == cc), "{specs:?}");
    assert!(
        named(&trace, "cc:hybrid_epoch_updated").count() > 0,
        "it never decides anything"
    );
    assert_eq!(checked(&file), OBEYS);
}

#[test]
fn quic_settings_still_choose_those_of_quiche() {
    for cc in ["cubic", "bbr2"] {
        let folder = Folder::new();
        let server = folder.serve(cc);
        let fetched = download(server.address, "/300000", &[]);
        assert_eq!(fetched["sha256"], sha256_of(300_000), "{cc}");

        let (file, trace) = folder.trace();
        assert!(named(&trace, "quic:recovery_metrics_updated").count() > 0);
        assert_eq!(named(&trace, "cc:parameters_set").count(), 0, "{cc}");
        assert_eq!(checked(&file), HAS_NO_LAW, "{cc}");
    }
}

#[test]
fn an_unknown_controller_or_a_bad_option_is_refused_with_what_is_allowed() {
    let folder = Folder::new();
    for (cc, allowed) in [("hybird", "smallq"), ("hybrid:target_delay=10", "unit")] {
        let mut program = Command::new(PROGRAM);
        let output = program.args(options(folder.path(), cc)).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{cc}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(cc) && error.contains(allowed), "{error}");
    }
}

/// What quiche itself answers to is the same behind tokio-quiche. What is the application's business is not: this one
/// does not look at fields.
#[test]
fn malformed_http3_closes_connections_as_demanded_and_not_the_server() {
    let folder = Folder::new();
    let server = folder.serve("hybrid");
    let cases = cases();
    let closing = cases.iter().filter(|case| {
        let observed = case.deviation.as_ref().map(|(observed, _)| *observed);
        matches!(observed.unwrap_or(case.demanded[0]), Outcome::Closed(_))
    });
    let mut wrong = Vec::new();
    for case in closing {
        match drive(case, server.address, "/1000") {
            Ok(outcome) if case.expects(&outcome) => {}
            other => wrong.push(format!("{} ({}): {other:?}", case.name, case.rfc)),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let after = download(server.address, "/300000", &[]);
    assert_eq!(after["sha256"], sha256_of(300_000));
}

/// The exit code of `qlog-analysis check`.
fn checked(trace: &Path) -> i32 {
    let output = Command::new(installed("qlog-analysis"))
        .arg("check")
        .arg(trace)
        .output()
        .expect("qlog-analysis runs");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    println!("{said}");
    output.status.code().expect("it ends by itself")
}
