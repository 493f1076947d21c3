//! Rules give connections the controllers that they say.

use std::path::Path;

use crate::common::{fetch, read_trace, run, traces, Server};
use serde_json::Value;

const RULES: [&str; 4] = [
    "name=live host=live.example.org cc=hybrid:target_delay=10ms,drain_epochs=2",
    "host=*.example.org client=127.0.0.0/8 cc=vegas",
    "host=*.example.org cc=reno",
    "host=example.net client=192.0.2.0/24 cc=bbr2",
];

/// Starts a server with `options` and [`RULES`].
fn start(options: &[&str]) -> Server {
    let rules = RULES.iter().flat_map(|rule| ["--cc-rule", rule]);
    Server::start(&rules.chain(options.iter().copied()).collect::<Vec<_>>())
}

/// Downloads something from `host`, at the server's address.
fn visit(server: &Server, host: &str, options: &[&str]) {
    let address = server.address.to_string();
    let all = [&["--null", "--connect-to", &address], options].concat();
    let result = fetch(&all, &[format!("https://{host}/100000")]);
    assert_eq!(result.code, 0, "{}", result.summary);
}

fn named<'a>(trace: &'a [Value], event: &'a str) -> impl Iterator<Item = &'a Value> {
    let matching = move |record: &&Value| record["name"] == event;
    trace.iter().filter(matching).map(|record| &record["data"])
}

/// The one trace in a directory that belongs to the connection of a server's event.
fn trace_of(directory: &Path, event: &Value) -> Vec<Value> {
    let id = event["original_id"].as_str().unwrap();
    read_trace(&directory.join(format!("{id}_server.sqlog")))
}

#[test]
fn the_name_that_the_client_asks_for_decides() {
    let logs = tempfile::tempdir().unwrap();
    let server = start(&["--cc", "bbr2", "--qlog", logs.path().to_str().unwrap()]);
    let expected = [
        (
            "live.example.org",
            "hybrid:target_delay=10ms,drain_epochs=2",
            Some("live"),
        ),
        (
            "deep.a.example.org",
            "vegas",
            Some("2: host=*.example.org client=127.0.0.0/8"),
        ),
        ("example.org", "bbr2", None),
        ("example.net", "bbr2", None),
        ("127.0.0.1", "bbr2", None),
    ];
    for (host, ..) in expected {
        visit(&server, host, &[]);
    }
    let events = server.stop();
    assert_eq!(events.len(), expected.len());
    // Connections need not end in the order in which they began.
    let traces_of_events: Vec<_> = events
        .iter()
        .map(|event| (event, trace_of(logs.path(), event)))
        .collect();
    for (host, spec, rule) in expected {
        let name = Some(host).filter(|host| *host != "127.0.0.1");
        let asked = |trace: &[Value]| {
            named(trace, "cc:controller_chosen").any(|data| data["server_name"].as_str() == name)
        };
        let (event, trace) = traces_of_events
            .iter()
            .find(|(_, trace)| asked(trace))
            .unwrap();
        assert_eq!(event["cc"], spec, "{host}");
        assert_eq!(event["cc_rule"].as_str(), rule, "{host}");
        let chosen: Vec<&Value> = named(trace, "cc:controller_chosen").collect();
        assert_eq!(chosen.len(), 1, "{host}");
        assert_eq!(chosen[0]["spec"], spec, "{host}");
        assert_eq!(chosen[0]["rule"].as_str(), rule, "{host}");
        // What the controller itself says, where it is one that says anything.
        let specs: Vec<&str> = named(trace, "cc:parameters_set")
            .map(|data| data["spec"].as_str().unwrap())
            .collect();
        if spec == "bbr2" {
            assert!(specs.is_empty(), "{host}: {specs:?}");
        } else {
            assert!(!specs.is_empty(), "{host}");
            assert!(specs.iter().all(|said| *said == spec), "{host}: {specs:?}");
        }
        assert!(trace[0]["trace"]["event_schemas"]
            .as_array()
            .unwrap()
            .iter()
            .any(|schema| schema.as_str().unwrap().ends_with("/cc")));
    }
    assert_eq!(traces(logs.path()).len(), expected.len());
}

#[test]
fn resumed_connections_and_those_after_a_retry_are_chosen_for_too() {
    let server = start(&["--retry", "--early-data"]);
    let address = server.address.to_string();
    let urls = [1, 2].map(|_| "https://live.example.org/50000".to_owned());
    let options = [
        "--null",
        "--resume",
        "--early-data",
        "--connect-to",
        &address,
    ];
    let result = fetch(&options, &urls);
    assert_eq!(result.code, 0, "{}", result.summary);
    let events = server.stop();
    assert_eq!(events.len(), 2);
    let resumed = events.iter().filter(|event| event["resumed"] == true);
    assert_eq!(resumed.count(), 1, "{events:?}");
    for event in events {
        assert_eq!(event["cc_rule"], "live", "{event}");
        assert_eq!(
            event["cc"], "hybrid:target_delay=10ms,drain_epochs=2",
            "{event}"
        );
    }
}

#[test]
fn the_path_of_the_first_request_decides_and_the_connection_keeps_it() {
    let logs = tempfile::tempdir().unwrap();
    let server = Server::start(&[
        "--cc",
        "bbr2",
        "--cc-rule",
        "name=exact path=/50000 cc=hybrid",
        "--cc-rule",
        "name=large path=/3* host=a.example.org cc=vegas",
        "--qlog",
        logs.path().to_str().unwrap(),
    ]);
    let expected = [
        (&["/50000"][..], "hybrid", Some("exact")),
        (&["/300000", "/50000"], "vegas", Some("large")),
        (&["/1000", "/50000"], "bbr2", None),
    ];
    let address = server.address.to_string();
    for (paths, ..) in expected {
        let urls: Vec<String> = paths
            .iter()
            .map(|path| format!("https://a.example.org{path}"))
            .collect();
        let result = fetch(&["--null", "--hash", "--connect-to", &address], &urls);
        assert_eq!(result.code, 0, "{}", result.summary);
    }
    let events = server.stop();
    assert_eq!(events.len(), expected.len());
    for (paths, spec, rule) in expected {
        let event = events.iter().find(|event| event["cc"] == spec);
        let event = event.unwrap_or_else(|| panic!("{spec}: {events:?}"));
        assert_eq!(event["cc_rule"].as_str(), rule, "{paths:?}");
        assert_eq!(event["requests"], paths.len(), "{paths:?}");
        let trace = trace_of(logs.path(), event);
        let chosen: Vec<&str> = named(&trace, "cc:controller_chosen")
            .map(|data| data["spec"].as_str().unwrap())
            .collect();
        // At the handshake no path is known.
        let replaced = if rule.is_some() {
            &["bbr2", spec][..]
        } else {
            &["bbr2"]
        };
        assert_eq!(chosen, replaced, "{paths:?}");
        let says: Vec<&str> = named(&trace, "cc:parameters_set")
            .map(|data| data["spec"].as_str().unwrap())
            .collect();
        assert!(says.iter().all(|said| *said == spec), "{paths:?}: {says:?}");
        assert_eq!(says.is_empty(), rule.is_none(), "{paths:?}");
    }
}

#[test]
fn a_file_of_rules_is_followed() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = "[[rule]]\nname = \"here\"\nclient = [\"::1\", \"127.0.0.1\"]\ncc = \"smallq\"\n";
    std::fs::write(file.path(), text).unwrap();
    let server = Server::start(&["--cc-rules", file.path().to_str().unwrap()]);
    visit(&server, "a.example", &[]);
    let events = server.stop();
    assert_eq!(events[0]["cc"], "smallq");
    assert_eq!(events[0]["cc_rule"], "here");
}

#[test]
fn a_share_of_the_connections_gets_another_controller() {
    // A path makes the server ask the rules twice, and the answer has to be the same.
    let rules = ["share=50% cc=hybrid", "path=/none cc=vegas"];
    let rules = rules.iter().flat_map(|rule| ["--cc-rule", rule]);
    let arguments: Vec<&str> = rules.chain(["--cc", "bbr2"]).collect();
    let server = Server::start(&arguments);
    for _ in 0..40 {
        assert_eq!(fetch(&["--null"], &[server.url("/1000")]).code, 0);
    }
    let events = server.stop();
    let hybrid = events.iter().filter(|event| event["cc"] == "hybrid");
    assert!(hybrid
        .clone()
        .all(|event| event["cc_rule"] == "1: share=50%"));
    let count = hybrid.count();
    // All but one in 30 million of honest servers.
    assert!((4..=36).contains(&count), "{count} of {}", events.len());
    assert!(events.iter().all(|event| event["cc"] != "vegas"));
}

#[test]
fn bad_rules_are_wrong_usage() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[[rule]]\nhost = \"a.org\"\ncc = \"hybird\"\n").unwrap();
    let path = file.path().to_str().unwrap();
    for (arguments, words) in [
        (
            &["--cc-rules", path][..],
            ["--cc-rules", "rule 1", "hybird"],
        ),
        (
            &["--cc-rule", "hsot=a cc=reno"],
            ["--cc-rule", "hsot", "host"],
        ),
        (
            &["--cc-rule", "host=a", "--cc-rule", "x"],
            ["--cc-rule", "x", "KEY=VALUE"],
        ),
        (
            &["--cc-rule", "cc=reno"],
            ["--cc-rule", "no condition", "host"],
        ),
        (
            &["--cc-rule", "share=5 cc=reno"],
            ["--cc-rule", "share \"5\"", "100%"],
        ),
        (
            &["--cc-rules", "/no/such"],
            ["--cc-rules", "/no/such", "No such file"],
        ),
    ] {
        let output = run(env!("CARGO_BIN_EXE_cc-server"), arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        for word in words {
            assert!(text.contains(word), "{arguments:?}: {text}");
        }
    }
}
