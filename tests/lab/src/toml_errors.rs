//! What is wrong with a TOML file, in words of its reader: types are those of TOML, not of Rust.

const IN_WORDS: [(&str, &str); 6] = [
    ("expected u8", "expected a whole number from 0 to 255"),
    ("expected u16", "expected a whole number from 0 to 65535"),
    (
        "expected u32",
        "expected a whole number from 0 to 4294967295",
    ),
    ("expected u64", "expected a whole number from 0 on"),
    ("expected usize", "expected a whole number from 0 on"),
    ("expected f64", "expected a number"),
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
}
