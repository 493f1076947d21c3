//! Requests whose fields are malformed: an error of the stream, which the server may announce with status 400
//! (RFC 9114, section 4.1.2).

use crate::outcome::code::H3_MESSAGE_ERROR;
use crate::wire::{encoded, fields, headers, last_bytes};
use crate::Case;
use crate::Outcome::{Answered, Reset};

pub fn cases() -> Vec<Case> {
    let mut cases = pseudo_headers();
    cases.extend(other_fields());
    cases
}

/// A request that has to be refused.
fn refused(name: &'static str, rfc: &'static str, fields: &[(&str, &str)]) -> Case {
    Case::new(
        name,
        rfc,
        vec![headers(0, true, fields)],
        &[Answered(400), Reset(H3_MESSAGE_ERROR)],
    )
}

fn without(name: &str) -> Vec<(&'static str, &'static str)> {
    fields("/1000")
        .into_iter()
        .filter(|field| field.0 != name)
        .collect()
}

fn and(field: (&'static str, &'static str)) -> Vec<(&'static str, &'static str)> {
    [fields("/1000"), vec![field]].concat()
}

fn pseudo_headers() -> Vec<Case> {
    let late = [vec![("accept", "*/*")], fields("/1000")].concat();
    let empty_path = [without(":path"), vec![(":path", "")]].concat();
    let relative = [without(":path"), vec![(":path", "1000")]].concat();
    vec![
        Case::new(
            "no field at all",
            "RFC 9114, 4.3.1",
            vec![encoded(0, &[0, 0])],
            &[Answered(400), Reset(H3_MESSAGE_ERROR)],
        ),
        refused("no :method", "RFC 9114, 4.3.1", &without(":method")),
        refused("no :scheme", "RFC 9114, 4.3.1", &without(":scheme")),
        refused("no :path", "RFC 9114, 4.3.1", &without(":path")),
        refused(
            "neither :authority nor host",
            "RFC 9114, 4.3.1",
            &without(":authority"),
        ),
        refused(
            ":authority and host that differ",
            "RFC 9114, 4.3.1",
            &and(("host", "example.org")),
        ),
        refused("empty :path", "RFC 9114, 4.3.1", &empty_path),
        refused(":path that is none", "RFC 9114, 4.3.1", &relative),
        refused(":path twice", "RFC 9114, 4.3", &and((":path", "/1"))),
        refused(
            "unknown pseudo-header",
            "RFC 9114, 4.3",
            &and((":color", "red")),
        ),
        refused(
            "pseudo-header of a response",
            "RFC 9114, 4.3",
            &and((":status", "200")),
        ),
        refused("pseudo-header after a field", "RFC 9114, 4.3", &late),
        refused(
            "CONNECT with :path",
            "RFC 9114, 4.4",
            &[
                (":method", "CONNECT"),
                (":scheme", "https"),
                (":authority", "localhost"),
                (":path", "/1000"),
            ],
        ),
    ]
}

fn other_fields() -> Vec<Case> {
    vec![
        refused(
            "field name in upper case",
            "RFC 9114, 4.2",
            &and(("Accept", "*/*")),
        ),
        refused(
            "field name with a blank",
            "RFC 9114, 4.2 and 10.3",
            &and(("a b", "1")),
        ),
        refused(
            "field without a name",
            "RFC 9114, 4.2 and 10.3",
            &and(("", "1")),
        ),
        refused(
            "line feed in a field value",
            "RFC 9114, 10.3",
            &and(("accept", "a\nb: c")),
        ),
        refused(
            "connection",
            "RFC 9114, 4.2",
            &and(("connection", "keep-alive")),
        ),
        refused(
            "transfer-encoding",
            "RFC 9114, 4.2",
            &and(("transfer-encoding", "chunked")),
        ),
        refused(
            "te other than trailers",
            "RFC 9114, 4.2",
            &and(("te", "gzip")),
        ),
        refused(
            "content-length without a body",
            "RFC 9114, 4.1.2",
            &and(("content-length", "5")),
        ),
        Case::new(
            "content-length longer than the body",
            "RFC 9114, 4.1.2 (a server need not read the body, 4.1)",
            vec![
                headers(0, false, &and(("content-length", "5"))),
                last_bytes(0, &[0x0, 2, 1, 2]),
            ],
            &[Answered(400), Reset(H3_MESSAGE_ERROR), Answered(200)],
        ),
        Case::new(
            "te: trailers",
            "RFC 9114, 4.2",
            vec![headers(0, true, &and(("te", "trailers")))],
            &[Answered(200)],
        ),
    ]
}
