//! `cc-lab compare`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::measure::{MeasureArgs, Task};
use super::Status;
use crate::asked::Asked;
use crate::compare::{self, Known, Outcome, Remarks, Suite};
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

    /// Make only runs with these controllers; of others what there is is reported, and the rest is named. With commas between; may
    /// be repeated
    #[arg(long, value_name = "CC,...")]
    measure: Vec<String>,

    /// Take results that DIR/runs.jsonl lacks from this file, such as docs/results/paths.json, instead of making runs; not those of
    /// controllers that --measure names
    #[arg(long, value_name = "RESULTS.json")]
    known: Option<PathBuf>,

    #[command(flatten)]
    measured: MeasureArgs,
}

/// What is to be reported, and where results may come from.
struct Order {
    suite: Suite,
    plans: Vec<Plan>,
    /// The only controllers with which runs are made; all if empty.
    measure: Vec<String>,
    known: Option<Known>,
}

impl Order {
    /// Of what was asked for.
    fn of(args: &CompareArgs) -> Result<Self, String> {
        let suite = Suite::load(&args.suite, &split(&args.cc)).map_err(|e| e.to_string())?;
        let plans = suite.plan().map_err(|e| e.to_string())?;
        let measure = split(&args.measure);
        if let Some(unknown) = measure.iter().find(|cc| !suite.controllers.contains(cc)) {
            let controllers = suite.controllers.join(", ");
            return Err(format!(
                "--measure: `{unknown}` is not among the controllers; there are {controllers}"
            ));
        }
        let known = args.known.as_deref().map(|file| Known::load(file, &suite));
        let known = known.transpose().map_err(|e| e.to_string())?;
        Ok(Self {
            suite,
            plans,
            measure,
            known,
        })
    }

    /// The result that stands in for runs with the controller at this point.
    fn known(&self, cc: &str, point: &[&str]) -> Option<Outcome> {
        let measured = self.measure.iter().any(|own| own == cc);
        let known = self.known.as_ref().filter(|_| !measured)?;
        known.find(cc, point)
    }

    /// Whether the run is made where there is none of it.
    fn wants(&self, plan: &Plan) -> bool {
        match self.measure.is_empty() {
            true => self.known(&plan.cc, &point(plan)).is_none(),
            false => self.measure.contains(&plan.cc),
        }
    }
}

/// The values along the suite's axes.
fn point(plan: &Plan) -> Vec<&str> {
    let values = plan.parameters.iter().map(|(_, value)| value.as_str());
    values.collect()
}

fn split(lists: &[String]) -> Vec<String> {
    lists.iter().flat_map(|list| sweep::split(list)).collect()
}

/// Does it. The program loaded these `plugins`.
pub fn run(args: &CompareArgs, plugins: &[PathBuf]) -> Status {
    let order = match Order::of(args) {
        Ok(order) => order,
        Err(error) => {
            eprintln!("error: {error}");
            return Status::Usage;
        }
    };
    let task = Task {
        plans: &order.plans,
        wanted: &|plan| order.wants(plan),
        asked: &|_| Asked::Outcome,
        digest: &|plan: &Plan, record: &Record| {
            Outcome::of(plan, record).ok_or(Failure::NothingArrived)
        },
    };
    if args.measured.missing {
        return args.measured.list(plugins, &task);
    }
    match args.measured.measure(plugins, &task) {
        Ok(outcomes) => report(&order, &outcomes, &args.measured.out),
        Err(message) => {
            eprintln!("error: {message}");
            Status::Failed
        }
    }
}

/// Writes and prints what there is. It failed if a run has no result that was wanted.
fn report(order: &Order, outcomes: &[Option<Outcome>], out: &Path) -> Status {
    let suite = &order.suite;
    let entries = compare::entries(suite, outcomes, &|cc, point| order.known(cc, point));
    let runs = order.plans.iter().zip(outcomes);
    let without: Vec<&Plan> = runs
        .filter(|(_, outcome)| outcome.is_none())
        .map(|(plan, _)| plan)
        .filter(|plan| compare::find(&entries, &plan.cc, &point(plan)).is_none())
        .collect();
    let file = order.known.as_ref().map(|known| known.file.as_path());
    let remarks = Remarks {
        without: without.iter().map(|plan| plan.name.as_str()).collect(),
        taken: file.and_then(|file| compare::taken(suite, &entries, file)),
    };
    if let Some(taken) = &remarks.taken {
        eprintln!("measured by an earlier build, and taken from {taken}");
    }
    print!("{}", compare::table(suite, &entries));
    if let Err((path, error)) = compare::write(out, suite, &entries, &remarks) {
        eprintln!("error: {} cannot be written: {error}", path.display());
        return Status::Failed;
    }
    match without.iter().any(|plan| order.wants(plan)) {
        true => Status::Failed,
        false => Status::Success,
    }
}
