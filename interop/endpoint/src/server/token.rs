//! Tokens by which clients prove their address, all stateless: those of Retry packets (RFC 9000,
//! section 8.1.2), bound to address, port and the connection id that the packet gives, and valid for
//! seconds; and those of NEW_TOKEN frames (section 8.1.3), for a later connection from the same
//! address.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quiche::ConnectionId;
use ring::hmac;

use super::secret::Secret;
use super::spent::Spent;
use crate::connection::{fill_random, CONNECTION_ID_LENGTH};

/// How long a client may take to answer a Retry packet.
const RETRY_LIFETIME: Duration = Duration::from_secs(20);

/// How long it may take to come back.
const NEW_TOKEN_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// How long one key serves.
const KEY_LIFETIME: Duration = Duration::from_secs(3600);

const NONCE_LENGTH: usize = 16;
const EXPIRY_LENGTH: usize = 8;
const TAG_LENGTH: usize = 32;

/// A kind of token. RFC 9000, section 8.1.1: they have to be told from each other.
struct Kind {
    /// What it begins with.
    mark: [u8; 4],
    /// What its keys are derived from, with the hour.
    purpose: &'static [u8],
    lifetime: Duration,
}

const RETRY: Kind = Kind {
    mark: *b"rtry",
    purpose: b"Retry token",
    lifetime: RETRY_LIFETIME,
};
const NEW_TOKEN: Kind = Kind {
    mark: *b"next",
    purpose: b"NEW_TOKEN token",
    lifetime: NEW_TOKEN_LIFETIME,
};

/// What a client's token is.
#[derive(Debug, PartialEq, Eq)]
pub enum Token {
    /// Of a Retry packet, ours, fresh, and made for this client.
    Retried {
        /// The id that the client chose for the server in its very first packet.
        original_id: Vec<u8>,
    },
    /// Of a NEW_TOKEN frame, ours, made for this address, and shown for the first time.
    Known,
    /// Of a Retry packet, but not for this client, too old, or damaged.
    Spoilt,
    /// None, or one that proves nothing and is no fault (section 8.1.3).
    Foreign,
}

/// Makes and checks tokens. The key of a token belongs to the hour in which it expires, so keys rotate
/// by themselves, and no token is good for a key that is over.
///
/// A token is its mark, the expiry time (seconds, 8 bytes), its content, and an HMAC-SHA256 over all
/// of that and whom it is for. Content of a Retry token is the connection id that the client chose
/// first; it is for an address with a port and for the id that the server gave. Content of the other
/// is random, and it is for an address.
pub struct TokenMint {
    secret: Secret,
    id_key: hmac::Key,
    spent: Spent,
}

impl TokenMint {
    /// Mints with the same secret take each other's tokens; which are `spent` they have to share.
    pub fn new(secret: Secret, spent: Spent) -> Self {
        Self {
            id_key: secret.key(b"Retry id"),
            secret,
            spent,
        }
    }

    /// The connection id that a Retry packet gives to the client at `client` that chose `original_id`.
    /// It is the same each time, since a first flight of several packets draws several Retry packets;
    /// nobody else can predict it.
    pub fn id(&self, client: SocketAddr, original_id: &[u8]) -> ConnectionId<'static> {
        let tag = hmac::sign(&self.id_key, &signed(&retried(client, &[]), original_id));
        ConnectionId::from_vec(tag.as_ref()[..CONNECTION_ID_LENGTH].to_vec())
    }

    /// A Retry token for the client at `client` that chose `original_id` and is to use `id` from now
    /// on.
    pub fn retry(&self, client: SocketAddr, id: &[u8], original_id: &[u8]) -> Vec<u8> {
        let owner = retried(client, id);
        self.mint(&RETRY, &owner, original_id, SystemTime::now())
    }

    /// A token for a later connection from `client`.
    pub fn new_token(&self, client: IpAddr) -> Vec<u8> {
        let mut nonce = [0; NONCE_LENGTH];
        fill_random(&mut nonce);
        self.mint(&NEW_TOKEN, &address(client), &nonce, SystemTime::now())
    }

    /// What the token is that the client at `client` shows in a packet to `id`.
    pub fn check(&self, client: SocketAddr, id: &[u8], token: &[u8]) -> Token {
        self.check_at(client, id, token, SystemTime::now())
    }

    fn check_at(&self, client: SocketAddr, id: &[u8], token: &[u8], now: SystemTime) -> Token {
        if token.starts_with(&RETRY.mark) {
            return match self.open(&RETRY, &retried(client, id), token, now) {
                Some(original_id) => Token::Retried {
                    original_id: original_id.to_vec(),
                },
                None => Token::Spoilt,
            };
        }
        match self.open(&NEW_TOKEN, &address(client.ip()), token, now) {
            Some(nonce) if self.spent.is_first(nonce) => Token::Known,
            _ => Token::Foreign,
        }
    }

    fn key(&self, kind: &Kind, expiry: u64) -> hmac::Key {
        let hour = (expiry / KEY_LIFETIME.as_secs()).to_be_bytes();
        self.secret.key(&[kind.purpose, &hour[..]].concat())
    }

    fn mint(&self, kind: &Kind, owner: &[u8], content: &[u8], now: SystemTime) -> Vec<u8> {
        let expiry = seconds(now) + kind.lifetime.as_secs();
        let mut token = [&kind.mark[..], &expiry.to_be_bytes(), content].concat();
        let tag = hmac::sign(&self.key(kind, expiry), &signed(owner, &token));
        token.extend_from_slice(tag.as_ref());
        token
    }

    /// The content of a token that is good.
    fn open<'t>(
        &self,
        kind: &Kind,
        owner: &[u8],
        token: &'t [u8],
        now: SystemTime,
    ) -> Option<&'t [u8]> {
        let length = token.len().checked_sub(TAG_LENGTH)?;
        let (vouched, tag) = token.split_at(length);
        let (expiry, content) = vouched
            .strip_prefix(&kind.mark)?
            .split_at_checked(EXPIRY_LENGTH)?;
        let expiry = u64::from_be_bytes(expiry.try_into().ok()?);
        hmac::verify(&self.key(kind, expiry), &signed(owner, vouched), tag).ok()?;
        (seconds(now) <= expiry).then_some(content)
    }
}

/// All that a tag vouches for. No two parts can be taken for each other, as the length of the first
/// is told.
fn signed(owner: &[u8], content: &[u8]) -> Vec<u8> {
    [&[owner.len() as u8], owner, content].concat()
}

/// Whom a Retry token is for. An address has one of two lengths, and all after the port is the id.
fn retried(client: SocketAddr, id: &[u8]) -> Vec<u8> {
    let mut owner = vec![client.is_ipv6().into()];
    owner.extend_from_slice(&address(client.ip()));
    owner.extend_from_slice(&client.port().to_be_bytes());
    owner.extend_from_slice(id);
    owner
}

fn address(ip: IpAddr) -> Vec<u8> {
    match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &[u8] = b"given";

    fn mint() -> TokenMint {
        TokenMint::new(Secret::random(), Spent::default())
    }

    fn client(address: &str) -> SocketAddr {
        address.parse().unwrap()
    }

    impl TokenMint {
        fn retry_at(&self, client: SocketAddr, id: &[u8], now: SystemTime) -> Vec<u8> {
            self.mint(&RETRY, &retried(client, id), b"original", now)
        }

        fn checked(&self, client: SocketAddr, token: &[u8]) -> Token {
            self.check(client, ID, token)
        }
    }

    #[test]
    fn a_retry_token_is_good_for_its_client_its_mint_its_id_and_its_time_only() {
        let (mint, now) = (mint(), SystemTime::now());
        let client: SocketAddr = "127.0.0.1:1000".parse().unwrap();
        let token = mint.retry_at(client, ID, now);
        let good = Token::Retried {
            original_id: b"original".to_vec(),
        };
        assert_eq!(mint.check_at(client, ID, &token, now), good);
        for other in ["127.0.0.1:1001", "127.0.0.2:1000"] {
            let checked = mint.check_at(other.parse().unwrap(), ID, &token, now);
            assert_eq!(checked, Token::Spoilt, "{other}");
        }
        let late = now + RETRY_LIFETIME * 2;
        assert_eq!(mint.check_at(client, ID, &token, late), Token::Spoilt);
        assert_eq!(mint.check_at(client, b"give", &token, now), Token::Spoilt);
        assert_eq!(self::mint().checked(client, &token), Token::Spoilt);
    }

    #[test]
    fn a_retry_token_with_any_bit_flipped_or_any_length_cut_is_refused() {
        let (mint, now) = (mint(), SystemTime::now());
        let client = client("[::1]:1000");
        let token = mint.retry_at(client, ID, now);
        let refused = |bad: &[u8], marked| {
            let expected = if marked {
                Token::Spoilt
            } else {
                Token::Foreign
            };
            assert_eq!(mint.check_at(client, ID, bad, now), expected, "{bad:?}");
        };
        for bit in 0..token.len() * 8 {
            let mut bad = token.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            refused(&bad, bit / 8 >= RETRY.mark.len());
        }
        for length in 0..token.len() {
            refused(&token[..length], length >= RETRY.mark.len());
        }
    }

    #[test]
    fn a_token_for_later_is_good_once_from_any_port_of_its_address() {
        let mint = mint();
        let first = client("192.0.2.1:1000");
        let [one, other] = [(); 2].map(|()| mint.new_token(first.ip()));
        assert_ne!(one, other, "who sees both can link the connections");
        assert_eq!(mint.checked(client("192.0.2.2:1000"), &one), Token::Foreign);
        assert_eq!(mint.checked(client("192.0.2.1:2000"), &one), Token::Known);
        assert_eq!(mint.checked(first, &one), Token::Foreign, "a second time");
        assert_eq!(mint.checked(first, &other), Token::Known);
    }

    #[test]
    fn a_token_for_later_is_good_for_its_mint_and_its_time_only() {
        let (mint, now) = (mint(), SystemTime::now());
        let client = client("[::1]:1000");
        let token = mint.new_token(client.ip());
        assert_eq!(self::mint().checked(client, &token), Token::Foreign);
        let late = now + NEW_TOKEN_LIFETIME + Duration::from_secs(2);
        assert_eq!(mint.check_at(client, ID, &token, late), Token::Foreign);
        for bit in 0..token.len() * 8 {
            let mut bad = token.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(mint.checked(client, &bad), Token::Foreign, "bit {bit}");
        }
        for length in 0..token.len() {
            assert_eq!(mint.checked(client, &token[..length]), Token::Foreign);
        }
        let late = now + NEW_TOKEN_LIFETIME - Duration::from_secs(2);
        assert_eq!(mint.check_at(client, ID, &token, late), Token::Known);
    }

    #[test]
    fn no_kind_passes_for_the_other() {
        let mint = mint();
        let client = client("127.0.0.1:1000");
        let mut retry = mint.retry(client, ID, b"original");
        retry[..4].copy_from_slice(&NEW_TOKEN.mark);
        assert_eq!(mint.checked(client, &retry), Token::Foreign);
        let mut later = mint.new_token(client.ip());
        later[..4].copy_from_slice(&RETRY.mark);
        assert_eq!(mint.checked(client, &later), Token::Spoilt);
    }
}
