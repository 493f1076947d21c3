//! Output that nobody reads holds nothing up.

use std::io::{pipe, PipeReader, PipeWriter, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::fetch;
use rustix::pipe::fcntl_setpipe_size;

/// The smallest pipe there is; a few lines fill it.
const PIPE: usize = 4096;

fn small_pipe() -> (PipeReader, PipeWriter) {
    let (reader, writer) = pipe().unwrap();
    fcntl_setpipe_size(&writer, PIPE).unwrap();
    (reader, writer)
}

/// Waits for the end, and kills what does not come to it.
fn end_of(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// A server whose first line is all that is ever read.
fn server() -> (Child, SocketAddr, [PipeReader; 2]) {
    let (mut out, stdout) = small_pipe();
    let (err, stderr) = small_pipe();
    let child = Command::new(env!("CARGO_BIN_EXE_cc-server"))
        .args(["--listen", "127.0.0.1:0", "--drain-timeout", "1"])
        .env("RUST_LOG", "debug")
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut ready = Vec::new();
    while ready.last() != Some(&b'\n') {
        let mut byte = [0];
        out.read_exact(&mut byte).unwrap();
        ready.push(byte[0]);
    }
    let ready: serde_json::Value = serde_json::from_slice(&ready).unwrap();
    let address = ready["addresses"][0].as_str().unwrap().parse().unwrap();
    (child, address, [out, err])
}

#[test]
fn a_server_whose_output_nobody_reads_serves_and_stops() {
    let (mut child, address, unread) = server();
    for number in 0..30 {
        let done = fetch(
            &["--null", "--connect-timeout", "5"],
            &[format!("https://{address}/1000")],
        );
        if done.code != 0 {
            child.kill().unwrap();
            panic!("client {number}: {}", done.summary);
        }
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").arg(&pid).status().unwrap().success());
    // Drain, closing, and the patience with readers of both streams.
    let status = end_of(&mut child, Duration::from_secs(4)).expect("SIGTERM ends it");
    assert!(status.success(), "{status}");
    let [mut out, _] = unread;
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).unwrap();
    assert!(rest.len() > PIPE / 2, "its standard output was full");
}

#[test]
fn a_client_whose_output_nobody_reads_ends() {
    let server = crate::common::Server::start(&[]);
    let urls: Vec<String> = (1..60)
        .map(|size| server.url(&format!("/{size}")))
        .collect();
    let (out, stdout) = small_pipe();
    let (mut err, stderr) = pipe().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cc-client"))
        .args(["--json", "--insecure", "--null"])
        .args(&urls)
        .stdout(stdout)
        .stderr(stderr)
        .spawn()
        .unwrap();
    let status = end_of(&mut child, Duration::from_secs(30)).expect("it ends by itself");
    assert_eq!(status.code(), Some(1), "its summary is missing");
    let mut told = String::new();
    err.read_to_string(&mut told).unwrap();
    assert!(told.contains("standard output"), "{told}");
    drop(out);
    server.stop();
}
