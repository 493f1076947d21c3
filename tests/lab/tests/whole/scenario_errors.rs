//! Files that are no scenarios.

use std::path::Path;

use quiche_cc_lab::scenario::{self, Overrides};

/// Line 1 is empty; the link begins in line 4, the flow in line 9.
const GOOD: &str = r#"
title = "good"
duration = "10s"
[[link]]
name = "bottleneck"
rate = "4Mbps"
delay = "10ms"
buffer = "100ms"
[[flow]]
name = "main"
path = ["bottleneck"]
traffic = { kind = "unlimited" }
"#;

fn error(text: &str, overrides: &[(&str, &str)]) -> Option<String> {
    let overrides = overrides.iter();
    let overrides = overrides.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let overrides = Overrides(overrides.collect());
    let result = scenario::parse(text, "file.toml", Path::new(""), &overrides);
    result.err().map(|error| error.to_string())
}

#[test]
fn an_error_names_the_line_and_what_is_allowed() {
    assert_eq!(error(GOOD, &[]), None);
    let mut wrong = Vec::new();
    for (old, new, message) in CASES {
        assert!(GOOD.contains(old), "{old}");
        let error = error(&GOOD.replacen(old, new, 1), &[]);
        if !error.as_ref().is_some_and(|error| error.contains(message)) {
            wrong.push(format!("`{new}`: {error:?} instead of {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is replaced by what, and a part of the error.
const CASES: &[(&str, &str, &str)] = &[
    ("title = \"good\"", "", "the key `title` is missing"),
    (
        "title",
        "colour = 1\ntitle",
        "file.toml:2: there is no key `colour`; allowed: title, duration",
    ),
    ("\"10s\"", "10", "file.toml:3: "),
    (
        "\"10s\"",
        "\"10\"",
        "file.toml:3: `10` is no valid duration; allowed: ",
    ),
    (
        "\"10s\"",
        "\"0s\"",
        "file.toml:3: a run takes more than 0s and at most 1000000s",
    ),
    (
        "\"10s\"",
        "\"10s\"\nwarmup = \"10s\"",
        "file.toml:4: the warm-up has to end before the run",
    ),
    (
        "\"10s\"",
        "\"10s\"\ndatagram = 100",
        "file.toml:4: a datagram of 100 bytes is not possible; allowed are 1200 to 9000",
    ),
    (
        "\"10s\"",
        "\"10s\"\ninterval = \"1us\"",
        "file.toml:4: the interval of series is at least 1ms",
    ),
    ("[[link]]", "[[link]\n", "file.toml:4: "),
    (
        "kind = \"unlimited\"",
        "kind = \"encoder\", rungs = [\"2Mbps\", \"1Mbps\"]",
        "file.toml:12: `rungs` are one rate or several that ascend",
    ),
    (
        "kind = \"unlimited\"",
        "kind = \"encoder\", rungs = [\"1Mbps\"], first = 2",
        "file.toml:12: `first` is the number of a rung, 1 to 1",
    ),
    (
        "kind = \"unlimited\"",
        "kind = \"encoder\", rungs = [\"1Mbps\"], share = 1.5",
        "file.toml:12: `share` is above 0 and at most 1",
    ),
    (
        "[[flow]]",
        "[[flow]]\ntimestamps_per_ack = 0",
        "file.toml:10: an ACK reports 1 to 256 receive timestamps",
    ),
    (
        "[[flow]]",
        "[[flow]]\npackets_per_ack = 101",
        "file.toml:10: an ACK is sent for 1 to 100 packets",
    ),
    (
        "[[link]]",
        "[[link]]\nname = \"bottleneck\"\n[[link]]",
        "file.toml:7: there are two links `bottleneck`",
    ),
    (
        "\"bottleneck\"",
        "\"a b\"",
        "file.toml:5: `a b` is no name; allowed are 1 to 60 letters, digits, - and _",
    ),
    (
        "\"4Mbps\"",
        "\"4\"",
        "file.toml:6: `4` is no valid rate; allowed: ",
    ),
    (
        "\"4Mbps\"",
        "\"4Mbps\"\ncolour = 1",
        "file.toml:7: there is no key `colour`; allowed: name, rate",
    ),
    ("\"10ms\"", "\"10\"", "file.toml:7: `10` is no valid "),
    (
        "\"100ms\"",
        "\"a lot\"",
        "file.toml:8: `a lot` is no valid buffer size; allowed: a time",
    ),
    (
        "\"100ms\"",
        "\"100ms\"\nqueue = \"red\"",
        "file.toml:9: `red` is no valid ",
    ),
    (
        "\"100ms\"",
        "\"100ms\"\nloss = \"200%\"",
        "file.toml:9: `200%` is no valid loss; allowed: ",
    ),
    (
        "\"100ms\"",
        "\"100ms\"\njitter = \"some\"",
        "file.toml:9: `some` is no valid jitter; allowed: ",
    ),
    (
        "{ kind = \"unlimited\" }",
        "{ kind = \"media\", tracks = [] }",
        "file.toml:12: the number of `tracks` has to be more than 0",
    ),
    (
        "{ kind = \"unlimited\" }",
        "{ kind = \"media\", tracks = [{ every = \"20ms\", sizes = [{ bytes = 0 }] }] }",
        "file.toml:12: `bytes` has to be more than 0",
    ),
    (
        "[[flow]]",
        "[[other]]",
        "file.toml:9: there is no key `other`",
    ),
    ("\"main\"", "\"\"", "file.toml:10: `` is no name"),
    (
        "\"main\"",
        "\"main\"\ncount = 0",
        "file.toml:11: the count of flows is 1 to 1000",
    ),
    (
        "[\"bottleneck\"]",
        "[\"elsewhere\"]",
        "file.toml:11: there is no link `elsewhere`; there are bottleneck",
    ),
    (
        "[\"bottleneck\"]",
        "[]",
        "file.toml:9: the path of flow `main` has no link",
    ),
    (
        "path",
        "rtt = \"9ms\"\npath",
        "file.toml:11: an RTT of 9ms is not possible: the links alone take",
    ),
    (
        "path",
        "rtt = \"90ms\"\ndelay = \"1ms\"\npath",
        "file.toml:11: `rtt` sets the delays",
    ),
    (
        "path",
        "start = \"10s\"\npath",
        "file.toml:9: flow `main` would start at 10s",
    ),
    (
        "path",
        "cc = \"renoo\"\npath",
        "file.toml:11: there is no congestion controller \"renoo\"; available are",
    ),
    (
        "path",
        "initial_window = 0\npath",
        "file.toml:11: the initial window is 1 to 1000 packets",
    ),
    (
        "path",
        "clock = { drift_ppm = 1e6 }\npath",
        "file.toml:11: a clock drifts by -10000 to 10000 ppm",
    ),
    (
        "path",
        "transport = \"tcp\"\npath",
        "file.toml:11: there is no `tcp`; allowed: quic or udp",
    ),
    (
        "path",
        "transport = \"udp\"\npath",
        "file.toml:13: this traffic needs a transport that controls it",
    ),
    (
        "path",
        "transport = \"udp\"\ncc = \"reno\"\npath",
        "file.toml:12: a UDP flow has no congestion controller",
    ),
    (
        "path",
        "transport = \"udp\"\ninitial_window = 0\npath",
        "`initial_window` is for QUIC flows, not for UDP",
    ),
    (
        "{ kind = \"unlimited\" }",
        "{ kind = \"requests\", objects = 1, parallel = 1, size = 1, think = \"1s\", spread = nan }",
        "file.toml:12: `spread` is 0 to 10",
    ),
    (
        "{ kind = \"unlimited\" }",
        "{ kind = \"requests\", objects = 1, parallel = 1, size = 1, think = \"1s\", request = 65537 }",
        "file.toml:12: `request` is 1 to 65536 bytes",
    ),
    (
        "\"unlimited\"",
        "\"plenty\"",
        "file.toml:12: there is no `plenty`; allowed: unlimited",
    ),
    (
        "\"unlimited\"",
        "\"unlimited\", rate = \"1Mbps\"",
        "file.toml:12: ",
    ),
    (
        "\"unlimited\"",
        "\"transfer\"",
        "file.toml:12: the key `bytes` is missing",
    ),
    (
        "\"unlimited\"",
        "\"transfer\", bytes = 0",
        "file.toml:12: `bytes` has to be more than 0",
    ),
    (
        "\"unlimited\"",
        "\"cbr\", rate = \"fast\"",
        "file.toml:12: `fast` is no valid rate; allowed: ",
    ),
];

#[test]
fn a_file_without_flows_is_no_scenario() {
    let text = &GOOD[..GOOD.find("[[flow]]").unwrap()];
    assert_eq!(
        error(text, &[]).unwrap(),
        "file.toml:1: there is no [[flow]]"
    );
}

#[test]
fn an_error_in_a_recording_is_told_with_the_place_that_names_it() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("bad.trace"), "4\nfive\n").unwrap();
    for (file, message) in [
        (
            "bad.trace",
            "bad.trace, line 2: `five` is no time; allowed: 0 to 1000000000",
        ),
        ("no.trace", "cannot read the trace "),
    ] {
        let text = GOOD.replace("4Mbps", &format!("trace:{file}"));
        let read = scenario::parse(&text, "file.toml", directory.path(), &Overrides::default());
        let error = read.unwrap_err().to_string();
        let told = error.strip_prefix("file.toml:6: ");
        assert!(told.is_some_and(|told| told.contains(message)), "{error}");
    }
}

#[test]
fn a_value_that_replaces_another_is_judged_like_it() {
    assert_eq!(
        error(
            GOOD,
            &[
                ("link.bottleneck.rate", "1Mbps"),
                ("flow.main.ecn", "false")
            ]
        ),
        None
    );
    for (key, value, message) in [
        (
            "link.bottleneck.rate",
            "x",
            "`x` is no valid rate; allowed: ",
        ),
        (
            "link.bottleneck.rte",
            "1Mbps",
            "there is no key `rte`; allowed: name, rate, ",
        ),
        (
            "link.bottleneck.buffer",
            "40",
            "integer `40` is not allowed; allowed: a text with a unit, such as ",
        ),
        (
            "link.other.rate",
            "1Mbps",
            "there is no link `other`; there are bottleneck",
        ),
        (
            "flow.other.rtt",
            "1ms",
            "there is no flow `other`; there are main",
        ),
        (
            "flow.main.initial_window",
            "0",
            "the initial window is 1 to 1000 packets",
        ),
        (
            "flow.main.traffic",
            "{ kind = \"cbr\" }",
            "the key `rate` is missing",
        ),
        (
            "flow.main",
            "1",
            "it cannot be set; allowed are link.NAME.KEY, flow.NAME.KEY",
        ),
        (
            "colour",
            "blue",
            "there is no key `colour`; allowed: title, ",
        ),
    ] {
        let error = error(GOOD, &[(key, value)]).unwrap_or_else(|| panic!("{key} is taken"));
        let wanted = format!("file.toml with {key}={value}: {message}");
        assert!(error.starts_with(&wanted), "{error}");
    }
}

#[test]
fn what_is_added_does_not_move_the_lines_of_other_errors() {
    let wrong = GOOD.replace("[\"bottleneck\"]", "[\"elsewhere\"]");
    let added = [
        ("datagram", "1300"),
        ("link.bottleneck.loss", "1%"),
        ("link.bottleneck.rate", "1Mbps"),
        ("flow.main.ecn", "true"),
    ];
    let error = error(&wrong, &added).unwrap();
    let wanted = "file.toml:11: there is no link `elsewhere`";
    assert!(error.starts_with(wanted), "{error}");
}

#[test]
fn of_the_same_key_the_last_value_is_to_blame() {
    let twice = |last| {
        [
            ("link.bottleneck.rate", "x"),
            ("link.bottleneck.rate", last),
        ]
    };
    assert_eq!(error(GOOD, &twice("1Mbps")), None);
    let error = error(GOOD, &twice("y")).unwrap();
    assert!(
        error.starts_with("file.toml with link.bottleneck.rate=y: "),
        "{error}"
    );
}

#[test]
fn a_suite_is_known_as_such() {
    let suite = "title = \"t\"\nscenario = \"x.toml\"\ncontrollers = [\"reno\"]\n[[axis]]\n";
    for overrides in [&[][..], &[("link.bottleneck.rate", "1Mbps")]] {
        assert_eq!(
            error(suite, overrides).unwrap(),
            "file.toml: this is a suite, and no scenario: use `cc-lab compare`"
        );
    }
}
