//! Values that replace those of a scenario file, and where they stand in its text.

use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, Key, Table};

/// Values that replace those of the file: `link.bottleneck.rate=10Mbps`, `flow.main.rtt=40ms`, `duration=60s`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides(pub Vec<(String, String)>);

/// An override that cannot be made.
#[derive(Debug)]
pub struct Wrong {
    /// Which one, from 0.
    pub number: usize,
    /// What is wrong, and what is allowed.
    pub message: String,
}

/// The text of a scenario with the overrides in it.
pub struct Changed {
    /// The text.
    pub text: String,
    given: Vec<Given>,
}

/// Where an override stands.
struct Given {
    /// Bytes of the text, from the key to the end of the value.
    span: Range<usize>,
    /// Whether the file had no such key, so that there is one line more.
    added: bool,
}

impl Changed {
    /// Replaces values, or adds them. What is not a TOML value is a string.
    pub fn of(text: &str, overrides: &Overrides) -> Result<Self, Wrong> {
        let unchanged = Self {
            text: text.to_owned(),
            given: Vec::new(),
        };
        if overrides.0.is_empty() {
            return Ok(unchanged);
        }
        let mut document: DocumentMut = match text.parse() {
            Ok(document) => document,
            // The error comes with its line when the text itself is read.
            Err(_) => return Ok(unchanged),
        };
        let mut added = Vec::new();
        for (number, (key, value)) in overrides.0.iter().enumerate() {
            let (table, name) =
                place(&mut document, key).map_err(|message| Wrong { number, message })?;
            let value: toml_edit::Value = value.parse().unwrap_or_else(|_| value.as_str().into());
            added.push(table.insert(name, toml_edit::value(value)).is_none());
        }
        let text = document.to_string();
        let given = spans(&text, overrides).into_iter().zip(added);
        let given = given.map(|(span, added)| Given { span, added });
        Ok(Self {
            given: given.collect(),
            text,
        })
    }

    /// The number of the override that stands at this byte of the text, the last one if several have the same key.
    pub fn given_at(&self, at: usize) -> Option<usize> {
        self.given
            .iter()
            .rposition(|given| given.span.contains(&at))
    }

    /// The line of the file that this byte of the text, which is in no override, stands in.
    pub fn line(&self, at: usize) -> usize {
        let line = self.text[..at.min(self.text.len())].matches('\n').count() + 1;
        let before = |given: &&Given| given.added && given.span.start < at;
        line - self.given.iter().filter(before).count()
    }
}

/// The bytes of all overrides in the text that has them.
fn spans(text: &str, overrides: &Overrides) -> Vec<Range<usize>> {
    let document = Document::parse(text).expect("it was written as TOML");
    let span = |key: &str| {
        let (key, item) = found(document.as_table(), key)?;
        Some(key.span()?.start..item.span()?.end)
    };
    let spans = overrides.0.iter().map(|(key, _)| span(key));
    spans.map(Option::unwrap_or_default).collect()
}

fn found<'a>(root: &'a Table, key: &str) -> Option<(&'a Key, &'a Item)> {
    let (table, key) = match parts(key).ok()? {
        (None, key) => (root, key),
        (Some((kind, name)), key) => {
            let mut tables = root.get(kind)?.as_array_of_tables()?.iter();
            (tables.find(|table| is_called(table, name))?, key)
        }
    };
    table.get_key_value(key)
}

fn is_called(table: &Table, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

/// Kind and name of the table, if it is not the scenario itself, and the key in it.
type Parts<'a> = (Option<(&'a str, &'a str)>, &'a str);

fn parts(key: &str) -> Result<Parts<'_>, String> {
    let parts: Vec<_> = key.split('.').collect();
    match parts[..] {
        [key] => Ok((None, key)),
        [kind @ ("link" | "flow"), name, key] => Ok((Some((kind, name)), key)),
        _ => Err(
            "it cannot be set; allowed are link.NAME.KEY, flow.NAME.KEY and the keys of the scenario itself"
                .to_owned(),
        ),
    }
}

fn place<'a, 'k>(
    document: &'a mut DocumentMut,
    key: &'k str,
) -> Result<(&'a mut Table, &'k str), String> {
    let (table, key) = parts(key)?;
    let Some((kind, name)) = table else {
        return Ok((document.as_table_mut(), key));
    };
    let tables = document
        .get_mut(kind)
        .and_then(Item::as_array_of_tables_mut)
        .ok_or_else(|| format!("there is no [[{kind}]]"))?;
    let names: Vec<String> = tables
        .iter()
        .filter_map(|table| Some(table.get("name")?.as_str()?.to_owned()))
        .collect();
    let table = tables.iter_mut().find(|table| is_called(table, name));
    let table = table.ok_or_else(|| {
        format!(
            "there is no {kind} `{name}`; there are {}",
            names.join(", ")
        )
    })?;
    Ok((table, key))
}
