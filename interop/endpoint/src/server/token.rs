//! Retry tokens (RFC 9000, section 8.1.2): stateless, bound to the client's address, short-lived.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ring::hmac;

/// How long a client may take to answer a Retry packet.
const LIFETIME: Duration = Duration::from_secs(20);

const EXPIRY_LENGTH: usize = 8;
const TAG_LENGTH: usize = 32;

/// Makes and checks tokens with a key of its own.
///
/// A token is the expiry time (seconds, 8 bytes), the connection id that the client chose first,
/// and an HMAC-SHA256 over both and the client's address.
pub struct TokenMint {
    key: hmac::Key,
}

impl TokenMint {
    pub fn new() -> Self {
        let mut secret = [0; 32];
        crate::connection::fill_random(&mut secret);
        Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, &secret),
        }
    }

    /// A token for the client at `client` that chose `original_id`.
    pub fn mint(&self, client: SocketAddr, original_id: &[u8]) -> Vec<u8> {
        self.mint_at(client, original_id, SystemTime::now())
    }

    /// The client's first connection id, if the token is ours, fresh, and made for this address.
    pub fn check(&self, client: SocketAddr, token: &[u8]) -> Option<Vec<u8>> {
        self.check_at(client, token, SystemTime::now())
    }

    fn mint_at(&self, client: SocketAddr, original_id: &[u8], now: SystemTime) -> Vec<u8> {
        let mut token = (seconds(now) + LIFETIME.as_secs()).to_be_bytes().to_vec();
        token.extend_from_slice(original_id);
        let tag = hmac::sign(&self.key, &signed(client, &token));
        token.extend_from_slice(tag.as_ref());
        token
    }

    fn check_at(&self, client: SocketAddr, token: &[u8], now: SystemTime) -> Option<Vec<u8>> {
        let content_length = token.len().checked_sub(TAG_LENGTH)?;
        let (content, tag) = token.split_at(content_length);
        hmac::verify(&self.key, &signed(client, content), tag).ok()?;
        let (expiry, original_id) = content.split_at_checked(EXPIRY_LENGTH)?;
        let expiry = u64::from_be_bytes(expiry.try_into().ok()?);
        (seconds(now) <= expiry).then(|| original_id.to_vec())
    }
}

fn signed(client: SocketAddr, content: &[u8]) -> Vec<u8> {
    let mut message = match client.ip() {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    message.extend_from_slice(&client.port().to_be_bytes());
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

    #[test]
    fn a_token_is_good_for_its_client_its_mint_and_its_time_only() {
        let (mint, now) = (TokenMint::new(), SystemTime::now());
        let client: SocketAddr = "127.0.0.1:1000".parse().unwrap();
        let token = mint.mint_at(client, b"original", now);
        assert_eq!(
            mint.check_at(client, &token, now),
            Some(b"original".to_vec())
        );
        assert_eq!(
            mint.check_at("127.0.0.1:1001".parse().unwrap(), &token, now),
            None
        );
        assert_eq!(
            mint.check_at("127.0.0.2:1000".parse().unwrap(), &token, now),
            None
        );
        assert_eq!(mint.check_at(client, &token, now + LIFETIME * 2), None);
        assert_eq!(TokenMint::new().check_at(client, &token, now), None);
    }

    #[test]
    fn a_token_with_any_bit_flipped_or_any_length_cut_is_refused() {
        let (mint, now) = (TokenMint::new(), SystemTime::now());
        let client: SocketAddr = "[::1]:1000".parse().unwrap();
        let token = mint.mint_at(client, b"original", now);
        for bit in 0..token.len() * 8 {
            let mut bad = token.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(mint.check_at(client, &bad, now), None, "bit {bit}");
        }
        for length in 0..token.len() {
            assert_eq!(
                mint.check_at(client, &token[..length], now),
                None,
                "length {length}"
            );
        }
    }
}
