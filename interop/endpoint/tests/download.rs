//! Downloads over real sockets: everything arrives, and failures are told apart.

mod common;

use std::time::Duration;

use common::{fetch, fetched, sha256, sha256_of_object, spawn_client, Server};

#[test]
fn files_and_objects_arrive_unchanged() {
    let site = tempfile::tempdir().unwrap();
    let mut data = vec![0; 3_000_001];
    quiche_cc_endpoint::object::fill(12_345, &mut data);
    std::fs::write(site.path().join("data.bin"), &data).unwrap();
    std::fs::write(site.path().join("empty"), "").unwrap();
    let server = Server::start(&["--root", site.path().to_str().unwrap()]);
    let out = tempfile::tempdir().unwrap();
    let sizes = [0, 1, 1000, 32_768, 65_537, 5_000_000];
    let mut urls = vec![server.url("/data.bin"), server.url("/empty")];
    urls.extend(sizes.map(|size| server.url(&format!("/{size}"))));
    let result = fetch(&["--out", out.path().to_str().unwrap(), "--hash"], &urls);
    assert_eq!(result.code, 0, "{}", result.summary);
    let mut expected = vec![sha256(&data), sha256(b"")];
    expected.extend(sizes.map(sha256_of_object));
    for ((download, hash), url) in result.downloads().iter().zip(&expected).zip(&urls) {
        assert_eq!(download["sha256"], *hash, "{url}");
        let file = std::fs::read(download["file"].as_str().unwrap()).unwrap();
        assert_eq!(sha256(&file), *hash, "{url}");
    }
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), urls.len());
}

#[test]
fn more_parallel_requests_than_streams_are_all_answered() {
    let server = Server::start(&[]);
    let urls: Vec<String> = (0..350)
        .map(|i| server.url(&format!("/{}", i * 97)))
        .collect();
    let result = fetch(&["--null", "--hash", "--parallel"], &urls);
    assert_eq!(result.code, 0, "{}", result.summary);
    for (i, download) in result.downloads().iter().enumerate() {
        assert_eq!(
            download["sha256"],
            sha256_of_object(i as u64 * 97),
            "object {i}"
        );
    }
}

#[test]
fn a_large_object_arrives_at_a_sane_rate() {
    let server = Server::start(&[]);
    let result = fetch(&["--null", "--hash"], &[server.url("/50000000")]);
    assert_eq!(result.code, 0, "{}", result.summary);
    let download = result.downloads()[0];
    assert_eq!(download["sha256"], sha256_of_object(50_000_000));
    // Over a Gbit/s on an idle machine; a sender that waits for timers gets less than a tenth.
    let goodput = download["goodput_bits_per_second"].as_f64().unwrap();
    assert!(goodput > 100e6, "{goodput} bit/s");
}

#[test]
fn every_kind_of_controller_downloads() {
    for cc in ["reno", "cubic", "bbr2_gcongestion", "hybrid"] {
        let server = Server::start(&["--cc", cc]);
        let result = fetch(&["--null", "--hash", "--cc", cc], &[server.url("/300000")]);
        assert_eq!(result.code, 0, "{cc}: {}", result.summary);
        assert_eq!(
            result.downloads()[0]["sha256"],
            sha256_of_object(300_000),
            "{cc}"
        );
        assert_eq!(result.summary["connections"][0]["cc"], cc);
        assert_eq!(server.stop()[0]["cc"], cc);
    }
}

#[test]
fn ipv6_works_like_ipv4() {
    let server = Server::start_on("[::1]:0", &[]);
    let result = fetch(&["--null", "--hash"], &[server.url("/1000000")]);
    assert_eq!(result.code, 0, "{}", result.summary);
    assert_eq!(result.downloads()[0]["sha256"], sha256_of_object(1_000_000));
}

#[test]
fn the_largest_datagrams_and_the_smallest_work() {
    for size in ["1200", "9000"] {
        let server = Server::start(&["--max-datagram-size", size]);
        let arguments = ["--null", "--hash", "--max-datagram-size", size];
        let result = fetch(&arguments, &[server.url("/1000000")]);
        assert_eq!(result.code, 0, "{size}: {}", result.summary);
        assert_eq!(result.downloads()[0]["sha256"], sha256_of_object(1_000_000));
    }
}

#[test]
fn many_clients_at_once_are_served() {
    let server = Server::start(&[]);
    let arguments = ["--insecure", "--null", "--hash"];
    let urls = [server.url("/200000")];
    let clients: Vec<_> = (0..25).map(|_| spawn_client(&arguments, &urls)).collect();
    for client in clients {
        let result = fetched(client);
        assert_eq!(result.code, 0, "{}", result.summary);
        assert_eq!(result.downloads()[0]["sha256"], sha256_of_object(200_000));
    }
    let events = server.stop();
    assert_eq!(events.len(), 25);
}

#[test]
fn a_validated_certificate_is_accepted_and_another_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let [ours, other] = ["ours.pem", "other.pem"].map(|name| directory.path().join(name));
    let [ours, other] = [&ours, &other].map(|path| path.to_str().unwrap());
    let server = Server::start(&["--save-cert", ours]);
    let _other_server = Server::start(&["--save-cert", other]);
    let to = server.address.to_string();
    let get = |arguments: &[&str]| {
        let all: Vec<&str> = ["--null", "--connect-to", &to]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        fetched(spawn_client(&all, &["https://localhost/1000".to_owned()]))
    };
    assert_eq!(get(&["--ca", ours]).code, 0);
    for arguments in [&["--ca", other][..], &[]] {
        let refused = get(arguments);
        assert_eq!(refused.code, 3);
        let error = refused.summary["connections"][0]["error"].as_str().unwrap();
        assert!(error.contains("unknown_ca"), "{error}");
    }
    let wrong_name = ["https://example.org/1000".to_owned()];
    let all = ["--null", "--connect-to", &to, "--ca", ours];
    assert_eq!(fetched(spawn_client(&all, &wrong_name)).code, 3);
}

#[test]
fn a_missing_object_fails_alone() {
    let server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    let urls = [
        server.url("/1000"),
        server.url("/missing"),
        server.url("/2000"),
    ];
    let result = fetch(&["--out", out.path().to_str().unwrap()], &urls);
    assert_eq!(result.code, 1);
    let statuses: Vec<_> = result
        .downloads()
        .iter()
        .map(|d| d["status"].as_u64())
        .collect();
    assert_eq!(statuses, [Some(200), Some(404), Some(200)]);
    let mut files: Vec<_> = std::fs::read_dir(out.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    files.sort();
    assert_eq!(files, ["1000", "2000"]);
}

#[test]
fn a_server_that_is_not_there_is_a_failed_connection() {
    let nobody = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/1", nobody.local_addr().unwrap());
    let result = fetch(&["--null", "--connect-timeout", "1"], &[url]);
    assert_eq!(result.code, 3);
    let error = result.summary["connections"][0]["error"].as_str().unwrap();
    assert!(error.contains("within 1 s"), "{error}");
}

#[test]
fn a_server_that_dies_leaves_no_partial_file() {
    let mut server = Server::start(&[]);
    let out = tempfile::tempdir().unwrap();
    let arguments = [
        "--insecure",
        "--out",
        out.path().to_str().unwrap(),
        "--idle-timeout",
        "1",
    ];
    let client = spawn_client(&arguments, &[server.url("/100000000000")]);
    common::wait_for("the download", || {
        let files = std::fs::read_dir(out.path()).unwrap();
        files
            .filter_map(|entry| entry.unwrap().metadata().ok())
            .any(|file| file.len() > 0)
    });
    server.kill();
    let result = fetched(client);
    assert_eq!(result.code, 3);
    assert!(result.downloads()[0]["error"].is_string());
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn a_download_that_takes_too_long_is_ended() {
    let server = Server::start(&[]);
    let started = std::time::Instant::now();
    let result = fetch(
        &["--null", "--timeout", "1"],
        &[server.url("/1000000000000")],
    );
    assert_eq!(result.code, 3);
    assert!(started.elapsed() < Duration::from_secs(8));
    let error = result.summary["connections"][0]["error"].as_str().unwrap();
    assert!(error.contains("not finished within 1 s"), "{error}");
    // The server does not go on sending to a client that has left.
    assert_eq!(server.stop().len(), 1);
}
