//! The files that a client writes, and what it says of them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::Server;

/// Downloads a small object into this directory, in a shell that has done this before.
fn download(server: &Server, before: &str, out: &Path) -> Output {
    let script = format!("{before}; exec \"$0\" \"$@\"");
    let client = env!("CARGO_BIN_EXE_cc-client");
    Command::new("sh")
        .args(["-c", &script, client, "--insecure", "--json", "--out"])
        .arg(out)
        .arg(server.url("/1000"))
        .output()
        .unwrap()
}

#[test]
fn the_umask_decides_who_may_read_a_download() {
    let server = Server::start(&[]);
    for (umask, mode) in [("077", 0o600), ("002", 0o664)] {
        let out = tempfile::tempdir().unwrap();
        let done = download(&server, &format!("umask {umask}"), out.path());
        assert!(done.status.success(), "{done:?}");
        let file = out.path().join("1000").metadata().unwrap();
        assert_eq!(file.permissions().mode() & 0o777, mode, "umask {umask}");
    }
}

#[test]
fn a_name_that_is_no_text_is_told_as_well_as_it_can_be() {
    let server = Server::start(&[]);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join(OsStr::from_bytes(b"a\xffb"));
    let done = download(&server, "true", &out);
    assert!(done.status.success(), "{done:?}");
    let told: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let file = told["connections"][0]["downloads"][0]["file"].as_str();
    assert!(file.unwrap().ends_with("/a\u{fffd}b/1000"), "{told}");
    assert!(out.join("1000").exists());
}
