//! What a service manager is told, and the unit for the one that most have.

use std::collections::BTreeSet;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use crate::common::{run, Server};

/// Waits for a message with this line.
fn await_line(manager: &UnixDatagram, line: &str) {
    let mut buffer = [0; 4096];
    loop {
        let received = manager.recv(&mut buffer);
        let length = received.unwrap_or_else(|e| panic!("no {line}: {e}"));
        let text = std::str::from_utf8(&buffer[..length]).unwrap();
        if text.lines().any(|one| one == line) {
            return;
        }
    }
}

#[test]
fn a_service_manager_is_told_all_that_it_waits_for() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let mut command = Server::command(&["--listen", "127.0.0.1:0"]);
    command
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "400000");
    let server = Server::launch(&mut command);
    await_line(&manager, "READY=1");
    // Again and again, although nobody connects.
    await_line(&manager, "WATCHDOG=1");
    await_line(&manager, "WATCHDOG=1");
    server.hang_up();
    await_line(&manager, "RELOADING=1");
    await_line(&manager, "READY=1");
    server.terminate();
    await_line(&manager, "STOPPING=1");
    server.stop();
}

#[test]
fn the_unit_names_only_options_that_there_are() {
    let unit = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/cc-server.service"));
    let unit = unit.unwrap().replace("\\\n", " ");
    let start = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="));
    let words: Vec<&str> = start.unwrap().split_whitespace().collect();
    assert!(words[0].ends_with("/cc-server"), "{words:?}");
    let help = run(env!("CARGO_BIN_EXE_cc-server"), &["--help"]);
    let help = String::from_utf8(help.stdout).unwrap();
    let known: BTreeSet<&str> = help.split_whitespace().collect();
    let options: Vec<&&str> = words.iter().filter(|word| word.starts_with("--")).collect();
    assert!(options.len() > 5, "{options:?}");
    for option in options {
        assert!(known.contains(*option), "cc-server has no {option}");
    }
}
