//! From a scenario file to a scenario, with errors that name the line and what is allowed.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::file::File;
use super::resolve::resolve;
use super::Scenario;
use crate::toml_errors::in_words;

/// A scenario that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    source: String,
    line: Option<usize>,
    message: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.source, self.message),
            None => write!(f, "{}: {}", self.source, self.message),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// Values that replace those of the file: `link.bottleneck.rate=10Mbps`, `flow.main.rtt=40ms`, `duration=60s`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides(pub Vec<(String, String)>);

/// Reads the scenario of this file, and gives the file's text with the overrides in it, too.
///
/// # Errors
/// The file cannot be read, or is no scenario.
pub fn load_with_text(
    path: &Path,
    overrides: &Overrides,
) -> Result<(Scenario, String), ScenarioError> {
    let source = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|e| ScenarioError {
        source: source.clone(),
        line: None,
        message: format!("cannot be read: {e}"),
    })?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let scenario = parse(&text, &source, directory, overrides)?;
    let text = overridden(&text, overrides).expect("it was parsed with them");
    Ok((scenario, text))
}

/// Reads the scenario of this file.
///
/// # Errors
/// The file cannot be read, or is no scenario.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
    load_with_text(path, overrides).map(|(scenario, _)| scenario)
}

/// Reads a scenario from `text`. `source` names it in errors, and files that it names are
/// looked for in `directory`.
///
/// # Errors
/// It is no scenario.
pub fn parse(
    text: &str,
    source: &str,
    directory: &Path,
    overrides: &Overrides,
) -> Result<Scenario, ScenarioError> {
    let refuse = |line, message: &str| ScenarioError {
        source: source.to_owned(),
        line,
        message: message.to_owned(),
    };
    let text = overridden(text, overrides).map_err(|message| refuse(None, &message))?;
    let line = |span: Range<usize>| text[..span.start.min(text.len())].matches('\n').count() + 1;
    let file: File =
        toml::from_str(&text).map_err(|e| refuse(e.span().map(line), &in_words(&e)))?;
    resolve(file, directory).map_err(|e| refuse(Some(line(e.span)), &e.message))
}

/// The text with replaced values. What is not a TOML value is a string.
fn overridden(text: &str, overrides: &Overrides) -> Result<String, String> {
    if overrides.0.is_empty() {
        return Ok(text.to_owned());
    }
    let mut document: toml_edit::DocumentMut = match text.parse() {
        Ok(document) => document,
        // The error comes with its line when the text itself is read.
        Err(_) => return Ok(text.to_owned()),
    };
    for (key, value) in &overrides.0 {
        let table = place(&mut document, key)?;
        let name = key.rsplit('.').next().unwrap_or(key);
        let value: toml_edit::Value = value.parse().unwrap_or_else(|_| value.as_str().into());
        table.insert(name, toml_edit::value(value));
    }
    Ok(document.to_string())
}

fn place<'a>(
    document: &'a mut toml_edit::DocumentMut,
    key: &str,
) -> Result<&'a mut toml_edit::Table, String> {
    let parts: Vec<_> = key.split('.').collect();
    let (kind, name) = match parts[..] {
        [_] => return Ok(document.as_table_mut()),
        [kind @ ("link" | "flow"), name, _] => (kind, name),
        _ => {
            return Err(format!(
                "`{key}` cannot be set; allowed are link.NAME.KEY, flow.NAME.KEY and the keys of the scenario itself"
            ))
        }
    };
    let tables = document
        .get_mut(kind)
        .and_then(toml_edit::Item::as_array_of_tables_mut)
        .ok_or_else(|| format!("`{key}` cannot be set: there is no [[{kind}]]"))?;
    let names: Vec<String> = tables
        .iter()
        .filter_map(|table| Some(table.get("name")?.as_str()?.to_owned()))
        .collect();
    tables
        .iter_mut()
        .find(|table| table.get("name").and_then(|item| item.as_str()) == Some(name))
        .ok_or_else(|| {
            format!(
                "`{key}` cannot be set: there is no {kind} `{name}`; there are {}",
                names.join(", ")
            )
        })
}
