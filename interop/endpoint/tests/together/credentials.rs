//! Certificates with which no handshake succeeds are refused at the start, by name and reason.

use std::path::{Path, PathBuf};

use crate::common::certificates::{make, usual, Made};
use crate::common::{ended, fetch, Server};
use boring::pkey::PKey;
use rcgen::{date_time_ymd, KeyPair};

/// What the server says that does not start with these files.
fn refusal(cert: &Path, key: &Path) -> String {
    let files = [
        "--cert",
        cert.to_str().unwrap(),
        "--key",
        key.to_str().unwrap(),
    ];
    let mut command = Server::command(&["--listen", "127.0.0.1:0"]);
    let output = ended(command.args(files)).expect("it does not start");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(output.stdout.is_empty(), "it was never ready");
    text
}

fn assert_refused(cert: &Path, key: &Path, words: &[&str]) {
    let text = refusal(cert, key);
    for word in words {
        assert!(text.contains(word), "\"{word}\" is not in: {text}");
    }
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn what_clients_know_is_taken() {
    let directory = directory();
    let known = [
        &rcgen::PKCS_ECDSA_P256_SHA256,
        &rcgen::PKCS_ECDSA_P384_SHA384,
    ];
    for algorithm in known {
        let Made { cert, key } = make(directory.path(), "good", algorithm, |_| ());
        let server = Server::start(&[
            "--cert",
            cert.to_str().unwrap(),
            "--key",
            key.to_str().unwrap(),
        ]);
        assert_eq!(fetch(&["--null"], &[server.url("/1")]).code, 0);
        server.stop();
    }
}

#[test]
fn a_kind_of_key_that_clients_do_not_know_is_refused() {
    let directory = directory();
    let Made { cert, key } = make(directory.path(), "edwards", &rcgen::PKCS_ED25519, |_| ());
    // As rcgen writes it, with the public key behind it, it cannot even be read.
    assert_refused(&cert, &key, &["edwards.key", "RSA or ECDSA"]);
    let written = KeyPair::from_pem(&std::fs::read_to_string(&key).unwrap()).unwrap();
    let seed = &written.serialize_der()[16..48];
    // RFC 8410, section 7: the same without it.
    let mut short = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20".to_vec();
    short.extend_from_slice(seed);
    let short = PKey::private_key_from_pkcs8(&short).unwrap();
    std::fs::write(&key, short.private_key_to_pem_pkcs8().unwrap()).unwrap();
    assert_refused(
        &cert,
        &key,
        &["edwards.pem", "edwards.key", "handshake", "P-256"],
    );
}

#[test]
fn the_key_of_another_certificate_is_refused() {
    let directory = directory();
    let (one, other) = (
        usual(directory.path(), "one"),
        usual(directory.path(), "other"),
    );
    let words = ["one.pem", "other.key", "does not belong", "allowed"];
    assert_refused(&one.cert, &other.key, &words);
}

#[test]
fn a_certificate_of_another_time_is_refused() {
    let directory = directory();
    let algorithm = &rcgen::PKCS_ECDSA_P256_SHA256;
    let old = make(directory.path(), "old", algorithm, |params| {
        params.not_before = date_time_ymd(2019, 1, 1);
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    assert_refused(&old.cert, &old.key, &["old.pem", "2020", "valid now"]);
    let early = make(directory.path(), "early", algorithm, |params| {
        params.not_before = date_time_ymd(2999, 1, 1);
        params.not_after = date_time_ymd(3000, 1, 1);
    });
    assert_refused(&early.cert, &early.key, &["early.pem", "2999", "valid now"]);
    // The server's own may be valid, but nobody can make use of its issuer's.
    let good = usual(directory.path(), "good");
    let chain = [&good.cert, &old.cert].map(|path| std::fs::read_to_string(path).unwrap());
    let both = directory.path().join("both.pem");
    std::fs::write(&both, chain.concat()).unwrap();
    assert_refused(&both, &good.key, &["both.pem", "certificate 2 of 2"]);
}

#[test]
fn files_without_what_they_are_for_are_refused() {
    let directory = directory();
    let good = usual(directory.path(), "good");
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("empty"), "").unwrap();
    std::fs::write(path("garbage"), [0xff; 100]).unwrap();
    let pipe = path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let unfit: [(PathBuf, &str); 5] = [
        (path("empty"), "allowed: PEM"),
        (path("garbage"), "allowed: PEM"),
        (path("missing"), "No such file"),
        (pipe, "regular file"),
        (directory.path().to_owned(), "regular file"),
    ];
    for (file, why) in unfit {
        let name = file.to_str().unwrap();
        assert_refused(&file, &good.key, &["certificate chain", name, why]);
        assert_refused(&good.cert, &file, &["private key", name, why]);
    }
}
