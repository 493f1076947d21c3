//! What to do with a datagram that belongs to no connection.

use std::net::SocketAddr;

use quiche::{ConnectionId, Header, Type};

use super::token::{Token, TokenMint};
use crate::steering::Ids;

/// Smallest datagram that may start a connection (RFC 9000, section 14.1).
const MIN_INITIAL: usize = 1200;

/// Longest answer to such a datagram: a Retry packet with its token.
const MAX_ANSWER: usize = 512;

/// The decision.
#[derive(Debug)]
pub enum Arrival {
    /// A new connection.
    Accept {
        /// The id that this server uses.
        id: ConnectionId<'static>,
        /// The id that the client chose for the server in its very first packet.
        original_id: ConnectionId<'static>,
        proof: Proof,
    },
    /// A Retry packet, without any state.
    Retry(Vec<u8>),
    /// A Version Negotiation packet, likewise.
    Negotiate(Vec<u8>),
    /// A stateless reset, likewise.
    Reset(Vec<u8>),
    /// Nothing that can be answered.
    Ignore(&'static str),
}

/// What shows that a new client is where it claims to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Nothing yet.
    None,
    /// The token of an earlier connection.
    NewToken,
    /// The token of a Retry packet that preceded.
    Retry,
}

/// Decides about a datagram of `size` bytes that starts with `header`. Clients have to `validate`
/// their address if there are too many whose address is not.
pub fn decide(
    header: &Header<'_>,
    size: usize,
    from: SocketAddr,
    tokens: &TokenMint,
    ids: &Ids,
    validate: bool,
) -> Arrival {
    // An answer to a small datagram would help to amplify an attack on a forged address.
    if size < MIN_INITIAL {
        return Arrival::Ignore("datagram too small for a new connection");
    }
    // RFC 9000, section 6.1: nor are two servers to answer each other.
    if header.ty == Type::VersionNegotiation {
        return Arrival::Ignore("a Version Negotiation packet");
    }
    if !quiche::version_is_supported(header.version) {
        return answer(Arrival::Negotiate, |out| {
            quiche::negotiate_version(&header.scid, &header.dcid, out)
        });
    }
    if header.ty != Type::Initial {
        return Arrival::Ignore("not an Initial packet");
    }
    let token = header.token.as_deref().unwrap_or_default();
    match tokens.check(from, &header.dcid, token) {
        Token::Retried { original_id } => Arrival::Accept {
            // The client now uses the id from the Retry packet.
            id: header.dcid.clone().into_owned(),
            original_id: ConnectionId::from_vec(original_id),
            proof: Proof::Retry,
        },
        // RFC 9000, section 8.1.2: such a client accepts no second Retry packet.
        Token::Spoilt => Arrival::Ignore("invalid or outdated Retry token"),
        // RFC 9000, section 7.2: at least 8 bytes that cannot be predicted.
        _ if header.dcid.len() < 8 => Arrival::Ignore("connection id shorter than 8 bytes"),
        Token::Known => begin(header, ids, Proof::NewToken),
        Token::Foreign if validate => retry(header, from, tokens),
        Token::Foreign => begin(header, ids, Proof::None),
    }
}

fn begin(header: &Header<'_>, ids: &Ids, proof: Proof) -> Arrival {
    Arrival::Accept {
        id: ids.fresh(),
        original_id: header.dcid.clone().into_owned(),
        proof,
    }
}

fn retry(header: &Header<'_>, from: SocketAddr, tokens: &TokenMint) -> Arrival {
    let id = tokens.id(from, &header.dcid);
    let token = tokens.retry(from, &id, &header.dcid);
    let (scid, dcid) = (&header.scid, &header.dcid);
    answer(Arrival::Retry, |out| {
        quiche::retry(scid, dcid, &id, &token, header.version, out)
    })
}

fn answer(
    kind: fn(Vec<u8>) -> Arrival,
    write: impl FnOnce(&mut [u8]) -> quiche::Result<usize>,
) -> Arrival {
    let mut out = vec![0; MAX_ANSWER];
    match write(&mut out) {
        Ok(length) => {
            out.truncate(length);
            kind(out)
        }
        Err(_) => Arrival::Ignore("header that cannot be answered"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::secret::Secret;
    use super::super::spent::Spent;
    use super::*;
    use crate::connection::CONNECTION_ID_LENGTH;

    fn client() -> SocketAddr {
        "127.0.0.1:1000".parse().unwrap()
    }

    /// The header of RFC 9000, section 17.2.2, up to its token.
    fn initial(dcid: &[u8], token: &[u8]) -> Header<'static> {
        let mut packet = vec![0xc0];
        packet.extend_from_slice(&quiche::PROTOCOL_VERSION.to_be_bytes());
        packet.push(dcid.len() as u8);
        packet.extend_from_slice(dcid);
        packet.extend_from_slice(&[2, 1, 1]);
        packet.extend_from_slice(&(0x4000 | token.len() as u16).to_be_bytes());
        packet.extend_from_slice(token);
        Header::from_slice(&mut packet, CONNECTION_ID_LENGTH).unwrap()
    }

    #[test]
    fn only_what_is_no_version_negotiation_itself_is_answered_with_one() {
        let tokens = TokenMint::new(Secret::random(), Spent::default());
        let decided = |version: u32| {
            let mut packet = [&[0xc0][..], &version.to_be_bytes(), &[8], &[2; 8], &[1, 1]].concat();
            packet.extend_from_slice(&quiche::PROTOCOL_VERSION.to_be_bytes());
            packet.resize(1200, 0);
            let header = Header::from_slice(&mut packet, CONNECTION_ID_LENGTH).unwrap();
            decide(&header, 1200, client(), &tokens, &Ids::default(), true)
        };
        assert!(matches!(decided(0x1a2a_3a4a), Arrival::Negotiate(_)));
        assert!(matches!(decided(0), Arrival::Ignore(_)));
    }

    #[test]
    fn a_token_that_is_no_retry_token_is_as_good_as_none() {
        let tokens = TokenMint::new(Secret::random(), Spent::default());
        for token in [&[][..], &[7; 3], &[0; 300]] {
            let header = initial(&[2; 8], token);
            let easy = decide(&header, 1200, client(), &tokens, &Ids::default(), false);
            assert!(
                matches!(
                    easy,
                    Arrival::Accept {
                        proof: Proof::None,
                        ..
                    }
                ),
                "{easy:?}"
            );
            let strict = decide(&header, 1200, client(), &tokens, &Ids::default(), true);
            assert!(matches!(strict, Arrival::Retry(_)), "{strict:?}");
        }
    }

    #[test]
    fn a_client_that_is_known_gets_no_retry_once() {
        let tokens = TokenMint::new(Secret::random(), Spent::default());
        let header = initial(&[2; 8], &tokens.new_token(client().ip()));
        let shown = || decide(&header, 1200, client(), &tokens, &Ids::default(), true);
        let first = shown();
        let Arrival::Accept {
            original_id,
            proof: Proof::NewToken,
            ..
        } = first
        else {
            panic!("{first:?}");
        };
        assert_eq!(original_id, header.dcid);
        let again = shown();
        assert!(matches!(again, Arrival::Retry(_)), "{again:?}");
    }

    #[test]
    fn a_retry_is_good_for_the_id_that_it_gave_only() {
        let tokens = TokenMint::new(Secret::random(), Spent::default());
        let first = initial(&[2; 8], &[]);
        let Arrival::Retry(mut packet) =
            decide(&first, 1200, client(), &tokens, &Ids::default(), true)
        else {
            panic!("no Retry");
        };
        let retry = Header::from_slice(&mut packet, CONNECTION_ID_LENGTH).unwrap();
        let token = retry.token.unwrap();
        // Also if no validation is asked for any more.
        for validate in [true, false] {
            let second = initial(&retry.scid, &token);
            let good = decide(&second, 1200, client(), &tokens, &Ids::default(), validate);
            let Arrival::Accept {
                id,
                original_id,
                proof: Proof::Retry,
            } = good
            else {
                panic!("{good:?}");
            };
            assert_eq!((id, original_id), (retry.scid.clone(), first.dcid.clone()));
            for other in [&[][..], &[3], &[2; 8], &[4; 16], &[5; 20]] {
                let bad = decide(
                    &initial(other, &token),
                    1200,
                    client(),
                    &tokens,
                    &Ids::default(),
                    validate,
                );
                assert!(matches!(bad, Arrival::Ignore(_)), "{other:?}: {bad:?}");
            }
        }
    }

    #[test]
    fn all_packets_of_a_first_flight_are_given_the_same_id() {
        let tokens = TokenMint::new(Secret::random(), Spent::default());
        let given = |dcid: &[u8]| {
            let header = initial(dcid, &[]);
            let Arrival::Retry(mut packet) =
                decide(&header, 1200, client(), &tokens, &Ids::default(), true)
            else {
                panic!("no Retry");
            };
            let retry = Header::from_slice(&mut packet, CONNECTION_ID_LENGTH).unwrap();
            retry.scid.to_vec()
        };
        assert_eq!(given(&[2; 8]), given(&[2; 8]));
        assert_ne!(given(&[2; 8]), given(&[3; 8]));
    }

    #[test]
    fn an_id_that_is_too_short_gets_nothing() {
        let tokens = TokenMint::new(Secret::random(), Spent::default());
        for validate in [true, false] {
            let header = initial(&[2; 7], &[]);
            let decided = decide(&header, 1200, client(), &tokens, &Ids::default(), validate);
            assert!(matches!(decided, Arrival::Ignore(_)), "{decided:?}");
        }
    }
}
