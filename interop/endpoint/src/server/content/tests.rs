use super::*;
use std::os::unix::fs::{symlink, PermissionsExt};

fn request(method: &str, path: &str, range: Option<&str>) -> Request {
    let bytes = |text: &str| text.as_bytes().to_vec();
    Request {
        method: Some(bytes(method)),
        path: Some(bytes(path)),
        range: range.map(bytes),
    }
}

fn site() -> (tempfile::TempDir, Content) {
    let outer = tempfile::tempdir().unwrap();
    std::fs::write(outer.path().join("secret"), "secret").unwrap();
    let root = outer.path().join("www");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::fs::write(root.join("index.html"), "<p>").unwrap();
    std::fs::write(root.join("sub/a b.txt"), "0123456789").unwrap();
    std::fs::write(root.join("42"), "a file").unwrap();
    symlink("../secret", root.join("out")).unwrap();
    symlink("/etc", root.join("etc")).unwrap();
    symlink("sub/a b.txt", root.join("in")).unwrap();
    let content = Content::new(Some(&root), Budget::new(1 << 20, 1), &Families::default()).unwrap();
    (outer, content)
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response
        .headers
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.as_str())
}

fn all(response: Response) -> Vec<u8> {
    let mut body = response.body.unwrap();
    let mut data = Vec::new();
    while body.remaining() > 0 {
        let block = body.read(1000).unwrap();
        body.advance(block.len() as u64);
        data.extend(block);
    }
    data
}

#[test]
fn files_come_with_length_and_type() {
    let (_outer, content) = site();
    let response = content.respond(&request("GET", "/sub/a%20b.txt?query", None));
    assert_eq!(response.status, 200);
    assert_eq!(header(&response, "content-length"), Some("10"));
    assert_eq!(header(&response, "content-type"), Some("text/plain"));
    assert_eq!(all(response), b"0123456789");
    let index = content.respond(&request("GET", "/", None));
    assert_eq!(header(&index, "content-type"), Some("text/html"));
    assert_eq!(
        all(content.respond(&request("GET", "/in", None))),
        b"0123456789"
    );
    assert_eq!(
        all(content.respond(&request("GET", "/42", None))),
        b"a file"
    );
}

#[test]
fn no_path_leads_out_of_the_root() {
    let (_outer, content) = site();
    for (path, status) in [
        ("/../secret", 403),
        ("/sub/../../secret", 403),
        ("/%2e%2e/secret", 403),
        ("/..%2fsecret", 403),
        ("/%2e%2e%2f%2e%2e%2fetc/passwd", 403),
        ("/out", 403),
        ("/etc/passwd", 403),
        ("/..\\secret", 400),
        ("/a%00b", 400),
        ("/%ff", 400),
        ("secret", 400),
        ("*", 400),
        ("/sub", 404),
        ("/sub/", 404),
        ("/nothing", 404),
        ("/index.html/x", 404),
        ("//etc/passwd", 403),
        ("///secret", 404),
    ] {
        let response = content.respond(&request("GET", path, None));
        assert_eq!(response.status, status, "{path}");
        assert!(response.body.is_none(), "{path}");
    }
}

#[test]
fn an_unreadable_file_is_forbidden_and_a_pipe_is_not_opened() {
    let (outer, content) = site();
    let locked = outer.path().join("www/locked");
    std::fs::write(&locked, "x").unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything.
    let expected = if std::fs::File::open(&locked).is_ok() {
        200
    } else {
        403
    };
    assert_eq!(
        content.respond(&request("GET", "/locked", None)).status,
        expected
    );
    let pipe = outer.path().join("www/pipe");
    let made = std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    assert!(made.success());
    assert_eq!(content.respond(&request("GET", "/pipe", None)).status, 404);
}

#[test]
fn methods_other_than_get_and_head_are_refused() {
    let (_outer, content) = site();
    for method in ["POST", "PUT", "DELETE", "CONNECT", "get"] {
        let response = content.respond(&request(method, "/", None));
        assert_eq!(
            (response.status, header(&response, "allow")),
            (405, Some("GET, HEAD"))
        );
    }
    let head = content.respond(&request("HEAD", "/1000", None));
    assert_eq!(
        (head.status, header(&head, "content-length")),
        (200, Some("1000"))
    );
    assert!(head.body.is_none());
    let part = content.respond(&request("HEAD", "/1000", Some("bytes=0-9")));
    assert_eq!(part.status, 200, "only GET has ranges");
    assert_eq!(content.respond(&Request::default()).status, 400);
}

#[test]
fn a_range_of_a_generated_object_is_that_part_of_it() {
    let content = Content::new(None, Budget::new(1 << 20, 1), &Families::default()).unwrap();
    let whole = all(content.respond(&request("GET", "/100000", None)));
    let part = content.respond(&request("GET", "/100000", Some("bytes=40001-80000")));
    assert_eq!(part.status, 206);
    assert_eq!(
        header(&part, "content-range"),
        Some("bytes 40001-80000/100000")
    );
    assert_eq!(header(&part, "content-length"), Some("40000"));
    assert_eq!(all(part), whole[40001..80001]);
    let beyond = content.respond(&request("GET", "/100", Some("bytes=100-")));
    assert_eq!(
        (beyond.status, header(&beyond, "content-range")),
        (416, Some("bytes */100"))
    );
}

#[test]
fn a_file_that_shrinks_while_it_is_sent_is_an_error() {
    let (outer, content) = site();
    let path = outer.path().join("www/shrinks");
    std::fs::write(&path, vec![1; 100_000]).unwrap();
    let mut body = content
        .respond(&request("GET", "/shrinks", None))
        .body
        .unwrap();
    body.advance(body.read(1000).unwrap().len() as u64);
    std::fs::write(&path, "").unwrap();
    assert!(body.read(1000).is_err());
}
