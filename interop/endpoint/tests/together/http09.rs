//! HTTP/0.9, and the resumption of TLS sessions, with and without early data.

use crate::common::{fetch, read_trace, sha256_of_object, traces, Server};
use serde_json::Value;

fn assert_objects(downloads: &[&Value], sizes: &[u64]) {
    assert_eq!(downloads.len(), sizes.len());
    for (download, size) in downloads.iter().zip(sizes) {
        assert_eq!(download["sha256"], sha256_of_object(*size), "{download}");
        assert_eq!(download["status"], Value::Null, "bare content has none");
    }
}

fn urls(server: &Server, sizes: &[u64]) -> Vec<String> {
    let url = |size: &u64| server.url(&format!("/{size}"));
    sizes.iter().map(url).collect()
}

const HTTP09: [&str; 4] = ["--http09", "--null", "--hash", "--parallel"];

#[test]
fn objects_arrive_unchanged_with_small_flow_control_windows() {
    let server = Server::start(&["--http09"]);
    let sizes = [0, 1, 70_000, 3_000_001, 2_000_000];
    let small = [&HTTP09[..], &["--stream-window", "16384"]].concat();
    let result = fetch(&small, &urls(&server, &sizes));
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_objects(&result.downloads(), &sizes);
    assert_eq!(result.summary["connections"][0]["protocol"], "hq-interop");
}

#[test]
fn more_requests_than_streams_are_all_answered_on_one_connection() {
    let server = Server::start(&["--http09"]);
    let sizes: Vec<u64> = (0..350).map(|i| i * 97).collect();
    let result = fetch(&HTTP09, &urls(&server, &sizes));
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_objects(&result.downloads(), &sizes);
    assert_eq!(result.summary["connections"].as_array().unwrap().len(), 1);
}

#[test]
fn what_cannot_be_answered_is_reset_and_the_rest_is_not_affected() {
    let server = Server::start(&["--http09"]);
    let long = format!("/{}", "x".repeat(9000));
    let mut wanted = vec![server.url("/nothing-here"), server.url(&long)];
    wanted.extend(urls(&server, &[1000]));
    let result = fetch(&HTTP09, &wanted);
    assert_eq!(result.code, 1);
    let downloads = result.downloads();
    let error = |index: usize| downloads[index]["error"].as_str().unwrap();
    assert_eq!(error(0), "reset by the server, code 0x2");
    assert_eq!(error(1), "reset by the server, code 0x3");
    assert_objects(&downloads[2..], &[1000]);
}

#[test]
fn a_server_speaks_it_only_if_asked_to_and_http3_beside_it() {
    let server = Server::start(&[]);
    let refused = fetch(&HTTP09, &urls(&server, &[1]));
    assert_eq!(refused.code, 3);
    let error = refused.summary["connections"][0]["error"].as_str().unwrap();
    assert!(error.contains("no_application_protocol"), "{error}");

    let server = Server::start(&["--http09"]);
    let result = fetch(&["--null", "--hash"], &urls(&server, &[1000]));
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_eq!(result.summary["connections"][0]["protocol"], "h3");
}

/// Downloads three objects with `--resume`, and says which packet types the client sent on its
/// second connection.
fn resumed(server: &[&str], client: &[&str]) -> Vec<String> {
    let server = Server::start(server);
    let logs = tempfile::tempdir().unwrap();
    let sizes = [1000, 2000, 300_000];
    let qlog = ["--resume", "--qlog", logs.path().to_str().unwrap()];
    let options = ["--null", "--hash", "--parallel"];
    let all = [&options[..], client, &qlog].concat();
    let result = fetch(&all, &urls(&server, &sizes));
    assert_eq!(result.code, 0, "{}", result.summary);
    for (download, size) in result.downloads().iter().zip(sizes) {
        assert_eq!(download["sha256"], sha256_of_object(size), "{download}");
    }
    let connections = result.summary["connections"].as_array().unwrap();
    let was_resumed: Vec<_> = connections.iter().map(|c| &c["resumed"]).collect();
    assert_eq!(was_resumed, [false, true]);
    let mut found: Vec<_> = traces(logs.path()).iter().map(|t| read_trace(t)).collect();
    let started = |trace: &Vec<Value>| {
        let zero = trace[0]["trace"]["common_fields"]["reference_time"].clone();
        zero["wall_clock_time"].to_string()
    };
    found.sort_by_key(started);
    assert_eq!(assumed_rtt_ms(&found[0]), 333.0);
    assert!(assumed_rtt_ms(&found[1]) < 100.0, "not that of the path");
    let sent = found.last().unwrap().iter();
    let sent = sent.filter(|event| event["name"] == "quic:packet_sent");
    let types = sent.map(|event| &event["data"]["header"]["packet_type"]);
    types
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// The RTT with which a connection began.
fn assumed_rtt_ms(trace: &[Value]) -> f64 {
    let mut rtts = trace.iter().map(|event| &event["data"]["smoothed_rtt"]);
    rtts.find_map(Value::as_f64).unwrap()
}

#[test]
fn requests_go_into_early_data_if_both_ends_want_it() {
    for protocol in [&[][..], &["--http09"]] {
        let server = [protocol, &["--early-data"]].concat();
        let both = resumed(&server, &server);
        assert!(both.iter().any(|name| name == "0RTT"), "{both:?}");
        let client = resumed(protocol, &server);
        assert!(!client.iter().any(|name| name == "0RTT"), "{client:?}");
        let neither = resumed(protocol, protocol);
        assert!(!neither.iter().any(|name| name == "0RTT"), "{neither:?}");
    }
}
