//! What server and client do alike with a quiche connection.

use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::body::BytesFactory;
use crate::http09;
use crate::socket::Datagram;
use crate::text::beginning;

/// A quiche connection whose bodies are sent without copying.
pub type Connection = quiche::Connection<BytesFactory>;

/// Length of the connection ids that this endpoint issues, in bytes.
pub const CONNECTION_ID_LENGTH: usize = 16;

/// HTTP/3 error codes (RFC 9114, section 8.1) that this endpoint sends.
pub mod h3_code {
    pub const NO_ERROR: u64 = 0x100;
    pub const INTERNAL_ERROR: u64 = 0x102;
    pub const REQUEST_REJECTED: u64 = 0x10b;
    pub const REQUEST_CANCELLED: u64 = 0x10c;
    pub const REQUEST_INCOMPLETE: u64 = 0x10d;
}

/// The longest time for which a datagram is believed to have waited for us. Beyond it the wall
/// clock was set.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Bytes of a peer's own words about the end of a connection; a packet could carry 64 KiB of them.
const LONGEST_REASON: usize = 256;

/// Hands a datagram to quiche, with its ECN bits and the time at which the kernel received it.
pub fn receive(conn: &mut Connection, datagram: Datagram<'_>) -> quiche::Result<usize> {
    let info = quiche::RecvInfo {
        from: datagram.from,
        to: datagram.to,
    };
    let mut meta = quiche::RecvMeta::default();
    meta.ecn = match datagram.ecn {
        None => quiche::EcnCodepoint::NotEct,
        Some(quinn_udp::EcnCodepoint::Ect0) => quiche::EcnCodepoint::Ect0,
        Some(quinn_udp::EcnCodepoint::Ect1) => quiche::EcnCodepoint::Ect1,
        Some(quinn_udp::EcnCodepoint::Ce) => quiche::EcnCodepoint::Ce,
    };
    meta.received_at = datagram.received_at.and_then(monotonic);
    conn.recv_with_meta(datagram.data, info, meta)
}

/// The kernel's receive time, which is on the wall clock, on the monotonic one.
fn monotonic(since_epoch: Duration) -> Option<Instant> {
    let now = Instant::now();
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let waited = wall.checked_sub(since_epoch)?;
    (waited <= MAX_WAIT).then(|| now - waited)
}

/// A fresh connection id that nobody can guess.
pub fn random_connection_id() -> quiche::ConnectionId<'static> {
    let mut id = [0; CONNECTION_ID_LENGTH];
    fill_random(&mut id);
    quiche::ConnectionId::from_vec(id.to_vec())
}

/// A number that nobody can guess.
pub fn random_number() -> u64 {
    let mut bytes = [0; 8];
    fill_random(&mut bytes);
    u64::from_ne_bytes(bytes)
}

/// Fills `out` from the operating system's random generator.
pub fn fill_random(out: &mut [u8]) {
    use ring::rand::SecureRandom;
    ring::rand::SystemRandom::new()
        .fill(out)
        .expect("the system's random generator works");
}

/// Offers the peer as many connection ids as it takes, so that it can change paths, each `fresh` and
/// with the stateless reset token that `reset_token` gives it. Returns the new ones.
pub fn issue_connection_ids(
    conn: &mut Connection,
    fresh: impl Fn() -> quiche::ConnectionId<'static>,
    reset_token: impl Fn(&[u8]) -> [u8; 16],
) -> Vec<quiche::ConnectionId<'static>> {
    let mut issued = Vec::new();
    while conn.scids_left() > 0 {
        let id = fresh();
        let token = u128::from_be_bytes(reset_token(&id));
        if conn.new_scid(&id, token, false).is_err() {
            break;
        }
        issued.push(id);
    }
    issued
}

/// A stateless reset token that nobody knows, for an endpoint that sends no resets.
pub fn random_reset_token() -> [u8; 16] {
    let mut token = [0; 16];
    fill_random(&mut token);
    token
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The code with which a connection is closed when all went well, in the protocol that is spoken on
/// it.
pub fn no_error_code(conn: &Connection) -> u64 {
    if http09::is_spoken(conn) {
        http09::code::NO_ERROR
    } else {
        h3_code::NO_ERROR
    }
}

/// Says in words why a connection ended, from quiche's record of it.
pub fn close_reason(error: &quiche::ConnectionError) -> String {
    let code = error.error_code;
    let text = beginning(&error.reason, LONGEST_REASON);
    let mut said = match (error.is_app, code) {
        (true, h3_code::NO_ERROR | http09::code::NO_ERROR) => "no error".to_owned(),
        (true, code) => format!("HTTP/3 error {code:#x}"),
        // RFC 9000, section 20.1: CRYPTO_ERROR carries a TLS alert.
        (false, 0x100..=0x1ff) => format!("TLS alert {}{}", code - 0x100, alert_name(code - 0x100)),
        (false, code) => format!("QUIC error {code:#x}"),
    };
    if !text.is_empty() {
        let _ = write!(said, " ({text})");
    }
    said
}

/// Says in words why a server's connection ended.
pub fn reason_of_end(conn: &Connection) -> String {
    match (conn.peer_error(), conn.local_error()) {
        (Some(error), _) => format!("closed by the client: {}", close_reason(error)),
        (None, Some(error)) => format!("closed: {}", close_reason(error)),
        (None, None) if conn.is_timed_out() => "timed out".to_owned(),
        (None, None) => "dropped".to_owned(),
    }
}

/// The alerts (RFC 8446, section 6) that a user can do something about.
fn alert_name(alert: u64) -> &'static str {
    match alert {
        40 => " (handshake_failure)",
        42 => " (bad_certificate)",
        45 => " (certificate_expired)",
        46 => " (certificate_unknown)",
        48 => " (unknown_ca: the certificate is not trusted)",
        120 => " (no_application_protocol)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_told_in_short() {
        let error = quiche::ConnectionError {
            is_app: true,
            error_code: 0x10c,
            reason: "ä".repeat(30_000).into_bytes(),
        };
        let told = close_reason(&error);
        assert!(told.starts_with("HTTP/3 error 0x10c (ää"), "{told}");
        assert!(told.ends_with("ä…)") && told.len() < 300, "{told}");
    }
}
