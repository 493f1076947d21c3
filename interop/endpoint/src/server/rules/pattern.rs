//! Patterns of host names.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

const ALLOWED: &str = "a name such as video.example.org, or *.example.org for all names below one";

/// A name, or all names below one. Upper and lower case are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostPattern {
    Exactly(String),
    /// What follows the `*`, with its dot.
    Below(String),
}

impl HostPattern {
    /// Whether `host` is meant. A dot at its end makes no difference.
    pub fn matches(&self, host: &str) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        match self {
            Self::Exactly(name) => host == *name,
            Self::Below(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
        }
    }
}

impl FromStr for HostPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = |why: &str| Err(format!("host \"{text}\" {why}; allowed is {ALLOWED}"));
        if text.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() {
            return refuse("is an address, and clients send none as a server name (use client=)");
        }
        let below = text.strip_prefix("*.");
        let name = below.unwrap_or(text).to_ascii_lowercase();
        let label = |label: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
            (1..=63).contains(&label.len()) && label.bytes().all(plain)
        };
        if name.len() > 253 || !name.split('.').all(label) {
            return refuse("is no host name");
        }
        Ok(match below {
            Some(_) => Self::Below(format!(".{name}")),
            None => Self::Exactly(name),
        })
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(name) => f.write_str(name),
            Self::Below(suffix) => write!(f, "*{suffix}"),
        }
    }
}
