//! Figures for Prometheus, and whether the server serves, while it does.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::{ask, fetch, fetched, figures, get, spawn_client, sum, wait_for, Server};

const OBJECT: u64 = 5_000_000;

#[test]
fn what_connections_did_is_told_by_controller() {
    let arguments = ["--metrics", "127.0.0.1:0", "--cc", "hybrid"];
    let rule = ["--cc-rule", "path=/7* cc=bbr2"];
    let server = Server::start(&[&arguments[..], &rule[..]].concat());
    let address = server.metrics.unwrap();
    let at_first = figures(address);
    assert_eq!(sum(&at_first, "cc_server_connections_total"), 0.0);
    // A rise from 0 is one only if the 0 was told.
    for limit in ["connections", "address"] {
        let name = format!("cc_server_ignored_initials_total{{limit=\"{limit}\"}}");
        assert_eq!(at_first.get(&name), Some(&0.0), "{at_first:#?}");
    }

    let object = server.url(&format!("/{OBJECT}"));
    assert_eq!(fetch(&["--null"], &[object, server.url("/none")]).code, 1);
    assert_eq!(fetch(&["--null"], &[server.url("/7000")]).code, 0);
    let closed = |figures: &BTreeMap<_, _>| sum(figures, "cc_server_open_connections") == 0.0;
    wait_for("the end of both", || closed(&figures(address)));

    let told = figures(address);
    let of = |name: &str, cc: &str| {
        let full = format!("cc_server_{name}{{controller=\"{cc}\"}}");
        *told
            .get(&full)
            .unwrap_or_else(|| panic!("no {full}: {told:#?}"))
    };
    for (cc, sent) in [("hybrid", OBJECT as f64), ("bbr2", 7000.0)] {
        assert_eq!(of("connections_total", cc), 1.0);
        assert!(of("sent_bytes_total", cc) > sent);
        let acknowledged = of("acknowledged_bytes_total", cc);
        assert!(acknowledged > 0.9 * sent && acknowledged <= of("sent_bytes_total", cc));
        assert!(of("sent_packets_total", cc) > of("lost_packets_total", cc));
        assert!(of("rtt_seconds_count", cc) >= 1.0);
        assert!(of("queueing_delay_seconds_sum", cc) <= of("rtt_seconds_sum", cc));
        assert!(of("active_seconds_total", cc) > 0.0);
    }
    // All three as soon as one is known, for the same reason.
    let zone = |name: &&String| name.starts_with("cc_server_zone_seconds_total{");
    let known = told.keys().filter(zone).count();
    assert!(known == 0 || known == 3, "{told:#?}");
    let zones = sum(&told, "cc_server_zone_seconds_total");
    let active = of("active_seconds_total", "hybrid");
    assert!(zones <= active + 1e-9, "{zones} s of {active} s: {told:#?}");
    assert!(sum(&told, "cc_server_relative_one_way_delay_seconds_count") >= 1.0);
    assert!(of("target_rate_bits_per_second_count", "hybrid") >= 1.0);
    assert!(of("target_rate_bits_per_second_sum", "hybrid") > 0.0);
    assert_eq!(told["cc_server_responses_total{status=\"200\"}"], 2.0);
    assert_eq!(told["cc_server_responses_total{status=\"404\"}"], 1.0);
}

#[test]
fn open_connections_are_told_while_they_last_and_a_server_that_drains_is_not_healthy() {
    let server = Server::start(&["--metrics", "127.0.0.1:0", "--drain-timeout", "60"]);
    let address = server.metrics.unwrap();
    let (head, body) = get(address, "/health");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(body, "serving\n");

    let url = server.url("/1000000000000");
    let mut running = spawn_client(&["--insecure", "--null"], &[url]);
    let sent = || sum(&figures(address), "cc_server_sent_bytes_total");
    wait_for("the download", || sent() > 0.0);
    assert_eq!(sum(&figures(address), "cc_server_open_connections"), 1.0);
    let before = sent();
    wait_for("more of it", || sent() > before);

    server.terminate();
    let draining = || {
        let (head, body) = get(address, "/health");
        head.starts_with("HTTP/1.1 503 ") && body == "draining\n"
    };
    wait_for("the end of service", draining);
    running.kill().unwrap();
    running.wait().unwrap();
    server.terminate();
    server.stop();
}

#[test]
fn whoever_asks_for_something_else_or_never_ends_his_request_harms_nobody() {
    let server = Server::start(&["--metrics", "127.0.0.1:0"]);
    let address = server.metrics.unwrap();
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), "404"),
        (
            "GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(),
            "404",
        ),
        (
            "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx".to_owned(),
            "405",
        ),
        ("HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), "200"),
        ("\x16\x03\x01 no HTTP\r\n\r\n".to_owned(), "400"),
        (
            format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(100_000)),
            "431",
        ),
    ] {
        let (head, _) = ask(address, &request);
        let said = head.split(' ').nth(1).unwrap_or("nothing");
        // A reset may overtake the answer to who goes on sending.
        let refused = said == status || (status == "431" && head.is_empty());
        assert!(refused, "{said} instead of {status}: {head}");
    }

    let silent: Vec<TcpStream> = (0..20)
        .map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
            stream
        })
        .collect();
    let asked = Instant::now();
    let download = spawn_client(&["--insecure", "--null"], &[server.url("/1000000")]);
    assert_eq!(fetched(download).code, 0);
    figures(address);
    assert!(asked.elapsed() < Duration::from_secs(10));
    drop(silent);
    server.stop();
}

#[test]
fn an_address_that_is_taken_or_open_to_everybody_is_refused() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (address, code, says) in [
        (taken.as_str(), 1, taken.as_str()),
        ("192.0.2.1:9000", 2, "--metrics 192.0.2.1:9000"),
        ("9000", 2, "--metrics"),
    ] {
        let mut command = Server::command(&["--listen", "127.0.0.1:0", "--metrics", address]);
        let output = crate::common::ended(&mut command).expect("cc-server ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says), "{said}");
    }
}
