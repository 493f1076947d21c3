//! Runs of a claim set.

use std::path::Path;

use toml::Spanned;

use super::claim_set::{Parameters, Run, Variant};
use super::resolve::{At, Checked, Given};
use super::{draw, file};
use crate::scenario::{self, Overrides};

const MOST_SEEDS: u64 = 1000;
const MOST_PATHS: u64 = 10_000;
/// What stands for the directory of recordings in settings.
const RECORDINGS: &str = "recordings";

/// The run, its scenario loaded for every combination of parameters.
pub fn resolve(
    name: &str,
    given: &Spanned<file::Run>,
    directory: &Path,
    outside: Given<'_>,
) -> Checked<Run> {
    let run = given.get_ref();
    let seeds = *run.seeds.get_ref();
    if !(1..=MOST_SEEDS).contains(&seeds) {
        return Err(format!("the number of seeds is 1 to {MOST_SEEDS}")).at(&run.seeds);
    }
    for (name, values) in &run.vary {
        is_free(name).at(values)?;
        let mut seen = values.get_ref().clone();
        seen.sort();
        seen.dedup();
        if seen.is_empty() || seen.len() < values.get_ref().len() {
            return Err(format!("`{name}` takes different values, one at least")).at(values);
        }
    }
    let variants = combinations(run, paths(given, outside.path_seed)?)
        .into_iter()
        .map(|parameters| variant(given, parameters, directory, outside.recordings));
    Ok(Run {
        name: name.to_owned(),
        file: run.scenario.get_ref().clone(),
        variants: variants.collect::<Checked<_>>()?,
        seeds: seeds as usize,
        metrics: Vec::new(),
        curves: Vec::new(),
    })
}

/// Whether a parameter can have this name.
fn is_free(name: &str) -> Result<(), String> {
    match name {
        RECORDINGS => Err(format!(
            "`{name}` is the directory of recordings; call the parameter otherwise"
        )),
        draw::PATH => Err(format!(
            "`{name}` is the number of a path that is drawn; call the parameter otherwise"
        )),
        _ => Ok(()),
    }
}

/// What is drawn for each path; nothing, once, if none is.
fn paths(given: &Spanned<file::Run>, seed: u64) -> Checked<Vec<Parameters>> {
    let run = given.get_ref();
    for (name, choice) in &run.draw {
        is_free(name).at(choice)?;
        if run.vary.contains_key(name) {
            return Err(format!("`{name}` stands in `vary`, too")).at(choice);
        }
    }
    match (&run.paths, run.draw.is_empty()) {
        (None, true) => Ok(vec![Parameters::new()]),
        (Some(count), false) if !(1..=MOST_PATHS).contains(count.get_ref()) => {
            Err(format!("the number of paths is 1 to {MOST_PATHS}")).at(count)
        }
        (Some(count), false) => draw::paths(&run.draw, *count.get_ref(), seed),
        _ => {
            Err("`paths` says how many are drawn, and `draw` what for each: both or none").at(given)
        }
    }
}

fn combinations(run: &file::Run, mut all: Vec<Parameters>) -> Vec<Parameters> {
    for (name, values) in &run.vary {
        let extended = all.iter().flat_map(|parameters| {
            values.get_ref().iter().map(move |value| {
                let mut parameters = parameters.clone();
                parameters.insert(name.clone(), value.0.clone());
                parameters
            })
        });
        all = extended.collect();
    }
    all
}

fn variant(
    given: &Spanned<file::Run>,
    parameters: Parameters,
    directory: &Path,
    recordings: Option<&Path>,
) -> Checked<Variant> {
    let run = given.get_ref();
    let cc = filled(run.cc.get_ref(), &parameters).at(&run.cc)?;
    quiche_cc::parse(&cc).at(&run.cc)?;
    let mut settings = parameters.clone();
    if let Some(directory) = recordings {
        settings.insert(RECORDINGS.into(), directory.display().to_string());
    }
    let mut overrides = Overrides::default();
    for (key, value) in &run.set {
        let value = filled(&value.0, &settings).at(given)?;
        overrides.0.push((key.clone(), value));
    }
    let path = directory.join(run.scenario.get_ref());
    let (scenario, text) = scenario::load_with_text(&path, &overrides).at(&run.scenario)?;
    Ok(Variant {
        parameters,
        cc,
        scenario,
        text,
    })
}

/// The text with values in place of `{NAME}`. What stands in braces and is no parameter, such as an inline table, stays.
///
/// # Errors
/// Braces around what could be a parameter and is none.
pub fn filled(text: &str, parameters: &Parameters) -> Result<String, String> {
    let mut filled = text.to_owned();
    for (name, value) in parameters {
        filled = filled.replace(&format!("{{{name}}}"), value);
    }
    let word = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let left = filled
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'));
    let mut unknown = left.map(|(name, _)| name).filter(|name| word(name));
    match unknown.next() {
        None => Ok(filled),
        Some(name) => {
            let known: Vec<_> = parameters.keys().map(String::as_str).collect();
            Err(format!(
                "`{{{name}}}` is no parameter; `vary` has: {}",
                known.join(", ")
            ))
        }
    }
}
