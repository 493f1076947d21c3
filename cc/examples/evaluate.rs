//! Measures specs of our controllers in the scenarios of a file: one line of JSON per spec.
//!
//! ```text
//! cargo run --release -p quiche-cc --no-default-features --example evaluate -- \
//!     --scenarios tests/search/training.toml [--seeds 1,2,...] [--jobs N] SPEC ...
//! ```
//!
//! The same file, seeds and spec give the same line, whatever the number of threads (`--jobs`, 1).

#[path = "../tests/dumbbell/mod.rs"]
mod dumbbell;

use std::process::ExitCode;

use dumbbell::measure::{measure_all, Figures};
use dumbbell::scenario::Set;
use dumbbell::summary::{summary, Cell};
use serde::Serialize;

const USAGE: &str = "evaluate --scenarios FILE [--seeds 1,2,...] [--jobs N] SPEC ...";
const MOST_JOBS: u64 = 256;

struct Options {
    scenarios: Set,
    seeds: Vec<u64>,
    jobs: u64,
    specs: Vec<String>,
}

/// A line of the output.
#[derive(Serialize)]
struct Line<'a> {
    spec: &'a str,
    scenarios: &'a [Figures],
    summary: Vec<Cell>,
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let (mut file, mut seeds, mut jobs, mut specs) = (None, vec![1], 1, Vec::new());
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--scenarios" => file = Some(value()?),
            "--seeds" => seeds = value()?.split(',').map(number).collect::<Result<_, _>>()?,
            "--jobs" => jobs = number(&value()?)?,
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            _ => specs.push(argument),
        }
    }
    let file = file.ok_or("--scenarios is missing")?;
    if specs.is_empty() {
        return Err("no spec is given".to_owned());
    }
    if !(1..=MOST_JOBS).contains(&jobs) {
        return Err(format!("--jobs is {jobs}, and may be 1 to {MOST_JOBS}"));
    }
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let scenarios = Set::parse(&text).map_err(|error| format!("{file}: {error}"))?;
    Ok(Options {
        scenarios,
        seeds,
        jobs,
        specs,
    })
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is no whole number"))
}

fn line(options: &Options, spec: &str) -> Result<String, String> {
    match quiche_cc::parse(spec) {
        Ok(quiche_cc::Algorithm::Ours { .. }) => {}
        Ok(_) => return Err(format!("{spec} is quiche's; only ours run without quiche")),
        Err(error) => return Err(error.to_string()),
    }
    let scenarios = &options.scenarios.scenario;
    let figures = measure_all(scenarios, spec, &options.seeds, options.jobs as usize);
    let line = Line {
        spec,
        scenarios: &figures,
        summary: summary(&figures),
    };
    serde_json::to_string(&line).map_err(|error| error.to_string())
}

fn run() -> Result<(), String> {
    let options = options(std::env::args().skip(1))?;
    for spec in &options.specs {
        println!("{}", line(&options, spec)?);
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
