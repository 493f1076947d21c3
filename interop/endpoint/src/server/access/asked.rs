//! What a client asked for, in its words.

use quiche::h3::{Header, NameValue};

use crate::text::beginning;

/// In bytes of UTF-8. More of a field says nothing to who reads a log, and takes memory until the
/// response is delivered.
const LONGEST: usize = 1024;

/// What of a request goes into the log, whether or not it is well-formed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Asked {
    pub method: Option<String>,
    pub host: Option<String>,
    pub path: Option<String>,
    pub user_agent: Option<String>,
}

impl Asked {
    /// Of a request in HTTP/3.
    pub fn by_fields(list: &[Header]) -> Self {
        let field = |name: &[u8]| {
            let found = list.iter().find(|header| header.name() == name);
            found.map(|header| beginning(header.value(), LONGEST))
        };
        Self {
            method: field(b":method"),
            host: field(b":authority").or_else(|| field(b"host")),
            path: field(b":path"),
            user_agent: field(b"user-agent"),
        }
    }

    /// Of one in HTTP/0.9, which has a path only.
    pub fn by_path(path: &[u8]) -> Self {
        Self {
            method: Some("GET".to_owned()),
            path: Some(beginning(path, LONGEST)),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_malformed_or_long_is_told_as_far_as_it_goes() {
        let long = vec![b'x'; 5000];
        let list = [
            Header::new(b"host", b"a"),
            Header::new(b":path", b"\xff/\x1b"),
            Header::new(b"user-agent", &long),
        ];
        let asked = Asked::by_fields(&list);
        assert_eq!((asked.method, asked.host), (None, Some("a".to_owned())));
        assert_eq!(asked.path.as_deref(), Some("\u{fffd}/\x1b"));
        let agent = asked.user_agent.unwrap();
        assert_eq!(agent.strip_suffix('…').unwrap().len(), LONGEST);
        let strange = Asked::by_path(&[0xff; 5000]).path.unwrap();
        assert!(strange.strip_suffix('…').unwrap().len() <= LONGEST);
    }
}
