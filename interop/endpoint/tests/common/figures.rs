//! What a server tells by HTTP/1.1.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// An answer: its status line with all headers, and its body.
pub fn ask(address: SocketAddr, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // Whoever is refused in the middle of his request may also see a reset.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    (head.to_owned(), body.to_owned())
}

pub fn get(address: SocketAddr, path: &str) -> (String, String) {
    ask(
        address,
        &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    )
}

/// All samples, by name with labels.
pub fn figures(address: SocketAddr) -> BTreeMap<String, f64> {
    let (head, body) = get(address, "/metrics");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("application/openmetrics-text"), "{head}");
    assert!(body.ends_with("# EOF\n"), "{body}");
    let samples = body.lines().filter(|line| !line.starts_with('#'));
    let parse = |line: &str| {
        let (name, value) = line.rsplit_once(' ').unwrap();
        (name.to_owned(), value.parse().unwrap())
    };
    samples.map(parse).collect()
}

pub fn sum(figures: &BTreeMap<String, f64>, name: &str) -> f64 {
    let named = figures.iter().filter(|(full, _)| full.starts_with(name));
    named.map(|(_, value)| value).sum()
}
