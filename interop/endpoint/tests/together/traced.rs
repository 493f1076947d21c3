//! How many connections are traced, and how much disk that takes.

use std::path::Path;

use crate::common::{fetch, traces, Server};

fn size(directory: &Path) -> u64 {
    let files = traces(directory);
    files
        .iter()
        .map(|file| file.metadata().unwrap().len())
        .sum()
}

#[test]
fn a_share_of_the_connections_is_traced() {
    let logs = tempfile::tempdir().unwrap();
    let directory = logs.path().to_str().unwrap();
    let server = Server::start(&["--qlog", directory, "--qlog-share", "50%"]);
    for _ in 0..40 {
        assert_eq!(fetch(&["--null"], &[server.url("/1000")]).code, 0);
    }
    server.stop();
    let count = traces(logs.path()).len();
    // All but one in 30 million of honest servers.
    assert!((4..=36).contains(&count), "{count}");
}

#[test]
fn a_disk_is_not_filled_and_downloads_go_on_without_a_trace() {
    const MIB: u64 = 1 << 20;
    let logs = tempfile::tempdir().unwrap();
    let directory = logs.path().to_str().unwrap();
    let server = Server::start_logged(&["--qlog", directory, "--qlog-quota", "1"]);
    assert_eq!(fetch(&["--null"], &[server.url("/20000000")]).code, 0);
    server.await_log("has 1 MiB, so no more is traced");
    assert_eq!(traces(logs.path()).len(), 1);
    let used = size(logs.path());
    assert!(used > MIB / 2 && used <= MIB, "{used}");
    assert_eq!(fetch(&["--null"], &[server.url("/1000")]).code, 0);
    assert_eq!(traces(logs.path()).len(), 1);
    server.stop();
}
