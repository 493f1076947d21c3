//! HTTP/0.9 over QUIC, as the QUIC interop runner has it for all cases but those about HTTP/3.
//!
//! A request is the line `GET /path` on a bidirectional stream of its own, a response is the bare
//! content; the end of the stream is the end of either. There is no status: what cannot be answered
//! is reset.

/// The ALPN protocol.
pub const ALPN: &[u8] = b"hq-interop";

/// Longest request, in bytes.
pub const MAX_REQUEST: usize = 8 << 10;

/// Application error codes that this endpoint sends. The protocol defines none.
pub mod code {
    pub const NO_ERROR: u64 = 0;
    pub const CANCELLED: u64 = 1;
    pub const NOT_FOUND: u64 = 2;
    pub const BAD_REQUEST: u64 = 3;
}

/// The request for a path.
pub fn request(path: &str) -> Vec<u8> {
    format!("GET {path}\r\n").into_bytes()
}

/// The path that a whole request asks for, if it is one.
pub fn path(request: &[u8]) -> Option<&[u8]> {
    let line = request.strip_suffix(b"\n").unwrap_or(request);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let path = line.strip_prefix(b"GET ")?;
    let plain = path.starts_with(b"/") && !path.iter().any(|byte| b" \r\n".contains(byte));
    plain.then_some(path)
}

/// Whether the peers of `conn` agreed on HTTP/0.9.
pub fn is_spoken<F: quiche::BufFactory>(conn: &quiche::Connection<F>) -> bool {
    conn.application_proto() == ALPN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_line_that_names_a_path() {
        assert_eq!(path(&request("/a?b")), Some(&b"/a?b"[..]));
        for whole in ["GET /x\r\n", "GET /x\n", "GET /x"] {
            assert_eq!(path(whole.as_bytes()), Some(&b"/x"[..]), "{whole:?}");
        }
        for wrong in [
            "",
            "GET ",
            "GET x",
            "POST /x",
            "GET /x HTTP/1.1\r\n",
            "GET /x\r\nHost: a\r\n",
        ] {
            assert_eq!(path(wrong.as_bytes()), None, "{wrong:?}");
        }
    }
}
