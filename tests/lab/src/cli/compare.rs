//! `cc-lab compare`.

use std::path::PathBuf;

use clap::Args;

use super::measure::{MeasureArgs, Task};
use super::Status;
use crate::compare::{self, Outcome, Suite};
use crate::record::Record;
use crate::sweep::{self, Failure, Plan};

/// Compare controllers over many paths
///
/// A suite names a scenario, controllers, and axes along which the scenario varies. Writes
/// results.json, report.md, report.html and figures/ to DIR, and prints the table.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct CompareArgs {
    /// The suite
    #[arg(value_name = "SUITE.toml", default_value = "tests/suites/paths.toml")]
    suite: PathBuf,

    /// Controllers instead of the suite's, with commas between; may be repeated
    #[arg(long, value_name = "CC,...")]
    cc: Vec<String>,

    #[command(flatten)]
    measure: MeasureArgs,
}

/// Does it. The program loaded these `plugins`.
pub fn run(args: &CompareArgs, plugins: &[PathBuf]) -> Status {
    let controllers: Vec<_> = args.cc.iter().flat_map(|list| sweep::split(list)).collect();
    let suite = Suite::load(&args.suite, &controllers);
    let (suite, plans) = match suite.and_then(|suite| suite.plan().map(|plans| (suite, plans))) {
        Ok(ready) => ready,
        Err(error) => {
            eprintln!("error: {error}");
            return Status::Usage;
        }
    };
    let task = Task {
        plans: &plans,
        asked: &|_| String::new(),
        digest: &|plan: &Plan, record: &Record| {
            Outcome::of(plan, record).ok_or(Failure::NothingArrived)
        },
    };
    let outcomes = match args.measure.measure(plugins, &task) {
        Ok(outcomes) => outcomes,
        Err(message) => {
            eprintln!("error: {message}");
            return Status::Failed;
        }
    };
    let entries = compare::entries(&suite, &outcomes);
    let without: Vec<&str> = plans
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome.is_none())
        .map(|(plan, _)| plan.name.as_str())
        .collect();
    print!("{}", compare::table(&suite, &entries));
    if let Err((path, error)) = compare::write(&args.measure.out, &suite, &entries, &without) {
        eprintln!("error: {} cannot be written: {error}", path.display());
        return Status::Failed;
    }
    match without.is_empty() {
        true => Status::Success,
        false => Status::Failed,
    }
}
