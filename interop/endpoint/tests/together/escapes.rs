//! What a stranger says does not steer the terminal of who reads it.

use std::net::UdpSocket;
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::common::{Server, Talker};
use quiche::h3;

/// Clears the screen in three ways, hides what follows, and begins a line of its own.
const HOSTILE: &str = "x\x1b[2J\u{9b}2J\u{7f}\r\nINFO all is well\u{202e}";

fn assert_harmless(text: &[u8]) {
    let text = std::str::from_utf8(text).unwrap();
    let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(steers), "{text:?}");
    assert!(!text.contains("\nINFO"), "{text:?}");
}

/// A client's output when its server closes the connection with that for a reason.
fn refused(arguments: &[&str]) -> Output {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/1", socket.local_addr().unwrap());
    let server = thread::spawn(move || {
        let mut server = Talker::accept(socket);
        server.talk_until("the handshake", quiche::Connection::is_established);
        server.conn.close(true, 7, HOSTILE.as_bytes()).unwrap();
        server.send();
    });
    let output = Command::new(env!("CARGO_BIN_EXE_cc-client"))
        .args(["--insecure", "--null", &url])
        .args(arguments)
        .env("RUST_LOG", "debug")
        .output()
        .unwrap();
    server.join().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    output
}

#[test]
fn a_servers_reason_is_harmless_in_the_summary() {
    let output = refused(&[]);
    assert_harmless(&output.stdout);
    assert_harmless(&output.stderr);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("(x\\u{1b}[2J\\u{9b}2J\\u{7f}"), "{text}");
}

#[test]
fn a_servers_reason_is_harmless_and_complete_in_json() {
    let output = refused(&["--json"]);
    assert_harmless(&output.stdout);
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let error = summary["connections"][0]["error"].as_str().unwrap();
    assert!(error.contains(HOSTILE), "{error:?}");
}

#[test]
fn a_clients_request_and_reason_are_harmless_in_events_and_log() {
    let mut command = Server::command(&["--listen", "127.0.0.1:0"]);
    command.env("RUST_LOG", "debug").stderr(Stdio::piped());
    let server = Server::launch(&mut command);
    let mut client = Talker::connect(server.address);
    client.talk_until("the handshake", quiche::Connection::is_established);
    let config = h3::Config::new().unwrap();
    let mut http = h3::Connection::with_transport(&mut client.conn, &config).unwrap();
    let request = [
        h3::Header::new(b":method", b"GET"),
        h3::Header::new(b":scheme", b"https"),
        h3::Header::new(b":authority", b"localhost"),
        h3::Header::new(b":path", "/x\u{9b}2J".as_bytes()),
    ];
    http.send_request(&mut client.conn, &request, true).unwrap();
    client.talk_until("an answer", |conn| {
        conn.readable().any(|stream| stream == 0)
    });
    client.conn.close(true, 7, HOSTILE.as_bytes()).unwrap();
    client.send();
    let requested = server.await_log("GET /x");
    assert!(requested.contains("GET /x\\u{9b}2J"), "{requested}");
    assert_harmless(requested.as_bytes());
    assert_harmless(server.await_log("closed by the client").as_bytes());
    let (lines, raw) = server.stop_raw();
    assert_harmless(lines.join("\n").as_bytes());
    assert_harmless(raw.as_bytes());
    let event: serde_json::Value = serde_json::from_str(raw.trim_end()).unwrap();
    assert!(event["reason"].as_str().unwrap().contains(HOSTILE), "{raw}");
}
