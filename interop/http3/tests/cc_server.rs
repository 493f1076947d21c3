//! The table against `cc-server`.

use std::collections::HashSet;

use quiche_cc_http3::programs::{download, installed, Server};
use quiche_cc_http3::{cases, drive};

const PATH: &str = "/1000";

#[test]
fn malformed_http3_is_answered_as_demanded_and_leaves_the_server_as_it_was() {
    let server = Server::start(&installed("cc-server"), &["--listen", "127.0.0.1:0"]);
    let before = download(server.address, "/300000", &[]);
    let cases = cases();
    let mut wrong = Vec::new();
    for case in &cases {
        match drive(case, server.address, PATH) {
            Ok(outcome) if case.expects(&outcome) => {}
            Ok(outcome) => wrong.push(format!("{} ({}): {outcome}", case.name, case.rfc)),
            Err(e) => wrong.push(format!("{} ({}): {e}", case.name, case.rfc)),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));

    let after = download(server.address, "/300000", &[]);
    assert_eq!(after["bytes"], 300_000);
    assert_eq!(after["sha256"], before["sha256"]);
    // One event for every connection, while the server runs: none is left behind.
    let closed = server
        .events(cases.len() + 2)
        .unwrap_or_else(|e| panic!("connections left: {e}"));
    assert!(closed
        .iter()
        .all(|event| event["event"] == "connection_closed"));
    assert!(
        closed.iter().all(|event| event["reason"] != "timed out"),
        "{closed:?}"
    );
    assert!(server.stop().success());
}

#[test]
fn the_table_says_for_every_case_what_is_demanded_and_why_not() {
    let cases = cases();
    assert!(cases.len() >= 25, "{}", cases.len());
    let names: HashSet<&str> = cases.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    for case in &cases {
        assert!(case.rfc.starts_with("RFC 9"), "{}: {}", case.name, case.rfc);
        assert!(!case.demanded.is_empty(), "{}", case.name);
        if let Some((observed, reason)) = &case.deviation {
            assert!(
                !case.demanded.contains(observed),
                "{} does not deviate",
                case.name
            );
            assert!(!reason.is_empty(), "{}", case.name);
        }
    }
}
