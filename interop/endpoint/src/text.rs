//! Text from strangers, made harmless for terminals and logs.

use std::fmt::Write as _;

/// `text` with every character that steers a terminal replaced by its code in the form `\u{1b}`:
/// control characters, C1 included, and those that turn the direction of writing or end a line.
pub fn printable(text: &str) -> String {
    replaced(text, |out, c| {
        let _ = write!(out, "{}", c.escape_unicode());
    })
}

/// The beginning of a text in no known encoding, at most so many bytes of it in UTF-8, and `…` if
/// there is more.
pub fn beginning(text: &[u8], most: usize) -> String {
    // What is no UTF-8 becomes no shorter, so more than that and a whole character is not shown.
    let some = &text[..text.len().min(most + 4)];
    let mut shown = String::from_utf8_lossy(some).into_owned();
    if shown.len() > most {
        let whole = (0..=most).rev().find(|end| shown.is_char_boundary(*end));
        shown.truncate(whole.unwrap_or(0));
        shown.push('…');
    }
    shown
}

/// A JSON text on one line. The strings in it stay what they are: the same characters are written
/// as JSON escapes, which serde_json does for C0 only.
pub fn json_line(value: &impl serde::Serialize) -> String {
    let json = serde_json::to_string(value).expect("lines are plain data");
    let mut line = replaced(&json, |out, c| {
        // None of these is beyond the basic plane, where JSON would want two.
        let _ = write!(out, "\\u{:04x}", u32::from(c));
    });
    line.push('\n');
    line
}

fn replaced(text: &str, escape: impl Fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    out
}

fn steers(c: char) -> bool {
    // Marks, embeddings, overrides and isolates of direction; line and paragraph separators.
    let formats = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || formats
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\x1b[31m\r\n\t\u{7f}\u{9b}2J\u{202e}\u{2028}ä€😀";

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let safe = printable(HOSTILE);
        assert!(!safe.chars().any(steers), "{safe:?}");
        assert!(safe.starts_with("a\\u{1b}[31m\\u{d}\\u{a}"), "{safe}");
        assert!(safe.ends_with("ä€😀"), "{safe}");
    }

    #[test]
    fn a_beginning_is_no_longer_than_asked_for_and_ends_with_a_whole_character() {
        assert_eq!(beginning("äöü".as_bytes(), 6), "äöü");
        assert_eq!(beginning("äöü".as_bytes(), 5), "äö…");
        assert_eq!(beginning("äöü".as_bytes(), 4), "äö…");
        assert_eq!(beginning(&[b'x'; 100], 3), "xxx…");
        // Each becomes three bytes.
        assert_eq!(beginning(&[0xff; 100], 7), "\u{fffd}\u{fffd}…");
        assert_eq!(beginning(&[0xff; 2], 6), "\u{fffd}\u{fffd}");
        assert_eq!(beginning(b"", 3), "");
    }

    #[test]
    fn json_stays_what_it_says() {
        let value = serde_json::json!({ "reason": HOSTILE });
        let line = json_line(&value);
        let text = line.strip_suffix('\n').unwrap();
        assert!(!text.chars().any(steers), "{text:?}");
        let read: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(read, value);
    }
}
