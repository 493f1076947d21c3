//! One line for every request, whoever reads the lines.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::common::{fetch, slow_reader, wait_for, Server, Talker};
use quiche::h3::{self, Header};
use serde_json::Value;

/// The lines that are complete so far.
fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let whole = text.split_inclusive('\n').filter(|l| l.ends_with('\n'));
    whole.map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn paths(file: &Path) -> Vec<String> {
    let path = |line: &Value| line["path"].as_str().unwrap().to_owned();
    lines(file).iter().map(path).collect()
}

fn get(server: &Server, path: &str) {
    assert_eq!(fetch(&["--null"], &[server.url(path)]).code, 0, "{path}");
}

#[test]
fn every_request_has_a_line_that_says_what_was_asked_and_what_became_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("access");
    let option = ["--access-log", log.to_str().unwrap()];
    let rule = ["--cc-rule", "name=big path=/3* cc=bbr2", "--cc", "hybrid"];
    let server = Server::start(&[&option[..], &rule[..]].concat());
    let urls = ["/3000000", "/none?x=1", "/1000"].map(|path| server.url(path));
    assert_eq!(fetch(&["--null"], &urls).code, 1);
    let events = server.stop();
    let (lines, id) = (lines(&log), &events[0]["original_id"]);
    let told: Vec<_> = lines.iter().map(|l| (&l["path"], &l["status"])).collect();
    let expected = [("/3000000", 200), ("/none?x=1", 404), ("/1000", 200)];
    assert_eq!(told.len(), expected.len(), "{lines:#?}");
    for (line, (path, status)) in lines.iter().zip(expected) {
        assert_eq!(
            (&line["path"], &line["status"]),
            (&path.into(), &status.into())
        );
        assert_eq!(
            (&line["event"], &line["method"]),
            (&"request".into(), &"GET".into())
        );
        assert_eq!(
            (&line["original_id"], &line["protocol"]),
            (id, &"h3".into())
        );
        assert_eq!(
            (&line["cc"], &line["cc_rule"]),
            (&"bbr2".into(), &"big".into())
        );
        assert_eq!(line["peer"], events[0]["peer"]);
        assert_eq!(line["host"], urls[0].split('/').nth(2).unwrap());
        let time = line["time"].as_str().unwrap();
        assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    }
    assert_eq!([&lines[0]["bytes"], &lines[1]["bytes"]], [3_000_000, 0]);
    // The last one may be cut off by the end of the connection.
    assert_eq!([&lines[0]["end"], &lines[1]["end"]], ["delivered"; 2]);
    let took = |line: &Value| line["duration_ms"].as_f64().unwrap();
    let connection = events[0]["duration_ms"].as_f64().unwrap();
    assert!(took(&lines[0]) > 0.0 && took(&lines[0]) < connection);
    let mode = log.metadata().unwrap().permissions().mode();
    assert_eq!(
        mode & 0o777,
        0o600,
        "strangers' addresses are nobody else's business"
    );
}

#[test]
fn a_line_tells_what_a_client_cancelled_or_never_took() {
    let server = Server::start(&["--access-log", "-", "--stall-timeout", "1"]);
    let some = |conn: &quiche::Connection| conn.stats().recv_bytes > 50_000;
    let (mut reader, _) = slow_reader(server.address, "/10000000", 1);
    reader.ping_until("the end", |conn| conn.peer_error().is_some());
    let (mut client, _) = slow_reader(server.address, "/20000000", 1);
    client.ping_until("some of it", some);
    client
        .conn
        .stream_shutdown(0, quiche::Shutdown::Read, 0x10c)
        .unwrap();
    (0..5).for_each(|_| client.ping());
    let (mut gone, _) = slow_reader(server.address, "/30000000", 1);
    gone.ping_until("some of it", some);
    gone.conn.close(true, 0x100, b"").unwrap();
    gone.send();
    let events = server.stop();
    for (path, end) in [
        ("/10000000", "stalled"),
        ("/20000000", "cancelled"),
        ("/30000000", "closed"),
    ] {
        let line = events.iter().find(|event| event["path"] == path);
        let line = line.unwrap_or_else(|| panic!("no {path}: {events:#?}"));
        assert_eq!((&line["end"], &line["status"]), (&end.into(), &200.into()));
        let bytes = line["bytes"].as_u64().unwrap();
        assert!(bytes > 0 && bytes < 10_000_000, "{line}");
    }
}

#[test]
fn what_clients_write_steers_no_terminal() {
    const HOSTILE: &str = "/\u{1b}[31m\u{202e}\"\\";
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("access");
    let server = Server::start(&["--access-log", log.to_str().unwrap()]);
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    let config = h3::Config::new().unwrap();
    let mut http = h3::Connection::with_transport(&mut client.conn, &config).unwrap();
    let fields = [
        (":method", "GET"),
        (":scheme", "https"),
        (":path", HOSTILE),
        (":authority", "localhost"),
        ("user-agent", "a \u{9b}2J"),
    ];
    let fields = fields.map(|(name, value)| Header::new(name.as_bytes(), value.as_bytes()));
    http.send_request(&mut client.conn, &fields, true).unwrap();
    wait_for("the line", || {
        client.ping();
        !lines(&log).is_empty()
    });
    let text = std::fs::read_to_string(&log).unwrap();
    let line = text.strip_suffix('\n').unwrap();
    assert!(
        line.chars().all(|c| !c.is_control() && c != '\u{202e}'),
        "{line:?}"
    );
    let line = &lines(&log)[0];
    assert_eq!(
        (&line["path"], &line["user_agent"]),
        (&HOSTILE.into(), &"a \u{9b}2J".into())
    );
    server.stop();
}

#[test]
fn a_hangup_begins_a_new_file_even_if_nothing_else_can_be_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let [log, old] = ["access", "access.1"].map(|name| directory.path().join(name));
    let made = crate::common::certificates::usual(directory.path(), "now");
    let [cert, key] = [&made.cert, &made.key].map(|path| path.to_str().unwrap());
    let options = [
        "--access-log",
        log.to_str().unwrap(),
        "--cert",
        cert,
        "--key",
        key,
    ];
    let server = Server::start_logged(&options);
    get(&server, "/1");
    wait_for("the line", || paths(&log) == ["/1"]);
    std::fs::rename(&log, &old).unwrap();
    get(&server, "/2");
    wait_for("the line", || paths(&old) == ["/1", "/2"]);
    std::fs::remove_file(key).unwrap();
    server.hang_up();
    server.await_log("not reloaded");
    get(&server, "/3");
    wait_for("the line", || paths(&log) == ["/3"]);
    // What cannot be opened again is told, and the lines go where they went.
    std::fs::rename(&log, directory.path().join("access.2")).unwrap();
    std::fs::create_dir(&log).unwrap();
    server.hang_up();
    let told = server.await_log("--access-log");
    assert!(
        told.contains("ERROR") && told.contains("where they went"),
        "{told}"
    );
    get(&server, "/4");
    let second = directory.path().join("access.2");
    wait_for("the line", || paths(&second) == ["/3", "/4"]);
    assert_eq!(paths(&old), ["/1", "/2"]);
    server.stop();
}

#[test]
fn a_reader_that_stalls_holds_up_no_request_and_is_told_what_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let fifo = directory.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let stalled = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(&fifo);
    let stalled = stalled.unwrap();
    let server = Server::start(&["--access-log", fifo.to_str().unwrap()]);
    // More than a pipe and the room of the server take: JSON has six bytes for one of these.
    const LINES: usize = 300;
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    let config = h3::Config::new().unwrap();
    let mut http = h3::Connection::with_transport(&mut client.conn, &config).unwrap();
    let mut list = crate::common::request("GET", "/none");
    list.push(Header::new(b"user-agent", &[1; 1000]));
    let (mut asked, mut answered) = (0, 0);
    wait_for("all answers", || {
        while asked < LINES && http.send_request(&mut client.conn, &list, true).is_ok() {
            asked += 1;
        }
        client.send();
        client.receive();
        while let Ok((_, event)) = http.poll(&mut client.conn) {
            answered += usize::from(matches!(event, h3::Event::Finished));
        }
        answered == LINES
    });
    // The last acknowledgements.
    (0..5).for_each(|_| client.ping());
    let mut reader = BufReader::new(stalled).lines().map(Result::unwrap);
    let mut next = || serde_json::from_str::<Value>(&reader.next().unwrap()).unwrap();
    // There is room again, so the next line comes after the one that tells of those that are missing.
    assert_eq!(next()["path"], "/none");
    get(&server, "/1");
    let (mut told, mut missing) = (1, 0);
    loop {
        let line = next();
        missing += line["count"].as_u64().unwrap_or(0);
        if line["path"] == "/1" {
            break;
        }
        told += u64::from(line["event"] == "request");
    }
    assert!(missing > 0, "{told} lines fit");
    assert_eq!(told + missing, LINES as u64);
    server.stop();
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    for path in ["/", "/nowhere/access"] {
        let mut command = Server::command(&["--listen", "127.0.0.1:0", "--access-log", path]);
        let output = crate::common::ended(&mut command).expect("cc-server ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let named = format!("--access-log {path} cannot be opened");
        assert!(said.contains(&named) && said.contains("allowed"), "{said}");
    }
}
