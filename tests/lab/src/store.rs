//! Results of finished runs, kept in a file, so that what was interrupted goes on where it stopped.
//!
//! A run's result holds for the bytes of the program that made it and for everything that the run depends on: the resolved
//! scenario with the contents of its recordings, the controller, the seed, and what was asked for.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use boring::sha::Sha256;
use quiche_cc_bottleneck::RateModel;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::scenario::Transport;
use crate::sweep::Plan;

/// What runs were made with: a digest of the running program and of the shared objects that it loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build(String);

impl Build {
    /// Of this process, which loaded these `plugins`.
    ///
    /// # Errors
    /// One of the files cannot be read.
    pub fn of_this_program(plugins: &[PathBuf]) -> io::Result<Self> {
        let mut digest = Sha256::new();
        // Even if the file was replaced since the start.
        digest.update(&std::fs::read("/proc/self/exe")?);
        for plugin in plugins {
            digest.update(&std::fs::read(plugin)?);
        }
        Ok(Self(hex(&digest.finish())))
    }
}

/// Which results may be reused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reuse {
    /// None of those that the file has; they are removed.
    pub again: bool,
    /// Runs in which only these controllers take part are reused whatever build made them.
    pub kept: Vec<String>,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<T> {
    /// The run's name, for people.
    name: String,
    /// See [`identity`].
    run: String,
    /// See [`Build`].
    build: String,
    result: T,
}

/// The file with what it holds.
pub struct Store<T> {
    file: File,
    build: Build,
    kept: Vec<String>,
    lines: Vec<Line<T>>,
}

impl<T: Serialize + DeserializeOwned> Store<T> {
    /// Opens the file, or makes it. A line that cannot be used is reported to `skipped` with its number, and left out: its run is
    /// made again.
    ///
    /// # Errors
    /// The file or its directory cannot be read or written.
    pub fn open(
        path: &Path,
        build: Build,
        reuse: &Reuse,
        mut skipped: impl FnMut(usize, serde_json::Error),
    ) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut options = File::options();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        if reuse.again {
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
            build,
            kept: reuse.kept.clone(),
            lines,
        })
    }

    /// The result of this run, of which `asked` was asked for, if there is one that holds.
    pub fn find(&self, plan: &Plan, asked: &str) -> Option<&T> {
        let run = identity(plan, asked).ok()?;
        let same = |line: &&Line<T>| line.run == run;
        let mut found = self.lines.iter().rev().filter(same);
        let own = found.clone().find(|line| line.build == self.build.0);
        let other = || found.next().filter(|_| self.is_kept(plan));
        own.or_else(other).map(|line| &line.result)
    }

    fn is_kept(&self, plan: &Plan) -> bool {
        let flows = plan.scenario.flows.iter();
        let fixed = flows.filter_map(|flow| match &flow.transport {
            Transport::Quic(quic) => quic.cc.as_ref(),
            Transport::Udp => None,
        });
        fixed.chain([&plan.cc]).all(|cc| self.kept.contains(cc))
    }

    /// Writes the result at once, and gives it back as a later start reads it: the last digit of a number may differ.
    ///
    /// # Errors
    /// A recording of the scenario cannot be read, or the file cannot be written.
    pub fn add(&mut self, plan: &Plan, asked: &str, result: T) -> io::Result<&T> {
        let line = Line {
            name: plan.name.clone(),
            run: identity(plan, asked)?,
            build: self.build.0.clone(),
            result,
        };
        let text = serde_json::to_string(&line)?;
        // In one piece: what is interrupted spoils one line at most.
        self.file.write_all(format!("{text}\n").as_bytes())?;
        self.lines.push(serde_json::from_str(&text)?);
        Ok(&self.lines[self.lines.len() - 1].result)
    }
}

/// A digest of everything that the run's result depends on, but for the program.
fn identity(plan: &Plan, asked: &str) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut part = |bytes: &[u8]| {
        digest.update(&(bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    // The Debug form has every field, and numbers to the last digit.
    part(format!("{:?}", plan.scenario).as_bytes());
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

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
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

    fn plan(text: &str, cc: &str, seed: u64) -> Plan {
        Plan {
            name: format!("{cc},seed={seed}"),
            scenario: scenario::parse(text, "test", Path::new(""), &Overrides::default()).unwrap(),
            cc: cc.to_owned(),
            seed,
            parameters: Vec::new(),
        }
    }

    /// The store in this directory as `build` opens it, and the numbers of the lines that it skipped.
    fn open(directory: &Path, build: &str, reuse: &Reuse) -> (Store<f64>, Vec<usize>) {
        let mut skipped = Vec::new();
        let path = directory.join("runs.jsonl");
        let build = Build(build.to_owned());
        let store = Store::open(&path, build, reuse, |line, _| skipped.push(line)).unwrap();
        (store, skipped)
    }

    fn keeping(cc: &[&str]) -> Reuse {
        Reuse {
            again: false,
            kept: cc.iter().map(|cc| (*cc).to_owned()).collect(),
        }
    }

    #[test]
    fn a_result_is_found_again_and_only_for_the_same_run() {
        let directory = tempfile::tempdir().unwrap();
        let made = plan(SCENARIO, "reno", 1);
        let (mut store, _) = open(directory.path(), "one", &Reuse::default());
        assert_eq!(store.find(&made, ""), None);
        let given = *store.add(&made, "", 0.1 + 0.2).unwrap();
        let (store, skipped) = open(directory.path(), "one", &Reuse::default());
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
    fn another_build_reuses_only_runs_of_controllers_that_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        let beside = SCENARIO.replace("rtt =", "cc = \"hybrid\"\nrtt =");
        let plans = [
            plan(SCENARIO, "reno", 1),
            plan(SCENARIO, "hybrid", 1),
            plan(&beside, "reno", 1),
        ];
        let (mut store, _) = open(directory.path(), "one", &Reuse::default());
        for plan in &plans {
            store.add(plan, "", 1.0).unwrap();
        }
        let found = |reuse: &Reuse| {
            let (store, _) = open(directory.path(), "two", reuse);
            plans.each_ref().map(|plan| store.find(plan, "").is_some())
        };
        assert_eq!(found(&Reuse::default()), [false, false, false]);
        assert_eq!(found(&keeping(&["reno"])), [true, false, false]);
        assert_eq!(found(&keeping(&["reno", "hybrid"])), [true, true, true]);
        let (mut store, _) = open(directory.path(), "two", &keeping(&["reno"]));
        store.add(&plans[0], "", 2.0).unwrap();
        assert_eq!(store.find(&plans[0], ""), Some(&2.0), "its own comes first");
    }

    #[test]
    fn a_line_that_was_cut_off_is_named_and_does_not_spoil_the_next() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("runs.jsonl");
        let plans = [1, 2, 3].map(|seed| plan(SCENARIO, "reno", seed));
        let (mut store, _) = open(directory.path(), "one", &Reuse::default());
        for plan in &plans[..2] {
            store.add(plan, "", 1.0).unwrap();
        }
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
        let (mut store, skipped) = open(directory.path(), "one", &Reuse::default());
        assert_eq!(skipped, [2]);
        assert_eq!(store.find(&plans[1], ""), None);
        store.add(&plans[2], "", 3.0).unwrap();
        let (store, skipped) = open(directory.path(), "one", &Reuse::default());
        assert_eq!(skipped, [2]);
        assert_eq!(store.find(&plans[0], ""), Some(&1.0));
        assert_eq!(store.find(&plans[2], ""), Some(&3.0));
    }

    #[test]
    fn a_recording_that_changed_is_another_run_and_again_forgets_all() {
        let directory = tempfile::tempdir().unwrap();
        let trace = directory.path().join("up.trace");
        std::fs::write(&trace, "1\n2\n").unwrap();
        let text = SCENARIO.replace("4Mbps", &format!("trace:{}", trace.display()));
        let made = plan(&text, "reno", 1);
        let (mut store, _) = open(directory.path(), "one", &Reuse::default());
        store.add(&made, "", 1.0).unwrap();
        assert!(store.find(&made, "").is_some());
        std::fs::write(&trace, "1\n3\n").unwrap();
        assert_eq!(store.find(&made, ""), None);
        std::fs::write(&trace, "1\n2\n").unwrap();
        let again = Reuse {
            again: true,
            ..Reuse::default()
        };
        let (store, _) = open(directory.path(), "one", &again);
        assert_eq!(store.find(&made, ""), None);
        drop(store);
        assert_eq!(
            std::fs::read(directory.path().join("runs.jsonl")).unwrap(),
            b""
        );
    }
}
