//! What is wrong with a TOML file, in words of its reader: what was found, and what is allowed, in types of TOML and
//! not of Rust.

use std::io;
use std::path::Path;

const ALLOWED: [(&str, &str); 15] = [
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number from 0 on"),
    ("usize", "a whole number from 0 on"),
    ("f64", "a number"),
    ("a boolean", "true or false"),
    ("a string", "a text in quotes"),
    ("a sequence", LIST),
    ("a Vec", LIST),
    ("a map", TABLE),
    ("struct", TABLE),
    ("map", TABLE),
    (
        "internally tagged enum Traffic",
        "a table such as { kind = \"unlimited\" }",
    ),
    ("a text such as \"10ms\" or \"5Mbps\", in quotes", TEXT),
];
const LIST: &str = "a list in brackets; of tables, one after each [[name]] in two brackets";
const TABLE: &str = "a table, in braces or after [name]";
const TEXT: &str = "a text with a unit in quotes, such as \"10ms\" or \"5Mbps\"";
/// The same of the command line, where a text needs no quotes.
const TEXT_OF_OPTION: &str = "a text with a unit, such as 10ms or 5Mbps";
const FOUND: [(&str, &str); 4] = [
    ("map", "a table"),
    ("sequence", "a list"),
    ("string ", "the text "),
    ("floating point ", "number "),
];

/// The text of a file of TOML, or why there is none.
pub fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => "is no text; allowed: TOML, in UTF-8".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory; allowed: a file of TOML".to_owned(),
        io::ErrorKind::NotFound => "cannot be read: there is no such file".to_owned(),
        _ => format!("cannot be read: {error}"),
    })
}

/// The message of this error, of a file with this text.
pub fn in_words(error: &toml::de::Error, text: &str) -> String {
    let message = error.message();
    if message.starts_with("duplicate ") {
        return "this key stands here twice; allowed: once".to_owned();
    }
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("the key {key} is missing");
    }
    let (found, expected) = message.split_once(", ").unwrap_or((message, ""));
    if let Some(words) = refused(found, expected.trim_start_matches("expected ")) {
        return words;
    }
    match text.parse::<toml::Table>() {
        Ok(_) => message.to_owned(),
        Err(_) => format!(
            "this is no TOML ({message}); allowed: key = value, [table] or [[table]], and texts in quotes"
        ),
    }
}

/// What serde says it has `found`, where something else was `expected`.
fn refused(found: &str, expected: &str) -> Option<String> {
    let names = expected.trim_start_matches("one of ").replace('`', "");
    if let Some(key) = found.strip_prefix("unknown field ") {
        let allowed = match names.as_str() {
            "there are no fields" => "no other",
            names => names,
        };
        return Some(format!("there is no key {key}; allowed: {allowed}"));
    }
    if let Some(word) = found.strip_prefix("unknown variant ") {
        return Some(format!("there is no {word}; allowed: {names}"));
    }
    let value = ["invalid type: ", "invalid value: ", "invalid length "]
        .iter()
        .find_map(|kind| found.strip_prefix(kind))?;
    let value = FOUND
        .iter()
        .find_map(|(rust, words)| Some(format!("{words}{}", value.strip_prefix(rust)?)))
        .unwrap_or_else(|| value.to_owned());
    let allowed = ALLOWED
        .iter()
        .find(|(rust, _)| expected == *rust || expected.starts_with(&format!("{rust} ")))
        .map_or(expected, |(_, words)| words);
    Some(format!("{value} is not allowed; allowed: {allowed}"))
}

/// Such a message about a value of the command line.
pub fn of_option(message: &str) -> String {
    message.replace(TEXT, TEXT_OF_OPTION)
}

/// A file that has a command of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// For `cc-lab run`.
    Scenario,
    /// For `cc-lab compare`.
    Suite,
}

/// Says so if the text is of another kind than `wanted`, by tables that only the other one has.
pub fn other_kind(text: &str, wanted: Kind) -> Option<&'static str> {
    let table: toml::Table = text.parse().ok()?;
    let has = |keys: [&str; 2]| keys.iter().any(|key| table.contains_key(*key));
    let (of_scenario, of_suite) = (has(["link", "flow"]), has(["axis", "controllers"]));
    match wanted {
        Kind::Scenario if of_suite && !of_scenario => {
            Some("this is a suite, and no scenario: use `cc-lab compare`")
        }
        Kind::Suite if of_scenario && !of_suite => {
            Some("this is a scenario, and no suite: use `cc-lab run`")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Numbers {
        #[serde(rename = "datagram")]
        _datagram: u16,
    }

    #[test]
    fn types_are_not_those_of_rust() {
        for (text, message) in [
            (
                "datagram = -1",
                "integer `-1` is not allowed; allowed: a whole number from 0 to 65535",
            ),
            (
                "datagram = nan",
                "number `NaN` is not allowed; allowed: a whole number from 0 to 65535",
            ),
            (
                "datagram = {}",
                "a table is not allowed; allowed: a whole number from 0 to 65535",
            ),
            ("", "the key `datagram` is missing"),
            (
                "other = 99999999999999999999\n",
                "there is no key `other`; allowed: datagram",
            ),
        ] {
            let error = toml::from_str::<Numbers>(text).expect_err(text);
            assert_eq!(in_words(&error, text), message);
        }
    }

    #[test]
    fn what_is_no_toml_is_said_to_be_none() {
        for text in [
            "datagram",
            "datagram = ",
            "[datagram",
            "datagram = 1250 1",
            "\u{1}",
        ] {
            let error = toml::from_str::<Numbers>(text).expect_err(text);
            let message = in_words(&error, text);
            assert!(
                message.starts_with("this is no TOML ("),
                "{text}: {message}"
            );
            assert!(message.contains("allowed: key = value"), "{message}");
        }
        let twice = "datagram = 1\ndatagram = 2";
        let error = toml::from_str::<Numbers>(twice).unwrap_err();
        let message = in_words(&error, twice);
        assert_eq!(message, "this key stands here twice; allowed: once");
    }

    #[test]
    fn what_serde_says_is_told_with_what_is_allowed() {
        for (found, expected, words) in [
            (
                "unknown field `rte`",
                "one of `name`, `rate`",
                "there is no key `rte`; allowed: name, rate",
            ),
            (
                "unknown variant `tcp`",
                "`quic` or `udp`",
                "there is no `tcp`; allowed: quic or udp",
            ),
            (
                "invalid type: integer `5`",
                "a boolean",
                "integer `5` is not allowed; allowed: true or false",
            ),
            (
                "invalid type: string \"there\"",
                "a sequence",
                "the text \"there\" is not allowed; allowed: a list in brackets; \
                 of tables, one after each [[name]] in two brackets",
            ),
        ] {
            assert_eq!(refused(found, expected).as_deref(), Some(words));
        }
        assert_eq!(refused("`x` is no rate", "at least a bit"), None);
    }

    #[test]
    fn a_value_of_an_option_needs_no_quotes() {
        let found = "invalid type: integer `40`";
        let of_file = refused(found, "a text such as \"10ms\" or \"5Mbps\", in quotes").unwrap();
        assert_eq!(
            of_option(&of_file),
            "integer `40` is not allowed; allowed: a text with a unit, such as 10ms or 5Mbps"
        );
    }

    #[test]
    fn a_file_that_cannot_be_read_is_told_with_what_is_allowed() {
        let directory = std::env::temp_dir();
        assert!(read(&directory).unwrap_err().contains("is a directory"));
        let absent = read(&directory.join("absent/absent.toml")).unwrap_err();
        assert!(absent.contains("there is no such file"), "{absent}");
    }

    #[test]
    fn a_file_of_another_kind_is_known_by_its_tables() {
        let (scenario, suite) = ("datagram = 1250\n[[link]]", "seeds = 1\n[[axis]]");
        assert_eq!(other_kind(scenario, Kind::Scenario), None);
        assert_eq!(other_kind(suite, Kind::Suite), None);
        let told = other_kind(suite, Kind::Scenario).unwrap();
        assert!(told.contains("use `cc-lab compare`"));
        let told = other_kind(scenario, Kind::Suite).unwrap();
        assert!(told.contains("use `cc-lab run`"));
        for unclear in ["", "title = 1", "[[link]]\n[[axis]]", "no TOML"] {
            assert_eq!(other_kind(unclear, Kind::Scenario), None);
            assert_eq!(other_kind(unclear, Kind::Suite), None);
        }
    }
}
