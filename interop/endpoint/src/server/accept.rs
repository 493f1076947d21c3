//! What to do with a datagram that belongs to no connection.

use std::net::SocketAddr;

use quiche::{ConnectionId, Header, Type};

use super::token::TokenMint;
use crate::connection::random_connection_id;

/// Smallest datagram that may start a connection (RFC 9000, section 14.1).
const MIN_INITIAL: usize = 1200;

/// Longest answer to such a datagram: a Retry packet with its token.
const MAX_ANSWER: usize = 512;

/// The decision.
pub enum Arrival {
    /// A new connection.
    Accept {
        /// The id that this server uses.
        id: ConnectionId<'static>,
        /// The id that the client chose for the server in its very first packet.
        original_id: ConnectionId<'static>,
        /// Whether a Retry packet preceded, so that the client's address is validated.
        retried: bool,
    },
    /// A stateless answer: Version Negotiation or Retry.
    Answer(Vec<u8>),
    /// Nothing that can be answered.
    Ignore(&'static str),
}

/// Decides about a datagram of `size` bytes that starts with `header`.
pub fn decide(
    header: &Header<'_>,
    size: usize,
    from: SocketAddr,
    retry: Option<&TokenMint>,
) -> Arrival {
    if header.ty == Type::Short {
        return Arrival::Ignore("packet of an unknown connection");
    }
    // An answer to a small datagram would help to amplify an attack on a forged address.
    if size < MIN_INITIAL {
        return Arrival::Ignore("datagram too small for a new connection");
    }
    if !quiche::version_is_supported(header.version) {
        return answer(|out| quiche::negotiate_version(&header.scid, &header.dcid, out));
    }
    if header.ty != Type::Initial {
        return Arrival::Ignore("not an Initial packet");
    }
    match retry {
        Some(mint) => with_retry(header, from, mint),
        None => accept(&header.dcid),
    }
}

fn accept(original_id: &ConnectionId<'_>) -> Arrival {
    // RFC 9000, section 7.2: at least 8 bytes that cannot be predicted.
    if original_id.len() < 8 {
        return Arrival::Ignore("connection id shorter than 8 bytes");
    }
    let original_id = original_id.clone().into_owned();
    Arrival::Accept {
        id: random_connection_id(),
        original_id,
        retried: false,
    }
}

fn with_retry(header: &Header<'_>, from: SocketAddr, mint: &TokenMint) -> Arrival {
    let token = header.token.as_deref().unwrap_or_default();
    if token.is_empty() {
        let id = random_connection_id();
        let token = mint.mint(from, &header.dcid);
        let (scid, dcid) = (&header.scid, &header.dcid);
        return answer(|out| quiche::retry(scid, dcid, &id, &token, header.version, out));
    }
    match mint.check(from, token) {
        Some(original_id) => Arrival::Accept {
            // The client now uses the id from the Retry packet.
            id: header.dcid.clone().into_owned(),
            original_id: ConnectionId::from_vec(original_id),
            retried: true,
        },
        None => Arrival::Ignore("invalid or outdated token"),
    }
}

fn answer(write: impl FnOnce(&mut [u8]) -> quiche::Result<usize>) -> Arrival {
    let mut out = vec![0; MAX_ANSWER];
    match write(&mut out) {
        Ok(length) => {
            out.truncate(length);
            Arrival::Answer(out)
        }
        Err(_) => Arrival::Ignore("header that cannot be answered"),
    }
}
