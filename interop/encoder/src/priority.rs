//! How urgent the client says that a response is (RFC 9218).

use sfv::{BareItem, ListEntry, Parser};

/// The least urgent.
const LEAST: u8 = 7;
/// Where the urgencies of responses begin among quiche's own, below those of control streams (`h3::Connection` adds the same).
const OF_RESPONSES: u8 = 124;

/// The two parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Priority {
    /// 0 to 7; less is more urgent.
    pub urgency: u8,
    /// Whether it is of use in parts, beside others that are as urgent.
    pub incremental: bool,
}

impl Default for Priority {
    fn default() -> Self {
        Self {
            urgency: 3,
            incremental: false,
        }
    }
}

impl Priority {
    /// Reads a Priority header field or PRIORITY_UPDATE frame. What is out of range or of another type is as good as absent
    /// (section 4).
    pub fn parse(value: &[u8]) -> Self {
        let default = Self::default();
        let Ok(fields) = Parser::parse_dictionary(value) else {
            return default;
        };
        let item = |name: &str| match fields.get(name) {
            Some(ListEntry::Item(item)) => Some(&item.bare_item),
            _ => None,
        };
        let urgency = item("u").and_then(BareItem::as_int);
        let urgency = urgency.filter(|urgency| (0..=i64::from(LEAST)).contains(urgency));
        let incremental = item("i").and_then(BareItem::as_bool);
        Self {
            urgency: urgency.map_or(default.urgency, |urgency| urgency as u8),
            incremental: incremental.unwrap_or(default.incremental),
        }
    }

    /// The text of the header field.
    pub fn field(self) -> String {
        let incremental = if self.incremental { ", i" } else { "" };
        format!("u={}{incremental}", self.urgency)
    }

    /// The urgency in quiche's terms.
    pub fn of_stream(self) -> u8 {
        OF_RESPONSES + self.urgency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for urgency in 0..=LEAST {
            for incremental in [false, true] {
                let priority = Priority {
                    urgency,
                    incremental,
                };
                assert_eq!(Priority::parse(priority.field().as_bytes()), priority);
            }
        }
    }

    #[test]
    fn what_is_wrong_is_as_good_as_absent() {
        for (value, urgency, incremental) in [
            ("", 3, false),
            ("u=8", 3, false),
            ("u=-1, i", 3, true),
            ("u=x", 3, false),
            ("i=1, u=5", 5, false),
            ("u=(1 2)", 3, false),
            ("u=5, other=2", 5, false),
            ("\u{1}", 3, false),
        ] {
            let read = Priority::parse(value.as_bytes());
            assert_eq!(
                (read.urgency, read.incremental),
                (urgency, incremental),
                "{value:?}"
            );
        }
    }
}
