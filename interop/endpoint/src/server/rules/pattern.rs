//! Patterns of host names and of paths in URLs.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

const HOSTS: &str = "a name such as video.example.org, or *.example.org for all names below one";

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
        let refuse = |why: &str| Err(format!("host \"{text}\" {why}; allowed is {HOSTS}"));
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

const PATHS: &str = "a path such as /live/index.m3u8, with one * for any text: /live/* or *.mp4";

/// A path, in which one `*` stands for any text. It is compared as it was sent, without the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPattern {
    Exactly(String),
    /// What stands before and behind the `*`.
    Around(String, String),
}

impl PathPattern {
    /// Whether `path` is meant, which may have a query.
    pub fn matches(&self, path: &str) -> bool {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        match self {
            Self::Exactly(exact) => path == exact,
            Self::Around(before, behind) => {
                let rest = path.strip_prefix(before.as_str());
                rest.is_some_and(|rest| rest.ends_with(behind.as_str()))
            }
        }
    }
}

impl FromStr for PathPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = |byte: u8| byte.is_ascii_control() || b" ?#".contains(&byte);
        if !text.starts_with(['/', '*']) || text.bytes().any(bad) || text.matches('*').count() > 1 {
            return Err(format!("path \"{text}\" is no pattern; allowed is {PATHS}"));
        }
        Ok(match text.split_once('*') {
            Some((before, behind)) => Self::Around(before.to_owned(), behind.to_owned()),
            None => Self::Exactly(text.to_owned()),
        })
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(path) => f.write_str(path),
            Self::Around(before, behind) => write!(f, "{before}*{behind}"),
        }
    }
}
