//! A request out of its field section, or why it is malformed (RFC 9114, sections 4.1.2, 4.2 and 4.3).

use quiche::h3::{Header, NameValue};

use super::content::Request;

/// Fields that belong to a connection of HTTP/1.1 (RFC 9114, section 4.2).
const OF_THE_CONNECTION: [&[u8]; 5] = [
    b"connection",
    b"keep-alive",
    b"proxy-connection",
    b"transfer-encoding",
    b"upgrade",
];

/// The pseudo-header fields of a request.
const PSEUDO: [&[u8]; 4] = [b":method", b":scheme", b":authority", b":path"];

/// Reads a request. `has_body` says whether more than the field section may follow. The error says
/// what is malformed.
pub fn read(list: &[Header], has_body: bool) -> Result<Request, &'static str> {
    let mut request = Request::default();
    let (mut scheme, mut authority, mut host) = (None, None, None);
    let mut conditional = false;
    for (place, header) in list.iter().enumerate() {
        let (name, value) = (header.name(), header.value());
        check_field(name, value)?;
        if name.starts_with(b":") {
            check_pseudo_header(name, &list[..place])?;
        }
        match name {
            b":method" => request.method = Some(value.to_vec()),
            b":scheme" => scheme = Some(value),
            b":authority" => authority = Some(value),
            b":path" => request.path = Some(value.to_vec()),
            b"host" => host = Some(value),
            b"if-range" => conditional = true,
            b"range" => request.range = Some(value.to_vec()),
            b"content-length" if !has_body && value != b"0" => {
                return Err("content-length without a body");
            }
            _ => {}
        }
    }
    if conditional {
        // RFC 9110, section 13.1.5: what is served has no validators, so none can match.
        request.range = None;
    }
    match request.method.as_deref() {
        None => return Err("no :method"),
        // Section 4.4; the proxy that it asks for is not here, which is no malformed request.
        Some(b"CONNECT") if scheme.is_none() && request.path.is_none() => return Ok(request),
        Some(b"CONNECT") => return Err("CONNECT with :scheme or :path"),
        Some(_) => {}
    }
    if scheme.is_none() || request.path.as_deref().is_none_or(<[u8]>::is_empty) {
        return Err("no :scheme or no :path");
    }
    match (authority, host) {
        (None, None) | (Some(b""), _) | (_, Some(b"")) => Err("no authority"),
        (Some(authority), Some(host)) if authority != host => Err(":authority is not host"),
        _ => Ok(request),
    }
}

fn check_field(name: &[u8], value: &[u8]) -> Result<(), &'static str> {
    let plain = name.strip_prefix(b":").unwrap_or(name);
    if plain.is_empty() || !plain.iter().all(|byte| is_lower_case_token(*byte)) {
        return Err("field name with forbidden characters");
    }
    if value.iter().any(|byte| matches!(byte, 0 | b'\r' | b'\n')) {
        return Err("field value with forbidden characters");
    }
    if OF_THE_CONNECTION.contains(&name) || (name == b"te" && value != b"trailers") {
        return Err("field of an HTTP/1.1 connection");
    }
    Ok(())
}

/// What a field name consists of (RFC 9110, section 5.6.2), without upper case.
fn is_lower_case_token(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn check_pseudo_header(name: &[u8], before: &[Header]) -> Result<(), &'static str> {
    if !PSEUDO.contains(&name) {
        return Err("pseudo-header that requests do not have");
    }
    if before.iter().any(|earlier| earlier.name() == name) {
        return Err("pseudo-header twice");
    }
    if before
        .iter()
        .any(|earlier| !earlier.name().starts_with(b":"))
    {
        return Err("pseudo-header after a field");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_with(extra: &[(&str, &str)]) -> Result<Request, &'static str> {
        let fields = [
            (":method", "GET"),
            (":scheme", "https"),
            (":authority", "a"),
            (":path", "/x"),
        ];
        let header = |(name, value): &(&str, &str)| Header::new(name.as_bytes(), value.as_bytes());
        read(
            &fields.iter().chain(extra).map(header).collect::<Vec<_>>(),
            false,
        )
    }

    #[test]
    fn a_request_is_taken_with_what_decides_the_answer() {
        let request = read_with(&[("range", "bytes=0-1"), ("host", "a"), ("te", "trailers")]);
        let request = request.unwrap();
        assert_eq!(request.method.unwrap(), b"GET");
        assert_eq!(request.path.unwrap(), b"/x");
        assert_eq!(request.range.unwrap(), b"bytes=0-1");
    }

    #[test]
    fn a_range_on_a_condition_that_cannot_be_met_is_none() {
        let tag = ("if-range", "\"a\"");
        for fields in [[tag, ("range", "bytes=0-1")], [("range", "bytes=0-1"), tag]] {
            assert_eq!(read_with(&fields).unwrap().range, None);
        }
    }

    #[test]
    fn what_is_malformed_is_named() {
        for (extra, word) in [
            ((":path", "/y"), "twice"),
            ((":status", "200"), "do not have"),
            (("Accept", "a"), "name"),
            (("", "a"), "name"),
            (("a", "b\nc"), "value"),
            (("upgrade", "h2"), "HTTP/1.1"),
            (("te", "gzip"), "HTTP/1.1"),
            (("host", "b"), ":authority"),
            (("content-length", "7"), "without a body"),
        ] {
            let refused = read_with(&[extra]).unwrap_err();
            assert!(refused.contains(word), "{extra:?}: {refused}");
        }
    }
}
