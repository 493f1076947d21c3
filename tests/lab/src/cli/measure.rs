//! Runs whose results are kept in a file, for commands that make many of them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use serde::de::DeserializeOwned;
use serde::Serialize;

use super::progress::Progress;
use super::values;
use crate::asked::Asked;
use crate::record::Record;
use crate::store::Store;
use crate::sweep::{self, Event, Failure, Plan, Writes};
use crate::version::Versions;

/// Of lines that cannot be used, so many are named; a file of another release may have thousands.
const NAMED: usize = 5;

/// Where results go, and which are taken from there.
#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// Directory for the results; DIR/runs.jsonl has every finished run, and a later call makes only what it lacks
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Runs at the same time [default: one per core]
    #[arg(long, value_name = "N", value_parser = values::jobs, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,

    /// Forget the runs of DIR/runs.jsonl, and make all of them
    #[arg(long)]
    again: bool,

    /// Make no run: only what DIR/runs.jsonl has is reported, and what it lacks is named
    #[arg(long, conflicts_with = "again")]
    stored: bool,

    /// Make no run and no report: print the runs that DIR/runs.jsonl lacks, in lines of JSON for `cc-lab shard`
    #[arg(long, conflicts_with = "stored")]
    pub missing: bool,
}

/// Runs, and what is asked for of each.
pub struct Task<'a, T> {
    /// The runs.
    pub plans: &'a [Plan],
    /// Whether it is made where the file does not have it.
    pub wanted: &'a dyn Fn(&Plan) -> bool,
    /// What is asked for, beyond what the program does with every run.
    pub asked: &'a dyn Fn(&Plan) -> Asked,
    /// The result.
    pub digest: &'a (dyn Fn(&Plan, &Record) -> Result<T, Failure> + Sync),
}

impl<T: Clone + Serialize + DeserializeOwned> Task<'_, T> {
    /// The results that are there, by run.
    pub fn found(&self, store: &Store<T>) -> Vec<Option<T>> {
        let find = |plan: &Plan| store.find(plan, &(self.asked)(plan).words()).cloned();
        self.plans.iter().map(find).collect()
    }

    /// The places of the runs that are to be made.
    pub fn missing(&self, results: &[Option<T>]) -> Vec<usize> {
        let is_missing = |run: &usize| results[*run].is_none() && (self.wanted)(&self.plans[*run]);
        (0..results.len()).filter(is_missing).collect()
    }
}

impl MeasureArgs {
    /// What every run gave; nothing for those that failed, which are named on standard error, or that were not to be made.
    ///
    /// # Errors
    /// What stands in the way of keeping results, for people.
    pub fn measure<T>(
        &self,
        plugins: &[PathBuf],
        task: &Task<'_, T>,
    ) -> Result<Vec<Option<T>>, String>
    where
        T: Clone + Send + Serialize + DeserializeOwned,
    {
        let mut store = self.open(plugins)?;
        let mut results = task.found(&store);
        let missing = task.missing(&results);
        let found = results.iter().flatten().count();
        if found > 0 {
            let file = self.file().display().to_string();
            eprintln!(
                "{found} of {} runs are taken from {file}; --again makes them anew",
                results.len()
            );
        }
        if self.stored {
            return Ok(results);
        }
        let plans: Vec<Plan> = missing.iter().map(|run| task.plans[*run].clone()).collect();
        let mut wrong = None;
        self.execute(&plans, task, |place, result| {
            let plan = &plans[place];
            match store.add(plan, &(task.asked)(plan).words(), result) {
                Ok(kept) => results[missing[place]] = Some(kept.clone()),
                Err(error) => wrong = Some(format!("{}: {error}", self.file().display())),
            }
        });
        wrong.map_or(Ok(results), Err)
    }

    pub(super) fn file(&self) -> PathBuf {
        self.out.join("runs.jsonl")
    }

    pub(super) fn open<T: Serialize + DeserializeOwned>(
        &self,
        plugins: &[PathBuf],
    ) -> Result<Store<T>, String> {
        let path = self.file();
        let file = path.display();
        let versions = Versions::of_this_program(plugins)
            .map_err(|error| format!("a plugin cannot be read: {error}"))?;
        let mut skipped = 0;
        let store = Store::open(&path, versions, self.again, |line, error| {
            skipped += 1;
            if skipped <= NAMED {
                eprintln!("{file}:{line}: is left out, so its run is made again: {error}");
            }
        });
        if skipped > NAMED {
            eprintln!("{file}: so are {} lines more", skipped - NAMED);
        }
        store.map_err(|error| format!("{file} cannot be written: {error}"))
    }

    fn execute<T: Send>(&self, plans: &[Plan], task: &Task<'_, T>, mut done: impl FnMut(usize, T)) {
        let cores = || std::thread::available_parallelism().ok();
        let jobs = self.jobs.or_else(cores).map_or(1, NonZeroUsize::get);
        let mut progress = Progress::new(plans);
        let digest = |plan: &Plan, record: &Record| {
            let result = (task.digest)(plan, record)?;
            Ok((result, record.simulated_packets))
        };
        sweep::execute(
            plans,
            jobs,
            &|_| Ok(Writes::default()),
            &digest,
            |event| match event {
                Event::Begun(run) => progress.begun(run),
                Event::Reached(run, at) => progress.reached(run, at),
                Event::Over(run, Ok((result, packets))) => {
                    progress.over(run, packets);
                    done(run, result);
                }
                Event::Over(run, Err(failure)) => progress.failed(run, &failure),
            },
        );
        progress.end();
    }
}
