//! Results of finished runs, kept in a file, so that what was interrupted goes on where it stopped.
//!
//! A run's result holds for everything that it depends on: the resolved scenario with the contents of its recordings, the controller,
//! the seed, what was asked for, and the versions of what is simulated. Every line stands for itself, so that files may be put
//! together, and several processes may add to one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use boring::sha::Sha256;
use quiche_cc_bottleneck::RateModel;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::scenario::Scenario;
use crate::sweep::Plan;
use crate::version::{hex, Versions};

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<T> {
    /// The run's name, for people.
    name: String,
    /// See [`Key`].
    run: String,
    /// See [`Versions::of`].
    version: String,
    result: T,
}

/// What the result of a run is kept under.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    /// A digest of everything that the result depends on, but for the versions.
    pub run: String,
    /// See [`Versions::of`].
    pub version: String,
}

impl Key {
    /// Of this run, of which `asked` is asked for.
    ///
    /// # Errors
    /// A recording of the scenario cannot be read.
    pub fn of(plan: &Plan, asked: &str, versions: &Versions) -> io::Result<Self> {
        Ok(Self {
            run: identity(plan, asked)?,
            version: versions.of(plan),
        })
    }
}

/// A line of a store, without its end.
///
/// # Errors
/// The result cannot be written as JSON.
pub fn line<T: Serialize>(name: &str, key: &Key, result: T) -> io::Result<String> {
    let line = Line {
        name: name.to_owned(),
        run: key.run.clone(),
        version: key.version.clone(),
        result,
    };
    Ok(serde_json::to_string(&line)?)
}

/// The file with what it holds.
pub struct Store<T> {
    file: File,
    versions: Versions,
    lines: Vec<Line<T>>,
}

impl<T: Serialize + DeserializeOwned> Store<T> {
    /// Opens the file, or makes it; what it has is removed if all is to be made `again`. A line that cannot be used is reported to
    /// `skipped` with its number, and left out: its run is made again.
    ///
    /// # Errors
    /// The file or its directory cannot be read or written.
    pub fn open(
        path: &Path,
        versions: Versions,
        again: bool,
        mut skipped: impl FnMut(usize, serde_json::Error),
    ) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut options = File::options();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        if again {
            file.set_len(0)?;
        }
        // Bytes, for what was cut off may be no text.
        let bytes = std::fs::read(path)?;
        let mut lines = Vec::new();
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            match serde_json::from_slice(line) {
                Ok(line) => lines.push(line),
                Err(error) => skipped(number + 1, error),
            }
        }
        if bytes.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n")?;
        }
        Ok(Self {
            file,
            versions,
            lines,
        })
    }

    /// The result of this run, of which `asked` was asked for, if there is one that holds.
    pub fn find(&self, plan: &Plan, asked: &str) -> Option<&T> {
        let key = self.key(plan, asked).ok()?;
        let same = |line: &&Line<T>| line.run == key.run && line.version == key.version;
        self.lines.iter().rev().find(same).map(|line| &line.result)
    }

    /// What this run's result is kept under.
    ///
    /// # Errors
    /// A recording of the scenario cannot be read.
    pub fn key(&self, plan: &Plan, asked: &str) -> io::Result<Key> {
        Key::of(plan, asked, &self.versions)
    }

    /// Writes the result at once, and gives it back as a later start reads it: the last digit of a number may differ.
    ///
    /// # Errors
    /// A recording of the scenario cannot be read, or the file cannot be written.
    pub fn add(&mut self, plan: &Plan, asked: &str, result: T) -> io::Result<&T> {
        let text = line(&plan.name, &self.key(plan, asked)?, result)?;
        // In one piece: what is interrupted spoils one line at most.
        self.file.write_all(format!("{text}\n").as_bytes())?;
        self.lines.push(serde_json::from_str(&text)?);
        Ok(&self.lines[self.lines.len() - 1].result)
    }
}

/// A recording counts by its content, wherever it is.
fn identity(plan: &Plan, asked: &str) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut part = |bytes: &[u8]| {
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    // The Debug form has every field, and numbers to the last digit.
    part(format!("{:?}", without_paths(&plan.scenario)).as_bytes());
    part(plan.cc.as_bytes());
    part(&plan.seed.to_le_bytes());
    part(asked.as_bytes());
    for link in &plan.scenario.links {
        if let RateModel::Trace(path) = &link.config.rate {
            part(&std::fs::read(path)?);
        }
    }
    Ok(hex(&digest.finish()))
}

fn without_paths(scenario: &Scenario) -> Scenario {
    let mut scenario = scenario.clone();
    for link in &mut scenario.links {
        if let RateModel::Trace(path) = &mut link.config.rate {
            path.clear();
        }
    }
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{self, Overrides};

    const SCENARIO: &str = r#"
title = "short"
duration = "6s"
[[link]]
name = "bottleneck"
rate = "4Mbps"
[[flow]]
name = "main"
path = ["bottleneck"]
rtt = "20ms"
traffic = { kind = "unlimited" }
"#;

    const OLD: [&str; 2] = ["model", "controllers"];

    fn plan(text: &str, cc: &str, seed: u64) -> Plan {
        Plan {
            name: format!("{cc},seed={seed}"),
            scenario: scenario::parse(text, "test", Path::new(""), &Overrides::default()).unwrap(),
            text: text.to_owned(),
            cc: cc.to_owned(),
            seed,
            parameters: Vec::new(),
        }
    }

    /// The store in this directory for these versions of model and controllers, and the numbers of the lines that it skipped.
    fn open(directory: &Path, [model, controllers]: [&str; 2]) -> (Store<f64>, Vec<usize>) {
        let mut skipped = Vec::new();
        let path = directory.join("runs.jsonl");
        let versions = Versions::new(model, controllers);
        let store = Store::open(&path, versions, false, |line, _| skipped.push(line)).unwrap();
        (store, skipped)
    }

    #[test]
    fn a_result_is_found_again_and_only_for_the_same_run() {
        let directory = tempfile::tempdir().unwrap();
        let made = plan(SCENARIO, "reno", 1);
        let (mut store, _) = open(directory.path(), OLD);
        assert_eq!(store.find(&made, ""), None);
        let given = *store.add(&made, "", 0.1 + 0.2).unwrap();
        let (store, skipped) = open(directory.path(), OLD);
        assert_eq!(store.find(&made, ""), Some(&given));
        assert!(skipped.is_empty());
        for other in [
            plan(SCENARIO, "cubic", 1),
            plan(SCENARIO, "reno", 2),
            plan(&SCENARIO.replace("4Mbps", "5Mbps"), "reno", 1),
            plan(&SCENARIO.replace("20ms", "20.000001ms"), "reno", 1),
        ] {
            assert_eq!(store.find(&other, ""), None, "{other:?}");
        }
        assert_eq!(store.find(&made, "something else"), None);
    }

    #[test]
    fn a_result_holds_as_long_as_what_it_depends_on_is_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let beside = SCENARIO.replace("rtt =", "cc = \"hybrid\"\nrtt =");
        let plans = [
            plan(SCENARIO, "reno", 1),
            plan(SCENARIO, "hybrid", 1),
            plan(&beside, "reno", 1),
        ];
        let (mut store, _) = open(directory.path(), OLD);
        for plan in &plans {
            store.add(plan, "", 1.0).unwrap();
        }
        let found = |versions| {
            let (store, _) = open(directory.path(), versions);
            plans.each_ref().map(|plan| store.find(plan, "").is_some())
        };
        assert_eq!(found(OLD), [true, true, true]);
        assert_eq!(found(["model", "new"]), [true, false, false]);
        assert_eq!(found(["new", "controllers"]), [false, false, false]);
    }

    #[test]
    fn files_of_shards_are_put_together_and_two_processes_may_add_to_one() {
        let directory = tempfile::tempdir().unwrap();
        let plans = [1, 2, 3, 4].map(|seed| plan(SCENARIO, "reno", seed));
        let shards = ["one", "two"].map(|name| directory.path().join(name));
        for (shard, plans) in shards.iter().zip(plans[..2].chunks(1)) {
            let (mut store, _) = open(shard, OLD);
            store.add(&plans[0], "", 1.0).unwrap();
        }
        let both: Vec<u8> = shards
            .iter()
            .flat_map(|shard| std::fs::read(shard.join("runs.jsonl")).unwrap())
            .collect();
        std::fs::write(directory.path().join("runs.jsonl"), both).unwrap();
        let (mut one, mut other) = (open(directory.path(), OLD).0, open(directory.path(), OLD).0);
        one.add(&plans[2], "", 2.0).unwrap();
        other.add(&plans[3], "", 3.0).unwrap();
        one.add(&plans[3], "", 3.0).unwrap();
        let (store, skipped) = open(directory.path(), OLD);
        let found = plans.each_ref().map(|plan| store.find(plan, "").copied());
        assert_eq!(found, [1.0, 1.0, 2.0, 3.0].map(Some));
        assert!(skipped.is_empty());
    }

    #[test]
    fn a_line_that_was_cut_off_is_named_and_does_not_spoil_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("runs.jsonl");
        let plans = [1, 2, 3].map(|seed| plan(SCENARIO, "reno", seed));
        let (mut store, _) = open(directory.path(), OLD);
        for plan in &plans[..2] {
            store.add(plan, "", 1.0).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
        let (mut store, skipped) = open(directory.path(), OLD);
        assert_eq!(skipped, [2]);
        assert_eq!(store.find(&plans[1], ""), None);
        store.add(&plans[2], "", 3.0).unwrap();
        let (store, skipped) = open(directory.path(), OLD);
        assert_eq!(skipped, [2]);
        assert_eq!(store.find(&plans[0], ""), Some(&1.0));
        assert_eq!(store.find(&plans[2], ""), Some(&3.0));
    }

    #[test]
    fn a_recording_counts_by_its_content_wherever_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let in_file = |name: &str, text: &str| {
            let trace = directory.path().join(name);
            std::fs::write(&trace, text).unwrap();
            let text = SCENARIO.replace("4Mbps", &format!("trace:{}", trace.display()));
            let versions = Versions::new("model", "controllers");
            Key::of(&plan(&text, "reno", 1), "", &versions).unwrap()
        };
        let one = in_file("one.trace", "1\n2\n");
        assert_eq!(one, in_file("other.trace", "1\n2\n"));
        assert_ne!(one, in_file("another.trace", "1\n3\n"));
    }

    #[test]
    fn a_recording_that_changed_is_another_run_and_again_forgets_all() {
        let directory = tempfile::tempdir().unwrap();
        let trace = directory.path().join("up.trace");
        std::fs::write(&trace, "1\n2\n").unwrap();
        let text = SCENARIO.replace("4Mbps", &format!("trace:{}", trace.display()));
        let made = plan(&text, "reno", 1);
        let (mut store, _) = open(directory.path(), OLD);
        store.add(&made, "", 1.0).unwrap();
        assert!(store.find(&made, "").is_some());
        std::fs::write(&trace, "1\n3\n").unwrap();
        assert_eq!(store.find(&made, ""), None);
        std::fs::write(&trace, "1\n2\n").unwrap();
        let path = directory.path().join("runs.jsonl");
        let [model, controllers] = OLD;
        let versions = Versions::new(model, controllers);
        let store = Store::<f64>::open(&path, versions, true, |_, _| ()).unwrap();
        assert_eq!(store.find(&made, ""), None);
        drop(store);
        assert_eq!(
            std::fs::read(directory.path().join("runs.jsonl")).unwrap(),
            b""
        );
    }
}
