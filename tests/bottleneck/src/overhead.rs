//! How many bytes a UDP datagram occupies on a link.

use std::fmt;
use std::str::FromStr;

use crate::units::ParseError;

/// IPv4 header without options (RFC 791) and UDP header (RFC 768).
const IPV4_UDP: u32 = 20 + 8;
/// IPv6 header (RFC 8200) and UDP header.
const IPV6_UDP: u32 = 40 + 8;

/// Bytes counted per datagram beyond its UDP payload.
///
/// Parses from `ip` or a number of bytes (0 to 1000). With `0` a link of 1 Mbit/s carries 1 Mbit/s of
/// UDP payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overhead {
    /// The IP and UDP headers: 28 bytes on IPv4, 48 on IPv6. The rate is then one of IP
    /// packets, which is what a router's queue or a shaper at the IP layer counts.
    #[default]
    IpUdp,
    /// A fixed number of bytes.
    Bytes(u32),
}

impl Overhead {
    /// The size on the link of a datagram with `payload` bytes of UDP payload.
    pub fn size(self, payload: usize, ipv6: bool) -> u32 {
        let extra = match self {
            Self::IpUdp if ipv6 => IPV6_UDP,
            Self::IpUdp => IPV4_UDP,
            Self::Bytes(bytes) => bytes,
        };
        u32::try_from(payload)
            .unwrap_or(u32::MAX)
            .saturating_add(extra)
    }
}

impl FromStr for Overhead {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match (text, text.parse()) {
            ("ip", _) => Ok(Self::IpUdp),
            (_, Ok(bytes @ 0..=1000)) => Ok(Self::Bytes(bytes)),
            _ => Err(ParseError::new(
                "overhead",
                text,
                "`ip` (28 bytes on IPv4, 48 on IPv6) or a number of bytes from 0 to 1000",
            )),
        }
    }
}

impl fmt::Display for Overhead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IpUdp => f.write_str("ip"),
            Self::Bytes(bytes) => write!(f, "{bytes}"),
        }
    }
}
