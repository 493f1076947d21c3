//! Runs of a claim set.

use std::path::Path;

use toml::Spanned;

use super::claim_set::{Parameters, Run, Variant};
use super::file;
use super::resolve::{At, Checked};
use crate::scenario::{self, Overrides};

const MOST_SEEDS: u64 = 1000;
/// What stands for the directory of recordings in settings.
const RECORDINGS: &str = "recordings";

/// The run, its scenario loaded for every combination of parameters.
pub fn resolve(
    name: &str,
    given: &Spanned<file::Run>,
    directory: &Path,
    recordings: Option<&Path>,
) -> Checked<Run> {
    let run = given.get_ref();
    let seeds = *run.seeds.get_ref();
    if !(1..=MOST_SEEDS).contains(&seeds) {
        return Err(format!("the number of seeds is 1 to {MOST_SEEDS}")).at(&run.seeds);
    }
    if let Some(values) = run.vary.get(RECORDINGS) {
        return Err("`recordings` is the directory of recordings; call the parameter otherwise")
            .at(values);
    }
    for (name, values) in &run.vary {
        let mut seen = values.get_ref().clone();
        seen.sort();
        seen.dedup();
        if seen.is_empty() || seen.len() < values.get_ref().len() {
            return Err(format!("`{name}` takes different values, one at least")).at(values);
        }
    }
    let variants = combinations(run)
        .into_iter()
        .map(|parameters| variant(given, parameters, directory, recordings));
    Ok(Run {
        name: name.to_owned(),
        file: run.scenario.get_ref().clone(),
        variants: variants.collect::<Checked<_>>()?,
        seeds: seeds as usize,
        metrics: Vec::new(),
        curves: Vec::new(),
    })
}

fn combinations(run: &file::Run) -> Vec<Parameters> {
    let mut all = vec![Parameters::new()];
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
fn filled(text: &str, parameters: &Parameters) -> Result<String, String> {
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
