//! What a store lacks, for those who make runs elsewhere.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::Serialize;

use super::measure::{MeasureArgs, Task};
use super::Status;
use crate::job::{Item, Job, Recordings};

impl MeasureArgs {
    /// Prints the store, and all that is needed to make the runs that it lacks, each of them once.
    pub fn list<T>(&self, plugins: &[PathBuf], task: &Task<'_, T>) -> Status
    where
        T: Clone + Serialize + DeserializeOwned,
    {
        let listed = self.items(plugins, task, &mut |item| {
            let line = serde_json::to_string(item)?;
            writeln!(io::stdout(), "{line}")
        });
        match listed {
            Ok(()) => Status::Success,
            Err(message) => {
                eprintln!("error: {message}");
                Status::Failed
            }
        }
    }

    fn items<T>(
        &self,
        plugins: &[PathBuf],
        task: &Task<'_, T>,
        give: &mut dyn FnMut(&Item) -> io::Result<()>,
    ) -> Result<(), String>
    where
        T: Clone + Serialize + DeserializeOwned,
    {
        let store = self.open(plugins)?;
        let mut give = |item: &Item| give(item).map_err(|error| error.to_string());
        give(&Item::Store(self.file()))?;
        let (mut given, mut known) = (HashSet::new(), Recordings::default());
        for place in task.missing(&task.found(&store)) {
            let plan = &task.plans[place];
            let asked = (task.asked)(plan);
            let job = store
                .key(plan, &asked.words())
                .and_then(|key| Job::of(plan, asked, key));
            let (job, recordings) = job.map_err(|error| format!("{}: {error}", plan.name))?;
            if given.insert(job.run.clone()) {
                for item in recordings.not_in(&mut known) {
                    give(&item)?;
                }
                give(&Item::Job(job))?;
            }
        }
        Ok(())
    }
}
