//! From a scenario file to a scenario, with errors that name the line and what is allowed.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use super::file::File;
use super::overrides::{Changed, Overrides};
use super::resolve::resolve;
use super::Scenario;
use crate::toml_errors::{self, in_words, of_option, other_kind, Kind};

/// A scenario that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    source: String,
    place: Place,
    message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    File,
    Line(usize),
    /// A value that replaces one of the file, with its key: no line of the file is to blame.
    Given(String, String),
}

impl ScenarioError {
    /// Key and value, if what is wrong is a value that replaces one of the file.
    pub fn given(&self) -> Option<(&str, &str)> {
        match &self.place {
            Place::Given(key, value) => Some((key, value)),
            Place::File | Place::Line(_) => None,
        }
    }

    /// What is wrong and what is allowed, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source, message, ..
        } = self;
        match &self.place {
            Place::File => write!(f, "{source}: {message}"),
            Place::Line(line) => write!(f, "{source}:{line}: {message}"),
            Place::Given(key, value) => write!(f, "{source} with {key}={value}: {message}"),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// Reads the scenario of this file, and gives the file's text with the overrides in it, too.
///
/// # Errors
/// The file cannot be read, or is no scenario.
pub fn load_with_text(
    path: &Path,
    overrides: &Overrides,
) -> Result<(Scenario, String), ScenarioError> {
    let source = path.display().to_string();
    let text = toml_errors::read(path).map_err(|message| ScenarioError {
        source: source.clone(),
        place: Place::File,
        message,
    })?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let scenario = parse(&text, &source, directory, overrides)?;
    let changed = Changed::of(&text, overrides).expect("it was parsed with them");
    Ok((scenario, changed.text))
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
    read(text, source, directory, overrides).map_err(|wrong| {
        let other = other_kind(text, Kind::Scenario);
        other.map_or(wrong, |other| ScenarioError {
            source: source.to_owned(),
            place: Place::File,
            message: other.to_owned(),
        })
    })
}

fn read(
    text: &str,
    source: &str,
    directory: &Path,
    overrides: &Overrides,
) -> Result<Scenario, ScenarioError> {
    let refuse = |place, message| ScenarioError {
        source: source.to_owned(),
        place,
        message,
    };
    let given = |number: usize| {
        let (key, value) = overrides.0[number].clone();
        Place::Given(key, value)
    };
    let changed =
        Changed::of(text, overrides).map_err(|wrong| refuse(given(wrong.number), wrong.message))?;
    let refuse_at = |span: Range<usize>, message: String| match changed.given_at(span.start) {
        Some(number) => refuse(given(number), of_option(&message)),
        None => refuse(Place::Line(changed.line(span.start)), message),
    };
    let file: File = toml::from_str(&changed.text).map_err(|e| match e.span() {
        Some(span) => refuse_at(span, in_words(&e, &changed.text)),
        None => refuse(Place::File, in_words(&e, &changed.text)),
    })?;
    resolve(file, directory).map_err(|e| refuse_at(e.span, e.message))
}
