//! `cc-lab run`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;

use super::progress::Progress;
use super::{values, Status};
use crate::record::Record;
use crate::recording::Recording;
use crate::scenario::{self, Overrides};
use crate::series;
use crate::summary::{json, table, Summary};
use crate::sweep::{self, Axis, Event, Failure, Plan, Sweep, SweepError, Writes};
use crate::version::Versions;

/// Run a scenario with one or more controllers
///
/// Every controller is run with every seed and every combination of grid values.
/// A single run writes summary.json, flows.csv and links.csv to DIR, several write
/// theirs to DIR/<name of the run> each.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct RunArgs {
    /// Scenario file; with --check several
    #[arg(required = true, value_name = "SCENARIO.toml")]
    scenario: Vec<PathBuf>,

    /// Controllers under test, with commas between: reno,hybrid:initial_rate=5Mbps,growth=1.2; may be repeated
    #[arg(long, value_name = "CC,...", required_unless_present = "check")]
    cc: Vec<String>,

    /// Directory for the results
    #[arg(long, value_name = "DIR", required_unless_present = "check")]
    out: Option<PathBuf>,

    /// Decides all that is random
    #[arg(long, default_value_t = 1, value_parser = values::seed, allow_negative_numbers = true)]
    seed: u64,

    /// Several seeds, first and last: 1..5
    #[arg(long, value_name = "FIRST..LAST", value_parser = seeds, conflicts_with = "seed", allow_hyphen_values = true)]
    seeds: Option<Seeds>,

    /// Replace a value of the scenario: duration=60s, link.NAME.rate=10Mbps, flow.NAME.rtt=40ms; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,

    /// Try several values, with commas between, or semicolons if values contain commas; may be repeated
    #[arg(long, value_name = "KEY=V1,V2,...", value_parser = axis)]
    grid: Vec<Axis>,

    /// Give a flow a controller of its own; may be repeated
    #[arg(long, value_name = "FLOW=CC", value_parser = assignment)]
    cc_for: Vec<(String, String)>,

    /// Runs at the same time [default: one per core]
    #[arg(long, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,

    /// Write a qlog trace of every server, to qlog/ beside the summary
    #[arg(long)]
    qlog: bool,

    /// Write what the network did with every packet, to record.parquet beside the summary (docs/run-record.md)
    #[arg(long)]
    record: bool,

    /// Draw goodput, queueing delay, windows and queues over time, to plots/ beside the summary
    #[arg(long)]
    plots: bool,

    /// Only say whether the scenarios can be used
    #[arg(long, conflicts_with_all = ["cc", "out", "grid", "cc_for", "qlog", "record", "plots", "seeds"])]
    check: bool,
}

#[derive(Debug, Clone)]
struct Seeds(Vec<u64>);

/// More runs than these are a slip.
const MOST_SEEDS: u64 = 100_000;

fn seeds(text: &str) -> Result<Seeds, String> {
    let ends = text.split_once("..");
    let ends = ends.and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    match ends {
        Some((first, last)) if first <= last && last - first < MOST_SEEDS => {
            Ok(Seeds((first..=last).collect()))
        }
        _ => Err(format!(
            "allowed are two whole numbers such as 1..5, both included, at most {MOST_SEEDS} seeds"
        )),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err("allowed is NAME=VALUE".to_owned()),
    }
}

fn axis(text: &str) -> Result<Axis, String> {
    const ALLOWED: &str = "allowed is KEY=V1,V2,..., such as link.bottleneck.rate=1Mbps,10Mbps";
    let (key, values) = assignment(text).map_err(|_| ALLOWED.to_owned())?;
    let separator = if values.contains(';') { ';' } else { ',' };
    let values: Vec<_> = values.split(separator).map(str::to_owned).collect();
    if values.iter().any(String::is_empty) {
        return Err(format!("a value is empty; {ALLOWED}"));
    }
    Ok(Axis { key, values })
}

/// Does it.
pub fn run(args: &RunArgs, plugins: &[PathBuf]) -> Status {
    if args.check {
        return check(args);
    }
    let [file] = args.scenario.as_slice() else {
        eprintln!("error: one scenario at a time; --check takes several");
        return Status::Usage;
    };
    let plans = match args.sweep().plan(file) {
        Ok(plans) => plans,
        Err(error) => {
            eprintln!("error: {}", args.in_words(&error));
            return Status::Usage;
        }
    };
    let out = args.out.as_deref().expect("clap requires it");
    let versions = match Versions::of_this_program(plugins) {
        Ok(versions) => versions,
        Err(error) => {
            eprintln!("error: a plugin cannot be read: {error}");
            return Status::Failed;
        }
    };
    let results = execute(args, out, &plans, &versions);
    let done: Vec<_> = plans
        .iter()
        .zip(&results)
        .filter_map(|(plan, summary)| Some((plan.name.as_str(), summary.as_ref()?)))
        .collect();
    if !done.is_empty() {
        print!("{}", table::tables(&done));
    }
    if done.len() == plans.len() {
        Status::Success
    } else {
        Status::Failed
    }
}

fn check(args: &RunArgs) -> Status {
    let overrides = Overrides(args.set.clone());
    let mut status = Status::Success;
    for file in &args.scenario {
        match scenario::load(file, &overrides) {
            Ok(_) => println!("{}: fine", file.display()),
            Err(error) => {
                eprintln!("error: {}", args.in_words(&error.into()));
                status = Status::Usage;
            }
        }
    }
    status
}

/// The summaries of runs that succeeded, in the order of `plans`.
fn execute(
    args: &RunArgs,
    out: &Path,
    plans: &[Plan],
    versions: &Versions,
) -> Vec<Option<Summary>> {
    let directory = |plan: &Plan| match plans {
        [_] => out.to_owned(),
        _ => out.join(&plan.name),
    };
    let writes = |plan: &Plan| args.writes(plan, &directory(plan), versions);
    let digest = |plan: &Plan, record: &Record| {
        let summary = Summary::of(plan, record);
        write(&directory(plan), results(plan, record, &summary))?;
        if args.plots {
            let figures = series::figures(&plan.scenario, record).into_iter();
            let figures = figures.map(|(name, figure)| (name, figure.svg()));
            write(&directory(plan).join("plots"), figures)?;
        }
        Ok(summary)
    };
    let mut progress = Progress::new(plans);
    let mut summaries: Vec<Option<Summary>> = plans.iter().map(|_| None).collect();
    sweep::execute(plans, args.jobs(), &writes, &digest, |event| match event {
        Event::Begun(run) => progress.begun(run),
        Event::Reached(run, at) => progress.reached(run, at),
        Event::Over(run, Ok(summary)) => {
            progress.over(run, summary.overall.simulated_packets);
            summaries[run] = Some(summary);
        }
        Event::Over(run, Err(failure)) => progress.failed(run, &failure),
    });
    progress.end();
    summaries
}

/// Files with their content.
fn results(plan: &Plan, record: &Record, summary: &Summary) -> [(&'static str, String); 3] {
    [
        ("summary.json", json::to_text(summary)),
        ("flows.csv", series::flows(&plan.scenario, record)),
        ("links.csv", series::links(&plan.scenario, record)),
    ]
}

fn make(directory: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(directory).map_err(|error| failure(directory, error))
}

fn failure(path: &Path, error: std::io::Error) -> Failure {
    Failure::Output {
        path: path.to_owned(),
        error,
    }
}

fn write(
    directory: &Path,
    files: impl IntoIterator<Item = (&'static str, String)>,
) -> Result<(), Failure> {
    make(directory)?;
    for (name, text) in files {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|error| failure(&path, error))?;
    }
    Ok(())
}

impl RunArgs {
    /// What is wrong, with the option whose value it is.
    fn in_words(&self, error: &SweepError) -> String {
        let SweepError::Scenario(wrong) = error else {
            return error.to_string();
        };
        let Some((key, value)) = wrong.given() else {
            return error.to_string();
        };
        // As a run has them: what is tried replaces what is set.
        let option = match self.grid.iter().any(|axis| axis.key == key) {
            true => "--grid",
            false => "--set",
        };
        format!("{option} {key}={value}: {}", wrong.message())
    }

    fn sweep(&self) -> Sweep {
        Sweep {
            controllers: self.cc.iter().flat_map(|list| sweep::split(list)).collect(),
            seeds: match &self.seeds {
                Some(Seeds(seeds)) => seeds.clone(),
                None => vec![self.seed],
            },
            set: self.set.clone(),
            grid: self.grid.clone(),
            fixed: self.cc_for.clone(),
        }
    }

    /// What a run writes while it is made, and the directories for it.
    fn writes(
        &self,
        plan: &Plan,
        directory: &Path,
        versions: &Versions,
    ) -> Result<Writes, Failure> {
        let mut writes = Writes::default();
        if self.qlog {
            let qlog = directory.join("qlog");
            make(&qlog)?;
            writes.qlog = Some(qlog);
        }
        if self.record {
            let path = directory.join("record.parquet");
            make(directory)?;
            let recording = Recording::of(plan, versions, &path);
            writes.recording = Some(recording.map_err(|error| failure(&path, error))?);
        }
        Ok(writes)
    }

    fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().ok();
        self.jobs.or_else(cores).map_or(1, NonZeroUsize::get)
    }
}
