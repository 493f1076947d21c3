//! Wrong usage is answered with what was wrong and what is allowed.

use crate::common::run;

const SERVER: &str = env!("CARGO_BIN_EXE_cc-server");
const CLIENT: &str = env!("CARGO_BIN_EXE_cc-client");

fn refusal(program: &str, arguments: &[&str]) -> (i32, String) {
    let output = run(program, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

#[test]
fn an_unknown_controller_is_refused_with_the_known_ones() {
    for (program, rest) in [(SERVER, &[][..]), (CLIENT, &["https://localhost/"])] {
        let arguments: Vec<&str> = ["--cc", "hybird"].iter().chain(rest).copied().collect();
        let (code, text) = refusal(program, &arguments);
        assert_eq!(code, 2, "{text}");
        for word in ["hybird", "hybrid", "cubic"] {
            assert!(text.contains(word), "{text}");
        }
    }
}

#[test]
fn a_bad_option_of_a_controller_is_refused_with_what_is_allowed() {
    for (spec, words) in [
        ("hybrid:target_delay=10", ["target_delay", "unit"]),
        ("hybrid:nonsense=1", ["nonsense", "target_delay"]),
        ("cubic:fast", ["cubic", "no options"]),
    ] {
        let (code, text) = refusal(SERVER, &["--cc", spec]);
        assert_eq!(code, 2, "{text}");
        for word in words {
            assert!(text.contains(word), "{spec}: {text}");
        }
    }
}

#[test]
fn the_catalogue_is_listed() {
    for program in [SERVER, CLIENT] {
        let output = run(program, &["--list-cc"]);
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        for word in ["hybrid", "target_delay", "cubic"] {
            assert!(text.contains(word), "{text}");
        }
    }
}

#[test]
fn an_address_beyond_loopback_is_refused() {
    let (code, text) = refusal(SERVER, &["--listen", "0.0.0.0:0"]);
    assert_eq!(code, 2);
    assert!(text.contains("--allow-any-address"), "{text}");
}

#[test]
fn numbers_and_addresses_are_refused_with_what_is_allowed() {
    let url = "https://localhost/";
    for (program, arguments, words) in [
        (
            SERVER,
            &["--max-connections", "abc"][..],
            "`abc` is no whole number; allowed: 1 to 100000",
        ),
        (
            SERVER,
            &["--min-rate", "-5"],
            "`-5` is out of range; allowed: 0 to 1000000",
        ),
        (
            SERVER,
            &["--listen", "localhost:4433"],
            "`localhost:4433` is no address; allowed: an IP address with a port",
        ),
        (
            CLIENT,
            &["--timeout", "-1", url],
            "`-1` is out of range; allowed: 1 to 86400",
        ),
        (
            CLIENT,
            &["--connect-to", "127.0.0.1:99999", url],
            "`127.0.0.1:99999` is no address; allowed: an IP address with a port",
        ),
    ] {
        let (code, text) = refusal(program, arguments);
        assert_eq!(code, 2, "{text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn what_cannot_be_opened_is_named() {
    for (arguments, word) in [
        (&["--root", "/does/not/exist"][..], "/does/not/exist"),
        (&["--cert", "/no.pem", "--key", "/no.key"], "/no.pem"),
        (&["--qlog", "/proc/no"], "/proc/no"),
    ] {
        let all: Vec<&str> = ["--listen", "127.0.0.1:0"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        let (code, text) = refusal(SERVER, &all);
        assert_eq!(code, 1, "{text}");
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_client_without_a_place_for_its_traces_asks_for_nothing() {
    // A directory in which nobody can make a file.
    for directory in ["/proc", "/proc/no"] {
        let url = "https://localhost:1/";
        let (code, text) = refusal(CLIENT, &["--insecure", "--qlog", directory, url]);
        assert_eq!(code, 1, "{text}");
        assert!(text.contains(directory), "{text}");
    }
}

#[test]
fn a_port_in_use_is_named_and_the_certificate_of_its_server_stays() {
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let saved = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(saved.path(), "of the other server").unwrap();
    let save = ["--save-cert", saved.path().to_str().unwrap()];
    let (code, text) = refusal(SERVER, &[&["--listen", &address], &save[..]].concat());
    assert_eq!(code, 1);
    assert!(text.contains(&address), "{text}");
    let kept = std::fs::read_to_string(saved.path()).unwrap();
    assert_eq!(kept, "of the other server");
}
