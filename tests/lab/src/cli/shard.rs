//! `cc-lab shard`.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;

use super::progress::Progress;
use super::{values, Status};
use crate::job::{Item, Job, Recordings};
use crate::record::Record;
use crate::sweep::{self, Event, Plan, Writes};
use crate::version::Versions;

/// Make runs that a store lacks, and print them as its lines
///
/// Reads what `--missing` of `compare` and `claims` prints, or a part of it. Runs of another
/// version of model or controllers are refused before any is made.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct ShardArgs {
    /// The runs; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    runs: PathBuf,

    /// Runs at the same time [default: one per core]
    #[arg(long, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,
}

/// Does it. The program loaded these `plugins`.
pub fn run(args: &ShardArgs, plugins: &[PathBuf]) -> Status {
    let given = read(&args.runs).and_then(|text| Given::of(&text));
    let directory = tempfile::tempdir();
    let ready = given.and_then(|given| {
        let directory = directory.as_ref().map_err(text)?;
        let versions = Versions::of_this_program(plugins).map_err(text)?;
        let plans = given.plans(&versions, directory.path())?;
        Ok((given, plans, directory))
    });
    match ready {
        Ok((given, plans, directory)) => make(args, &given.jobs, &plans, directory.path()),
        Err(message) => {
            eprintln!("error: {message}");
            Status::Usage
        }
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}

fn read(file: &Path) -> Result<String, String> {
    if file == Path::new("-") {
        let mut all = String::new();
        let read = io::stdin().read_to_string(&mut all);
        return read
            .map(|_| all)
            .map_err(|error| format!("standard input cannot be read: {error}"));
    }
    std::fs::read_to_string(file)
        .map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

/// What was asked for.
#[derive(Default)]
struct Given {
    recordings: Recordings,
    /// By name.
    jobs: HashMap<String, Job>,
    names: Vec<String>,
}

impl Given {
    fn of(text: &str) -> Result<Self, String> {
        let mut given = Self::default();
        for (number, line) in text.lines().enumerate() {
            let place = format!("line {}", number + 1);
            let item = serde_json::from_str(line).map_err(|error| format!("{place}: {error}"))?;
            match item {
                Item::Store(_) => {}
                Item::Recording { digest, text } => {
                    if given.recordings.add(text) != digest {
                        return Err(format!("{place}: the recording was changed"));
                    }
                }
                Item::Job(job) => {
                    let name = job.name.clone();
                    if given.jobs.insert(name.clone(), job).is_some() {
                        return Err(format!("{place}: the run {name} is asked for twice"));
                    }
                    given.names.push(name);
                }
            }
        }
        Ok(given)
    }

    fn plans(&self, versions: &Versions, directory: &Path) -> Result<Vec<Plan>, String> {
        let plan = |name| self.jobs[name].plan(versions, &self.recordings, directory);
        let plans: Result<_, _> = self.names.iter().map(plan).collect();
        plans.map_err(text)
    }
}

/// Prints every result at once. Recordings are in `directory`.
fn make(args: &ShardArgs, jobs: &HashMap<String, Job>, plans: &[Plan], directory: &Path) -> Status {
    let cores = || std::thread::available_parallelism().ok();
    let threads = args.jobs.or_else(cores).map_or(1, NonZeroUsize::get);
    let mut progress = Progress::new(plans);
    let mut status = Status::Success;
    let digest = |plan: &Plan, record: &Record| {
        let line = jobs[&plan.name].line(plan, record)?;
        Ok((line, record.simulated_packets))
    };
    sweep::execute(
        plans,
        threads,
        &|_| Ok(Writes::default()),
        &digest,
        |event| match event {
            Event::Begun(run) => progress.begun(run),
            Event::Reached(run, at) => progress.reached(run, at),
            Event::Over(run, Ok((line, packets))) => {
                progress.over(run, packets);
                if writeln!(io::stdout(), "{line}").is_err() {
                    // Whoever waited for it is gone, and nobody wants the rest.
                    let _ = std::fs::remove_dir_all(directory);
                    std::process::exit(Status::Failed as i32);
                }
            }
            Event::Over(run, Err(failure)) => {
                progress.failed(run, &failure);
                status = Status::Failed;
            }
        },
    );
    progress.end();
    status
}
