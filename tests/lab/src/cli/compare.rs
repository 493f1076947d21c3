//! `cc-lab compare`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::progress::Progress;
use super::Status;
use crate::compare::{self, Outcome, Suite};
use crate::record::Record;
use crate::sweep::{self, Event, Plan};

/// Compare controllers over many paths
///
/// A suite names a scenario, controllers, and axes along which the scenario varies. Writes
/// results.json, report.md, report.html and figures/ to DIR, and prints the table.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct CompareArgs {
    /// The suite
    #[arg(
        value_name = "SUITE.toml",
        default_value = "tests/suites/incumbents.toml"
    )]
    suite: PathBuf,

    /// Controllers instead of the suite's, with commas between; may be repeated
    #[arg(long, value_name = "CC,...")]
    cc: Vec<String>,

    /// Directory for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Runs at the same time [default: one per core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Does it.
pub fn run(args: &CompareArgs) -> Status {
    let controllers: Vec<_> = args.cc.iter().flat_map(|list| sweep::split(list)).collect();
    let suite = Suite::load(&args.suite, &controllers);
    let (suite, plans) = match suite.and_then(|suite| suite.plan().map(|plans| (suite, plans))) {
        Ok(ready) => ready,
        Err(error) => {
            eprintln!("error: {error}");
            return Status::Usage;
        }
    };
    let Some(outcomes) = measure(args, &plans) else {
        return Status::Failed;
    };
    let entries = compare::entries(&suite, &outcomes);
    print!("{}", compare::table(&suite, &entries));
    if let Err((path, error)) = compare::write(&args.out, &suite, &entries) {
        eprintln!("error: {} cannot be written: {error}", path.display());
        return Status::Failed;
    }
    Status::Success
}

/// What every run gave, if all succeeded.
fn measure(args: &CompareArgs, plans: &[Plan]) -> Option<Vec<Outcome>> {
    let cores = || std::thread::available_parallelism().ok();
    let jobs = args.jobs.or_else(cores).map_or(1, NonZeroUsize::get);
    let mut progress = Progress::new(plans);
    let mut results: Vec<Option<Outcome>> = vec![None; plans.len()];
    let digest =
        |plan: &Plan, record: &Record| Ok((Outcome::of(plan, record), record.simulated_packets));
    sweep::execute(plans, jobs, &|_| None, &digest, |event| match event {
        Event::Begun(run) => progress.begun(run),
        Event::Reached(run, at) => progress.reached(run, at),
        Event::Over(run, Ok((outcome, packets))) => {
            progress.over(run, packets);
            results[run] = outcome;
        }
        Event::Over(run, Err(failure)) => progress.failed(run, &failure),
    });
    progress.end();
    for (plan, result) in plans.iter().zip(&results) {
        if result.is_none() {
            eprintln!("error: nothing arrived after the warm-up in {}", plan.name);
        }
    }
    results.into_iter().collect()
}
