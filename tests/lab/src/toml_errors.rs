//! What is wrong with a TOML file, in words of its reader: types are those of TOML, not of Rust.

const IN_WORDS: [(&str, &str); 8] = [
    ("expected u8", "expected a whole number from 0 to 255"),
    ("expected u16", "expected a whole number from 0 to 65535"),
    (
        "expected u32",
        "expected a whole number from 0 to 4294967295",
    ),
    ("expected u64", "expected a whole number from 0 on"),
    ("expected usize", "expected a whole number from 0 on"),
    ("expected f64", "expected a number"),
    ("expected a boolean", "expected true or false"),
    (
        "expected internally tagged enum Traffic",
        "expected a table such as { kind = \"unlimited\" }",
    ),
];

/// The message of this error.
pub fn in_words(error: &toml::de::Error) -> String {
    let message = error.message();
    let known = IN_WORDS.iter().find_map(|(rust, words)| {
        let before = message.strip_suffix(rust)?;
        Some(format!("{before}{words}"))
    });
    known.unwrap_or_else(|| message.to_owned())
}

/// Such a message about a value of the command line, where a text needs no quotes.
pub fn of_option(message: &str) -> String {
    let Some((found, expected)) = message.split_once(", expected ") else {
        return message.to_owned();
    };
    let expected = expected.trim_start_matches("one of ");
    let (kind, what) = found.split_once(' ').unwrap_or_default();
    match (kind, what.split_once(' ')) {
        ("unknown", Some(("field", key))) => {
            let allowed = expected.replace('`', "");
            format!("there is no key {key}; allowed: {allowed}")
        }
        ("unknown", Some((_, word))) => format!("there is no {word}; allowed: {expected}"),
        ("invalid", Some((_, value))) => {
            let expected = match expected.starts_with("a text ") {
                true => "a text with a unit, such as 10ms or 5Mbps",
                false => expected,
            };
            format!("{value} is not allowed; allowed: {expected}")
        }
        _ => message.to_owned(),
    }
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
    struct Numbers {
        #[serde(rename = "datagram")]
        _datagram: u16,
    }

    #[test]
    fn types_are_not_those_of_rust() {
        for (text, message) in [
            (
                "datagram = -1",
                "invalid value: integer `-1`, expected a whole number from 0 to 65535",
            ),
            (
                "datagram = nan",
                "invalid type: floating point `NaN`, expected a whole number from 0 to 65535",
            ),
            ("", "missing field `datagram`"),
        ] {
            let error = toml::from_str::<Numbers>(text).expect_err(text);
            assert_eq!(in_words(&error), message);
        }
    }

    #[test]
    fn values_of_options_are_told_with_what_is_allowed_and_without_quotes() {
        for (message, words) in [
            (
                "unknown field `rte`, expected one of `name`, `rate`",
                "there is no key `rte`; allowed: name, rate",
            ),
            (
                "invalid type: integer `40`, expected a text such as \"10ms\" or \"5Mbps\", in quotes",
                "integer `40` is not allowed; allowed: a text with a unit, such as 10ms or 5Mbps",
            ),
            (
                "invalid type: integer `5`, expected true or false",
                "integer `5` is not allowed; allowed: true or false",
            ),
            (
                "unknown variant `tcp`, expected `quic` or `udp`",
                "there is no `tcp`; allowed: `quic` or `udp`",
            ),
            ("`x` is no valid rate", "`x` is no valid rate"),
        ] {
            assert_eq!(of_option(message), words);
        }
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
