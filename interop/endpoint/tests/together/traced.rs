//! How many connections are traced, and how much disk that takes.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::common::{fetch, read_trace, slow_reader, traces, wait_for, Server};

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

const MIB: u64 = 1 << 20;

#[test]
fn a_disk_is_not_filled_and_downloads_go_on_without_a_trace() {
    let logs = tempfile::tempdir().unwrap();
    let directory = logs.path().to_str().unwrap();
    let server = Server::start_logged(&["--qlog", directory, "--qlog-quota", "1"]);
    assert_eq!(fetch(&["--null"], &[server.url("/20000000")]).code, 0);
    server.await_log("all of its 1 MiB, so no more is traced");
    let used = size(logs.path());
    assert!(used > MIB / 2 && used <= MIB, "{used}");
    // As soon as it is finished, it makes room for the next one.
    let modes = traces(logs.path())
        .into_iter()
        .map(|trace| trace.metadata().unwrap().permissions());
    assert!(
        modes.into_iter().all(|mode| mode.mode() & 0o777 == 0o600),
        "they have requests"
    );
    wait_for("another trace", || {
        assert_eq!(fetch(&["--null"], &[server.url("/1000")]).code, 0);
        size(logs.path()) < MIB / 2
    });
    server.stop();
}

#[test]
fn the_oldest_finished_traces_make_room_for_new_ones() {
    let logs = tempfile::tempdir().unwrap();
    let directory = logs.path().to_str().unwrap();
    let server = Server::start_logged(&["--qlog", directory, "--qlog-quota", "1"]);
    let (mut lasting, _) = slow_reader(server.address, "/1000", 1);
    wait_for("the trace of one that goes on", || {
        lasting.ping();
        traces(logs.path()).len() == 1
    });
    let of_lasting = traces(logs.path()).remove(0);
    let mut ever: HashSet<PathBuf> = HashSet::new();
    wait_for("the end of the oldest", || {
        lasting.ping();
        assert_eq!(fetch(&["--null"], &[server.url("/200000")]).code, 0);
        let now = traces(logs.path());
        let gone = ever.iter().any(|trace| !now.contains(trace));
        ever.extend(now);
        assert!(size(logs.path()) <= MIB);
        gone
    });
    server.stop();
    assert!(of_lasting.exists(), "it was being written all the time");
    let left = traces(logs.path());
    assert!(left.len() > 1 && left.len() < ever.len() + 1, "{left:?}");
    assert!(size(logs.path()) > MIB / 2);
    for trace in left {
        read_trace(&trace);
    }
}
