//! Retry tokens (RFC 9000, section 8.1.2): stateless, bound to the client's address and to the
//! connection id that the Retry packet gives, short-lived.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use quiche::ConnectionId;
use ring::hmac;

use super::secret::Secret;
use crate::connection::CONNECTION_ID_LENGTH;

/// How long a client may take to answer a Retry packet.
const LIFETIME: Duration = Duration::from_secs(20);

/// How long one key serves.
const KEY_LIFETIME: Duration = Duration::from_secs(3600);

/// What Retry tokens begin with. RFC 9000, section 8.1.1: they have to be told from others, such as
/// those that a client has from a NEW_TOKEN frame of another server at this address.
const MARK: [u8; 4] = *b"rtry";

const EXPIRY_LENGTH: usize = 8;
const TAG_LENGTH: usize = 32;

/// What a client's token is.
#[derive(Debug, PartialEq, Eq)]
pub enum Token {
    /// Ours, fresh, and made for this client.
    Retried {
        /// The id that the client chose for the server in its very first packet.
        original_id: Vec<u8>,
    },
    /// A Retry token, but not for this client, too old, or damaged.
    Spoilt,
    /// None, or one of another kind, which proves nothing and is no fault (section 8.1.3).
    Foreign,
}

/// Makes and checks tokens. The key of a token belongs to the hour in which it expires, so keys rotate
/// by themselves, and no token is good for a key that is over.
///
/// A token is the mark, the expiry time (seconds, 8 bytes), the connection id that the client chose
/// first, and an HMAC-SHA256 over all of that, the client's address, and the id that the server gave
/// it.
pub struct TokenMint {
    secret: Secret,
    id_key: hmac::Key,
}

impl TokenMint {
    pub fn new(secret: Secret) -> Self {
        Self {
            id_key: secret.key(b"Retry id"),
            secret,
        }
    }

    fn key(&self, expiry: u64) -> hmac::Key {
        let hour = (expiry / KEY_LIFETIME.as_secs()).to_be_bytes();
        self.secret.key(&[b"Retry token", &hour[..]].concat())
    }

    /// The connection id that a Retry packet gives to the client at `client` that chose `original_id`.
    /// It is the same each time, since a first flight of several packets draws several Retry packets;
    /// nobody else can predict it.
    pub fn id(&self, client: SocketAddr, original_id: &[u8]) -> ConnectionId<'static> {
        let tag = hmac::sign(&self.id_key, &signed(client, &[], original_id));
        ConnectionId::from_vec(tag.as_ref()[..CONNECTION_ID_LENGTH].to_vec())
    }

    /// A token for the client at `client` that chose `original_id` and is to use `id` from now on.
    pub fn mint(&self, client: SocketAddr, id: &[u8], original_id: &[u8]) -> Vec<u8> {
        self.mint_at(client, id, original_id, SystemTime::now())
    }

    /// What the token is that the client at `client` shows in a packet to `id`.
    pub fn check(&self, client: SocketAddr, id: &[u8], token: &[u8]) -> Token {
        self.check_at(client, id, token, SystemTime::now())
    }

    fn mint_at(
        &self,
        client: SocketAddr,
        id: &[u8],
        original_id: &[u8],
        now: SystemTime,
    ) -> Vec<u8> {
        let mut content = MARK.to_vec();
        let expiry = seconds(now) + LIFETIME.as_secs();
        content.extend_from_slice(&expiry.to_be_bytes());
        content.extend_from_slice(original_id);
        let tag = hmac::sign(&self.key(expiry), &signed(client, id, &content));
        content.extend_from_slice(tag.as_ref());
        content
    }

    fn check_at(&self, client: SocketAddr, id: &[u8], token: &[u8], now: SystemTime) -> Token {
        if !token.starts_with(&MARK) {
            return Token::Foreign;
        }
        match self.open(client, id, token, now) {
            Some(original_id) => Token::Retried { original_id },
            None => Token::Spoilt,
        }
    }

    fn open(
        &self,
        client: SocketAddr,
        id: &[u8],
        token: &[u8],
        now: SystemTime,
    ) -> Option<Vec<u8>> {
        let content_length = token.len().checked_sub(TAG_LENGTH)?;
        let (content, tag) = token.split_at(content_length);
        let (expiry, original_id) = content
            .strip_prefix(&MARK)?
            .split_at_checked(EXPIRY_LENGTH)?;
        let expiry = u64::from_be_bytes(expiry.try_into().ok()?);
        hmac::verify(&self.key(expiry), &signed(client, id, content), tag).ok()?;
        (seconds(now) <= expiry).then(|| original_id.to_vec())
    }
}

/// All that the tag vouches for. No two parts can be taken for each other: an address has one of two
/// lengths, which its first byte tells, and so is the id's told.
fn signed(client: SocketAddr, id: &[u8], content: &[u8]) -> Vec<u8> {
    let address = match client.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let mut message = vec![address.len() as u8, id.len() as u8];
    message.extend_from_slice(&address);
    message.extend_from_slice(&client.port().to_be_bytes());
    message.extend_from_slice(id);
    message.extend_from_slice(content);
    message
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &[u8] = b"given";

    #[test]
    fn a_token_is_good_for_its_client_its_mint_its_id_and_its_time_only() {
        let (mint, now) = (TokenMint::new(Secret::random()), SystemTime::now());
        let client: SocketAddr = "127.0.0.1:1000".parse().unwrap();
        let token = mint.mint_at(client, ID, b"original", now);
        let good = Token::Retried {
            original_id: b"original".to_vec(),
        };
        assert_eq!(mint.check_at(client, ID, &token, now), good);
        for other in ["127.0.0.1:1001", "127.0.0.2:1000"] {
            let checked = mint.check_at(other.parse().unwrap(), ID, &token, now);
            assert_eq!(checked, Token::Spoilt, "{other}");
        }
        let late = now + LIFETIME * 2;
        assert_eq!(mint.check_at(client, ID, &token, late), Token::Spoilt);
        assert_eq!(mint.check_at(client, b"give", &token, now), Token::Spoilt);
        let other = TokenMint::new(Secret::random());
        assert_eq!(other.check_at(client, ID, &token, now), Token::Spoilt);
    }

    #[test]
    fn a_token_with_any_bit_flipped_or_any_length_cut_is_refused() {
        let (mint, now) = (TokenMint::new(Secret::random()), SystemTime::now());
        let client: SocketAddr = "[::1]:1000".parse().unwrap();
        let token = mint.mint_at(client, ID, b"original", now);
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
            refused(&bad, bit / 8 >= MARK.len());
        }
        for length in 0..token.len() {
            refused(&token[..length], length >= MARK.len());
        }
    }
}
