//! SIGHUP: other files for new connections, and nothing for those that run.

use std::path::Path;

use crate::common::certificates::usual;
use crate::common::{fetch, fetched, sha256_of_object, spawn_client, Server};

const LARGE: u64 = 200_000_000;

/// Whether a client that trusts `ca` only gets what it asks for.
fn is_trusted(server: &Server, ca: &Path) -> bool {
    let address = server.address.to_string();
    let arguments = [
        "--null",
        "--connect-to",
        &address,
        "--ca",
        ca.to_str().unwrap(),
    ];
    let url = "https://localhost/1000".to_owned();
    fetched(spawn_client(&arguments, &[url])).code == 0
}

#[test]
fn a_new_certificate_is_shown_and_a_running_download_goes_on() {
    ["1", "3"].into_iter().for_each(a_new_certificate_is_shown);
}

fn a_new_certificate_is_shown(workers: &str) {
    let directory = tempfile::tempdir().unwrap();
    let now = usual(directory.path(), "now");
    let copy = |from: &Path, to: &str| {
        let to = directory.path().join(to);
        std::fs::copy(from, &to).unwrap();
        to
    };
    let old = copy(&now.cert, "old.pem");
    let server = Server::start_logged(&[
        "--cert",
        now.cert.to_str().unwrap(),
        "--key",
        now.key.to_str().unwrap(),
        "--workers",
        workers,
    ]);
    assert!(is_trusted(&server, &old));
    let running = spawn_client(
        &["--insecure", "--null", "--hash"],
        &[server.url(&format!("/{LARGE}"))],
    );

    let new = copy(&usual(directory.path(), "now").cert, "new.pem");
    server.hang_up();
    server.await_log("reloaded: ");
    // By whichever worker; the others may be a moment later.
    crate::common::wait_for("the reload of all", || {
        (0..12).all(|_| is_trusted(&server, &new))
    });
    assert!(!is_trusted(&server, &old));

    // Half of a renewal: the certificate is another's.
    usual(directory.path(), "other");
    copy(&directory.path().join("other.pem"), "now.pem");
    server.hang_up();
    let told = server.await_log("not reloaded");
    for word in ["ERROR", "now.key", "now.pem", "does not belong"] {
        assert!(told.contains(word), "{told}");
    }
    assert!(is_trusted(&server, &new), "the last good one stays");

    let result = fetched(running);
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_eq!(result.downloads()[0]["sha256"], sha256_of_object(LARGE));
    server.stop();
}

#[test]
fn new_rules_hold_for_new_connections_if_they_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let rules = directory.path().join("rules.toml");
    let write = |name: &str, cc: &str| {
        let text =
            format!("[[rule]]\nname = \"{name}\"\nclient = \"127.0.0.0/8\"\ncc = \"{cc}\"\n");
        std::fs::write(&rules, text).unwrap();
    };
    write("one", "reno");
    let server = Server::start_logged(&["--cc-rules", rules.to_str().unwrap()]);
    let get = |objects: &[&str]| {
        let urls: Vec<_> = objects.iter().map(|path| server.url(path)).collect();
        assert_eq!(fetch(&["--null"], &urls).code, 0);
    };
    get(&["/1000"]);
    write("two", "hybrid");
    server.hang_up();
    server.await_log("reloaded: ");
    get(&["/1000", "/1001"]);
    write("three", "nonsense");
    server.hang_up();
    let told = server.await_log("not reloaded");
    for word in ["rules.toml", "rule 1", "nonsense", "hybrid"] {
        assert!(told.contains(word), "{told}");
    }
    get(&["/1000", "/1001", "/1002"]);
    let mut events = server.stop();
    // Not as they ended: how long that takes depends on the machine.
    events.sort_by_key(|event| event["requests"].as_u64());
    let seen: Vec<_> = events.iter().map(|event| &event["cc_rule"]).collect();
    assert_eq!(seen, ["one", "two", "two"]);
}

#[test]
fn without_files_a_reload_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let saved = directory.path().join("saved.pem");
    let server = Server::start_logged(&["--save-cert", saved.to_str().unwrap()]);
    server.hang_up();
    server.await_log("reloaded: ");
    assert!(is_trusted(&server, &saved));
    server.stop();
}
