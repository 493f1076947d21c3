//! From a file to its claim set, with errors that name the line and what is allowed.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::bound::Bound;
use super::claim_set::{Check, Claim, ClaimSet, Loaded, Relation, Run, Skipped};
use super::file::{self, File};
use super::limit::{Limit, Limited};
use super::sources::{amount, Sources};
use super::terms::{Allowance, Terms};
use super::value::Unit;
use super::{figures, runs};
use crate::toml_errors::{self, in_words};

/// A claim set's file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimSetError {
    file: PathBuf,
    line: Option<usize>,
    message: String,
}

impl fmt::Display for ClaimSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.display();
        match self.line {
            Some(line) => write!(f, "{file}:{line}: {}", self.message),
            None => write!(f, "{file}: {}", self.message),
        }
    }
}

impl std::error::Error for ClaimSetError {}

/// Why a file cannot be used, and where.
#[derive(Debug)]
pub struct Refusal {
    span: Range<usize>,
    message: String,
}

/// A value, or why there is none.
pub type Checked<T> = Result<T, Refusal>;

/// Puts a place to what is wrong.
pub trait At<T> {
    /// It is wrong at `place`.
    fn at<V>(self, place: &Spanned<V>) -> Checked<T>;
}

/// What is not in a file.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The directory of recordings that do not come with claim sets.
    pub recordings: Option<&'a Path>,
    /// Which paths are drawn.
    pub path_seed: u64,
}

impl Default for Given<'_> {
    fn default() -> Self {
        Self {
            recordings: None,
            path_seed: 1,
        }
    }
}

impl<T, E: fmt::Display> At<T> for Result<T, E> {
    fn at<V>(self, place: &Spanned<V>) -> Checked<T> {
        self.map_err(|error| Refusal {
            span: place.span(),
            message: error.to_string(),
        })
    }
}

/// Reads the claim set of this file. Scenarios are looked for beside it.
///
/// # Errors
/// The file cannot be read, or is not allowed.
pub fn load(path: &Path, given: Given<'_>) -> Result<Loaded, ClaimSetError> {
    let text = toml_errors::read(path).map_err(|message| ClaimSetError {
        file: path.to_owned(),
        line: None,
        message,
    })?;
    parse(&text, path, given)
}

/// Reads a claim set from `text`, which stands in the file `path`.
///
/// # Errors
/// It is not allowed.
pub fn parse(text: &str, path: &Path, given: Given<'_>) -> Result<Loaded, ClaimSetError> {
    let refuse = |span: Option<Range<usize>>, message: &str| ClaimSetError {
        file: path.to_owned(),
        line: span.map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1),
        message: message.to_owned(),
    };
    let file: File =
        toml::from_str(text).map_err(|error| refuse(error.span(), &in_words(&error, text)))?;
    let recordings = given.recordings.filter(|_| file.claim_set.recordings);
    let given = Given {
        recordings,
        ..given
    };
    if file.claim_set.recordings && recordings.is_none() {
        return Ok(Loaded::Skipped(Skipped {
            letter: *file.claim_set.letter.get_ref(),
            title: file.claim_set.title,
        }));
    }
    claim_set(file, path, given)
        .map(Loaded::ClaimSet)
        .map_err(|refusal| refuse(Some(refusal.span), &refusal.message))
}

fn claim_set(file: File, path: &Path, given: Given<'_>) -> Checked<ClaimSet> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let letter = *file.claim_set.letter.get_ref();
    if !letter.is_ascii_uppercase() {
        return Err("the letter of a claim set is one of A to Z").at(&file.claim_set.letter);
    }
    let runs: Checked<Vec<Run>> = file
        .run
        .iter()
        .map(|(name, run)| runs::resolve(name, run, directory, given))
        .collect();
    let mut sources = Sources::new(runs?);
    let mut claims: Vec<Claim> = Vec::new();
    for given in &file.claim {
        let id = given.get_ref().id.get_ref();
        if claims.iter().any(|known| known.id == *id) {
            return Err(format!("there are two claims `{id}`")).at(&given.get_ref().id);
        }
        claims.push(claim(given, letter, &mut sources)?);
    }
    Ok(ClaimSet {
        file: path.to_owned(),
        letter,
        title: file.claim_set.title,
        authors: file.claim_set.authors,
        page: file.claim_set.page,
        about: file.claim_set.about,
        runs: sources.into_runs(),
        claims,
    })
}

fn claim(given: &Spanned<file::Claim>, letter: char, sources: &mut Sources) -> Checked<Claim> {
    let claim = given.get_ref();
    let id = claim.id.get_ref();
    let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !id.strip_prefix(letter).is_some_and(numbered) || !id.chars().all(plain) {
        let message = format!(
            "`{id}` is no id; allowed are {letter}1, {letter}2, {letter}1-default and so on"
        );
        return Err(message).at(&claim.id);
    }
    if claim.check.is_empty() {
        return Err(format!("the claim {id} has no [[claim.check]]")).at(given);
    }
    let checks = claim
        .check
        .iter()
        .map(|given| check(given, sources))
        .collect::<Checked<_>>()?;
    let figures = claim
        .figure
        .iter()
        .map(|given| figures::resolve(given, sources))
        .collect::<Checked<_>>()?;
    Ok(Claim {
        id: id.clone(),
        title: claim.title.clone(),
        source: claim.source.clone(),
        says: claim.says.clone(),
        note: claim.note.clone(),
        checks,
        figures,
    })
}

fn check(given: &Spanned<file::Check>, sources: &mut Sources) -> Checked<Check> {
    let check = given.get_ref();
    let measure = sources.source(check.measure.get_ref()).at(&check.measure)?;
    let relation = relation(given, measure.unit, sources)?;
    if let Some(other) = &relation.other {
        sources.comparable(&measure, other).at(given)?;
    }
    let share = check.seeds.map_or(1.0, |share| share.0.value());
    let limited = Limited {
        terms: relation.terms,
        share,
        points: sources.points(&measure),
        unit: measure.unit,
    };
    let (deviates, limit) = deviation(check, limited)?;
    Ok(Check {
        what: check.what.clone(),
        measure,
        relation,
        share,
        points: check.points.map_or(1.0, |points| points.0.value()),
        paper: check.paper.clone(),
        deviates,
        limit,
    })
}

/// Why a check is known not to hold, and how far it may be off.
fn deviation(check: &file::Check, limited: Limited) -> Checked<(Option<String>, Option<Limit>)> {
    if let Some(reason) = &check.deviates {
        if reason.get_ref().trim().is_empty() {
            return Err("`deviates` says why, in words").at(reason);
        }
    }
    if let (Some(limit), None) = (&check.limit, &check.deviates) {
        return Err("`limit` is allowed beside `deviates` only, which says why").at(limit);
    }
    let reason = check.deviates.as_ref();
    let limit = check.limit.as_ref();
    let limit = limit.map(|limit| Limit::resolve(limit, limited));
    Ok((
        reason.map(|reason| reason.get_ref().clone()),
        limit.transpose()?,
    ))
}

fn relation(given: &Spanned<file::Check>, unit: Unit, sources: &mut Sources) -> Checked<Relation> {
    let check = given.get_ref();
    let factor = check
        .factor
        .as_ref()
        .map_or(1.0, |factor| *factor.get_ref());
    let plus = match &check.plus {
        Some(text) => amount(text.get_ref(), Some(unit)).at(text)?.0,
        None => 0.0,
    };
    let allowance = Allowance { factor, plus };
    let (terms, other) = match (
        &check.bound,
        &check.less_than,
        &check.greater_than,
        &check.equals,
    ) {
        (Some(bound), None, None, None) => {
            let terms = Bound::parse(bound.get_ref(), unit).map(Terms::Bound);
            (terms.at(bound)?, None)
        }
        (None, Some(other), None, None) => (Terms::LessThan(allowance), Some(other)),
        (None, None, Some(other), None) => (Terms::GreaterThan(allowance), Some(other)),
        (None, None, None, Some(other)) => {
            let within = check.within.as_ref();
            let within = within
                .ok_or("`equals` needs `within`, such as \"10%\"")
                .at(other)?;
            (Terms::Near(within.get_ref().0.value()), Some(other))
        }
        _ => {
            return Err("a check has one of `bound`, `less_than`, `greater_than` and `equals`")
                .at(given)
        }
    };
    let other = other.map(|other| sources.source(other.get_ref()).at(other));
    Ok(Relation {
        terms,
        other: other.transpose()?,
    })
}
