//! Runs that are made elsewhere: all that decides a result, in a line of JSON, and recordings in lines of their own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use boring::sha::sha256;
use quiche_cc_bottleneck::RateModel;
use serde::{Deserialize, Serialize};

use crate::asked::Asked;
use crate::compare::Outcome;
use crate::record::Record;
use crate::scenario::{self, Overrides, Scenario};
use crate::store::{self, Key};
use crate::sweep::{self, Failure, Plan};
use crate::version::{hex, Versions};

/// A line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// The file that lacks the runs of the lines below.
    Store(PathBuf),
    /// A recording, in front of the runs that need it.
    Recording {
        /// SHA-256 of the text.
        digest: String,
        /// The file's content.
        text: String,
    },
    /// A run.
    Job(Job),
}

/// A run that is to be made.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The run's name, for people, and to tell it from the others.
    pub name: String,
    /// See [`Key`].
    pub run: String,
    /// See [`Key`].
    version: String,
    /// About how many packets it delivers: how long it takes, beside others.
    packets: u64,
    cc: String,
    seed: u64,
    asked: Asked,
    /// The scenario's file.
    scenario: String,
    /// By link, the digests of their recordings.
    recordings: BTreeMap<String, String>,
}

/// Why a run cannot be made here.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Its result would be another one.
    #[error("run {0} is for another version of cc-lab: of its model, or of the controllers that take part")]
    Version(String),
    /// What arrived is not what was sent.
    #[error("run {0} is another one here: its line was changed")]
    Changed(String),
    /// The scenario.
    #[error("run {0}: {1}")]
    Scenario(String, sweep::SweepError),
    /// A recording.
    #[error("run {0}: no recording {1} stands in front of it")]
    Recording(String, String),
    /// A file.
    #[error("run {0}: {1}")]
    File(String, io::Error),
}

impl Job {
    /// The run of `plan`, of which `asked` is asked for, and its recordings by their digests.
    ///
    /// # Errors
    /// A recording cannot be read.
    pub fn of(plan: &Plan, asked: Asked, key: Key) -> io::Result<(Self, Recordings)> {
        let (mut by_link, mut texts) = (BTreeMap::new(), Recordings::default());
        for link in &plan.scenario.links {
            if let RateModel::Trace(path) = &link.config.rate {
                let text = fs::read_to_string(path)?;
                by_link.insert(link.name.clone(), texts.add(text));
            }
        }
        let job = Self {
            name: plan.name.clone(),
            run: key.run,
            version: key.version,
            packets: packets(&plan.scenario),
            cc: plan.cc.clone(),
            seed: plan.seed,
            asked,
            scenario: plan.text.clone(),
            recordings: by_link,
        };
        Ok((job, texts))
    }

    /// The run, with its recordings in `directory`.
    ///
    /// # Errors
    /// It would not give what was asked for.
    pub fn plan(
        &self,
        versions: &Versions,
        recordings: &Recordings,
        directory: &Path,
    ) -> Result<Plan, Refusal> {
        let name = || self.name.clone();
        let mut overrides = Overrides::default();
        for (link, digest) in &self.recordings {
            let file = recordings.lay(digest, directory);
            let file = file.map_err(|error| Refusal::File(name(), error))?;
            let file = file.ok_or_else(|| Refusal::Recording(name(), digest.clone()))?;
            let rate = format!("trace:{}", file.display());
            overrides.0.push((format!("link.{link}.rate"), rate));
        }
        let wrong = |error| Refusal::Scenario(name(), error);
        let scenario = scenario::parse(&self.scenario, &self.name, directory, &overrides);
        let scenario = scenario.map_err(|error| wrong(error.into()))?;
        quiche_cc::parse(&self.cc).map_err(|error| wrong(error.into()))?;
        let plan = Plan {
            name: name(),
            scenario,
            text: self.scenario.clone(),
            cc: self.cc.clone(),
            seed: self.seed,
            parameters: Vec::new(),
        };
        let key = Key::of(&plan, &self.asked.words(), versions);
        let key = key.map_err(|error| Refusal::File(name(), error))?;
        match (key.version == self.version, key.run == self.run) {
            (false, _) => Err(Refusal::Version(name())),
            (true, false) => Err(Refusal::Changed(name())),
            (true, true) => Ok(plan),
        }
    }

    /// The line of the store, from the run that `plan` was.
    ///
    /// # Errors
    /// There is nothing to tell about it.
    pub fn line(&self, plan: &Plan, record: &Record) -> Result<String, Failure> {
        let key = Key {
            run: self.run.clone(),
            version: self.version.clone(),
        };
        let line = match &self.asked {
            Asked::Outcome => {
                let outcome = Outcome::of(plan, record).ok_or(Failure::NothingArrived)?;
                store::line(&self.name, &key, outcome)
            }
            Asked::Measured(wanted) => store::line(&self.name, &key, wanted.of(plan, record)),
        };
        Ok(line.expect("numbers and texts become JSON"))
    }
}

/// Texts of recordings by their digests.
#[derive(Debug, Default)]
pub struct Recordings(HashMap<String, String>);

impl Recordings {
    /// The digest of the text, which is kept.
    pub fn add(&mut self, text: String) -> String {
        let digest = hex(&sha256(text.as_bytes()));
        self.0.insert(digest.clone(), text);
        digest
    }

    /// Those that `others` do not have, which are then there, too.
    pub fn not_in(self, others: &mut Self) -> Vec<Item> {
        let mut items = Vec::new();
        for (digest, text) in self.0 {
            if others.0.insert(digest.clone(), text.clone()).is_none() {
                items.push(Item::Recording { digest, text });
            }
        }
        items
    }

    /// The file of the recording in `directory`, if there is one with this digest.
    fn lay(&self, digest: &str, directory: &Path) -> io::Result<Option<PathBuf>> {
        let Some(text) = self.0.get(digest) else {
            return Ok(None);
        };
        let file = directory.join(digest);
        if !file.exists() {
            fs::write(&file, text)?;
        }
        Ok(Some(file))
    }
}

/// About so many leave the slowest links of all flows' paths, if these are full from start to end.
fn packets(scenario: &Scenario) -> u64 {
    let rate = |link: usize| {
        let rate = scenario.links[link].config.rate.build().ok()?.1;
        rate.map(|rate| rate.bits_per_sec())
    };
    let slowest = scenario.flows.iter().filter_map(|flow| {
        let links = flow.route.to_client.iter();
        links.filter_map(|link| Some((rate(*link)?, *link))).min()
    });
    let slowest: BTreeSet<(u64, usize)> = slowest.collect();
    let rates: u64 = slowest.iter().map(|(rate, _)| rate).sum();
    let bits = rates as f64 * scenario.duration.as_secs_f64();
    (bits / 8.0 / f64::from(scenario.datagram)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::{self, Cases, Loaded};
    use crate::compare::Suite;

    const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

    fn versions() -> Versions {
        Versions::new("model", "controllers")
    }

    /// Sends the run, and gives what arrived.
    fn sent(plan: &Plan, asked: Asked) -> Result<Plan, Refusal> {
        let key = Key::of(plan, &asked.words(), &versions()).unwrap();
        let (job, recordings) = Job::of(plan, asked, key).unwrap();
        let text = serde_json::to_string(&job).unwrap();
        let arrived: Job = serde_json::from_str(&text).unwrap();
        let directory = tempfile::tempdir().unwrap();
        arrived.plan(&versions(), &recordings, directory.path())
    }

    fn files(directory: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(format!("{TESTS}/{directory}")).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        files
            .filter(|file| file.extension().is_some_and(|end| end == "toml"))
            .collect()
    }

    /// Of every run with one seed, since the key tells whether what arrives is what was sent.
    #[test]
    fn every_run_of_claims_and_targets_arrives_as_it_was_sent() {
        crate::neighbour::register().unwrap();
        for directory in ["papers", "targets", "safety", "rfc9743", "hunt/bounds"] {
            for file in files(directory) {
                let Loaded::ClaimSet(set) = claims::load(&file, claims::Given::default()).unwrap()
                else {
                    continue;
                };
                let sets = [set];
                let cases = Cases::of(&sets);
                for plan in cases.plans.iter().filter(|plan| plan.seed == 1) {
                    let asked = Asked::Measured(cases.asked(&sets, plan));
                    let arrived = sent(plan, asked);
                    assert!(arrived.is_ok(), "{}: {:?}", file.display(), arrived.err());
                }
            }
        }
    }

    #[test]
    fn every_run_of_suites_arrives_as_it_was_sent() {
        crate::neighbour::register().unwrap();
        for file in files("suites") {
            let suite = Suite::load(&file, &[]).unwrap();
            for plan in suite.plan().unwrap().iter().filter(|plan| plan.seed == 1) {
                let arrived = sent(plan, Asked::Outcome);
                assert!(arrived.is_ok(), "{}: {:?}", file.display(), arrived.err());
            }
        }
    }
}
