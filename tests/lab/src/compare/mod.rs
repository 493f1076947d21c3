//! Controllers compared over many paths: suites as data, one report.

mod known;
mod maps;
mod report;
mod suite;
mod target;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use self::known::{Known, KnownError};
pub use self::suite::{Suite, SuiteError};
pub use self::target::Reached;
use crate::record::Record;
use crate::stats::{self, LinkStats};
use crate::summary::measured;
use crate::sweep::Plan;

/// What one run amounts to here.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Of the busiest link, after the warm-up (0 to 1).
    pub utilisation: f64,
    /// Mean queueing delay of the packets of all flows with a controller, after the warm-up; unknown where results were
    /// published without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queueing_mean_ms: Option<f64>,
    /// Its 95th percentile.
    pub queueing_p95_ms: f64,
    /// Of the packets that arrived or were lost after the warm-up, the lost ones (0 to 1).
    pub loss: f64,
    /// The same before the end of the warm-up.
    pub loss_at_start: f64,
}

/// A controller at a point of the suite's axes: the worst of all seeds in each respect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// Values along the axes.
    pub point: Vec<String>,
    /// The controller.
    pub cc: String,
    /// What it amounts to.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Whether it was measured by an earlier build, and stands here in place of a run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub earlier: bool,
    /// What of the target that is; unknown where the reference has no outcome.
    pub reached: Option<Reached>,
}

impl Outcome {
    /// Of this record. `None` if nothing arrived after the warm-up.
    pub fn of(plan: &Plan, record: &Record) -> Option<Self> {
        let window = measured(&plan.scenario);
        let links = plan.scenario.links.iter().zip(&record.links);
        let used = links
            .filter(|(decl, _)| !decl.private)
            .filter_map(|(_, link)| LinkStats::of(link, window).utilisation);
        let flows = plan.scenario.flows.iter().zip(&record.flows);
        let flows: Vec<_> = flows
            .filter(|(decl, _)| decl.is_under_test())
            .map(|(_, flow)| flow)
            .collect();
        let all = flows.iter().flat_map(|flow| &flow.deliveries);
        let delays: Vec<_> = all
            .clone()
            .filter(|d| window.contains(d.at))
            .copied()
            .collect();
        let queueing = stats::queueing(&delays)?;
        let losses = flows.iter().flat_map(|flow| &flow.losses);
        let lost = losses.clone().filter(|l| window.contains(l.at)).count();
        let share = |lost: usize, arrived: usize| lost as f64 / (lost + arrived).max(1) as f64;
        Some(Self {
            utilisation: used.fold(0.0, f64::max),
            queueing_mean_ms: Some(queueing.mean()),
            queueing_p95_ms: queueing.percentile(95.0),
            loss: share(lost, delays.len()),
            loss_at_start: share(losses.count() - lost, all.count() - delays.len()),
        })
    }

    /// The worse of both in every respect.
    fn worst(self, other: Self) -> Self {
        Self {
            utilisation: self.utilisation.min(other.utilisation),
            queueing_mean_ms: self
                .queueing_mean_ms
                .zip(other.queueing_mean_ms)
                .map(|(own, other)| own.max(other)),
            queueing_p95_ms: self.queueing_p95_ms.max(other.queueing_p95_ms),
            loss: self.loss.max(other.loss),
            loss_at_start: self.loss_at_start.max(other.loss_at_start),
        }
    }
}

/// Puts the outcomes of the runs, in the order of [`Suite::plan`], together by controller and point. Where a run has none, what
/// is `known` of the controller at this point stands in; else there is no entry.
pub fn entries(
    suite: &Suite,
    outcomes: &[Option<Outcome>],
    known: &dyn Fn(&str, &[&str]) -> Option<Outcome>,
) -> Vec<Entry> {
    let points = suite.points();
    let places = suite
        .controllers
        .iter()
        .flat_map(|cc| points.iter().map(move |point| (cc, point)));
    let by_seed = outcomes.chunks(suite.seeds as usize);
    let mut entries: Vec<Entry> = places
        .zip(by_seed)
        .filter_map(|((cc, point), seeds)| {
            let all: Option<Vec<Outcome>> = seeds.iter().copied().collect();
            let measured = all.and_then(|all| all.into_iter().reduce(Outcome::worst));
            let outcome = measured.or_else(|| known(cc, point))?;
            Some(Entry {
                point: point.iter().map(|value| (*value).to_owned()).collect(),
                cc: cc.clone(),
                outcome,
                earlier: measured.is_none(),
                reached: None,
            })
        })
        .collect();
    let reached = entries.iter().map(|entry| {
        let reference = find(&entries, &suite.reference, &entry.point)?;
        Some(Reached::of(&entry.outcome, &reference.outcome))
    });
    let reached: Vec<_> = reached.collect();
    for (entry, reached) in entries.iter_mut().zip(reached) {
        entry.reached = reached;
    }
    entries
}

/// The controller's entry at this point.
pub fn find<'a>(entries: &'a [Entry], cc: &str, point: &[impl AsRef<str>]) -> Option<&'a Entry> {
    let same = |entry: &&Entry| {
        let values = point.iter().map(AsRef::as_ref);
        entry.cc == cc && entry.point.iter().map(String::as_str).eq(values)
    };
    entries.iter().find(same)
}

/// What a reader has to know of where entries come from.
#[derive(Debug, Clone, Default)]
pub struct Remarks<'a> {
    /// Names of runs without a result.
    pub without: Vec<&'a str>,
    /// Results that were measured before, as [`taken`] says it.
    pub taken: Option<String>,
}

/// Which entries are from the file of results that were measured before: `docs/results/paths.json: reno at 46 points`.
pub fn taken(suite: &Suite, entries: &[Entry], file: &Path) -> Option<String> {
    let counts = suite.controllers.iter().filter_map(|cc| {
        let own = entries
            .iter()
            .filter(|entry| entry.earlier && entry.cc == *cc);
        match own.count() {
            0 => None,
            1 => Some(format!("{cc} at 1 point")),
            count => Some(format!("{cc} at {count} points")),
        }
    });
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| format!("{}: {}", file.display(), counts.join(", ")))
}

/// Writes results.json, report.md, report.html and figures/ to `directory`. The report begins with the remarks.
///
/// # Errors
/// The file that could not be written.
pub fn write(
    directory: &Path,
    suite: &Suite,
    entries: &[Entry],
    remarks: &Remarks<'_>,
) -> Result<(), (PathBuf, std::io::Error)> {
    let report = report::Report::of(suite, entries, remarks);
    let figures = directory.join("figures");
    std::fs::create_dir_all(&figures).map_err(|error| (figures.clone(), error))?;
    let drawn = report.figures.iter();
    let drawn = drawn.map(|(id, svg)| (figures.join(format!("{id}.svg")), svg.clone()));
    let json = serde_json::to_string_pretty(entries).expect("numbers and texts become JSON");
    let files = [
        (directory.join("results.json"), json + "\n"),
        (directory.join("report.html"), report.html()),
        (directory.join("report.md"), report.markdown),
    ];
    for (path, text) in files.into_iter().chain(drawn) {
        std::fs::write(&path, text).map_err(|error| (path, error))?;
    }
    Ok(())
}

/// The table of all points, for a terminal.
pub fn table(suite: &Suite, entries: &[Entry]) -> String {
    report::table(suite, entries)
}
