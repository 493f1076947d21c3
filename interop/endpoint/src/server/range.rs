//! The Range header (RFC 9110, section 14).

/// What a Range header asks of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requested {
    /// All of it: no header, or one that may be ignored (another unit, several ranges, nonsense).
    Whole,
    /// Bytes `start..end`.
    Part { start: u64, end: u64 },
    /// A range outside of the body.
    Unsatisfiable,
}

/// Reads a Range header for a body of `size` bytes.
pub fn parse(header: Option<&[u8]>, size: u64) -> Requested {
    let text = header.and_then(|value| std::str::from_utf8(value).ok());
    let set = text.and_then(|text| text.trim().strip_prefix("bytes="));
    let Some((first, last)) = set.and_then(|set| set.split_once('-')) else {
        return Requested::Whole;
    };
    match (number(first), number(last)) {
        (Some(None), Some(Some(length))) => suffix(length, size),
        (Some(Some(start)), Some(None)) => part(start, size, size),
        (Some(Some(start)), Some(Some(last))) if start <= last => {
            part(start, last.saturating_add(1).min(size), size)
        }
        _ => Requested::Whole,
    }
}

fn part(start: u64, end: u64, size: u64) -> Requested {
    if start < size {
        Requested::Part { start, end }
    } else {
        Requested::Unsatisfiable
    }
}

/// The last `length` bytes.
fn suffix(length: u64, size: u64) -> Requested {
    if length == 0 || size == 0 {
        return Requested::Unsatisfiable;
    }
    Requested::Part {
        start: size.saturating_sub(length),
        end: size,
    }
}

/// A number, `Some(None)` for an empty text, `None` for anything else.
fn number(text: &str) -> Option<Option<u64>> {
    if text.is_empty() {
        return Some(None);
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // A number too large for us is beyond the end of any body.
    Some(Some(text.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_rfc_9110_says() {
        let part = |start, end| Requested::Part { start, end };
        for (header, expected) in [
            ("bytes=0-0", part(0, 1)),
            ("bytes=10-19", part(10, 20)),
            ("bytes=90-", part(90, 100)),
            ("bytes=90-1000", part(90, 100)),
            ("bytes=-5", part(95, 100)),
            ("bytes=-1000", part(0, 100)),
            ("bytes=5-99999999999999999999999", part(5, 100)),
            ("bytes=100-", Requested::Unsatisfiable),
            ("bytes=-0", Requested::Unsatisfiable),
            ("bytes=9-3", Requested::Whole),
            ("bytes=-", Requested::Whole),
            ("bytes=1-2,4-5", Requested::Whole),
            ("bytes=+1-2", Requested::Whole),
            ("lines=1-2", Requested::Whole),
            ("", Requested::Whole),
        ] {
            assert_eq!(parse(Some(header.as_bytes()), 100), expected, "{header}");
        }
        assert_eq!(parse(None, 100), Requested::Whole);
        assert_eq!(parse(Some(b"bytes=0-"), 0), Requested::Unsatisfiable);
    }
}
