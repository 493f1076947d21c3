//! claims.json: verdicts for programs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::finding::Finding;
use super::judge::{CheckVerdict, PointVerdict, Status, Tally, Verdict};
use super::report::{run_places, Chapter};
use super::terms::Terms;
use super::words::{beside, bound, limit, measured};

/// A claim. Its fields stand in docs/claims.md.
#[derive(Debug, Serialize)]
struct Entry<'a> {
    id: &'a str,
    claim_set: &'a str,
    title: &'a str,
    status: Status,
    expected: Status,
    as_expected: bool,
    checks_that_hold: Tally,
    points_that_hold: Tally,
    source: &'a str,
    says: &'a str,
    measured: String,
    bound: String,
    reason: Option<String>,
    runs: Vec<&'a str>,
    seeds: usize,
    checks: Vec<CheckEntry<'a>>,
    figures: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CheckEntry<'a> {
    what: &'a str,
    holds: bool,
    expected_to_hold: bool,
    finding: Finding,
    unit: &'static str,
    paper: Option<&'a str>,
    reason: Option<&'a str>,
    share_of_points: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plus: Option<f64>,
    points: Vec<PointEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct PointEntry<'a> {
    parameters: &'a BTreeMap<String, String>,
    window: Option<&'a str>,
    bound: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<String>,
    measured: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared_with: Option<Vec<Option<f64>>>,
    holds: bool,
}

/// The verdicts of all chapters, as a list.
pub fn to_text(chapters: &[Chapter<'_>]) -> String {
    let of = |chapter| {
        let Chapter { verdicts, .. }: &Chapter<'_> = chapter;
        verdicts.iter().map(move |verdict| entry(chapter, verdict))
    };
    let entries: Vec<Entry<'_>> = chapters.iter().flat_map(of).collect();
    let text = serde_json::to_string_pretty(&entries).expect("numbers and texts can be written");
    text + "\n"
}

fn entry<'a>(chapter: &'a Chapter<'_>, verdict: &'a Verdict<'_>) -> Entry<'a> {
    let claim = verdict.claim;
    let runs: Vec<_> = run_places(verdict)
        .into_iter()
        .map(|place| &chapter.set.runs[place])
        .collect();
    let reasons: Vec<&str> = verdict
        .checks
        .iter()
        .filter_map(|verdict| verdict.check.deviates.as_deref())
        .collect();
    Entry {
        id: &claim.id,
        claim_set: &chapter.set.title,
        title: &claim.title,
        status: verdict.status(),
        expected: verdict.expected(),
        as_expected: verdict.as_expected(),
        checks_that_hold: verdict.checks(),
        points_that_hold: verdict.points(),
        source: &claim.source,
        says: claim.says.trim(),
        measured: each(verdict, |check, point| measured(check.check, point)),
        bound: each(verdict, |check, point| bound(check.check, point)),
        reason: (!reasons.is_empty()).then(|| reasons.join("\n")),
        runs: runs.iter().map(|run| run.name.as_str()).collect(),
        seeds: runs.iter().map(|run| run.seeds).max().unwrap_or(0),
        checks: verdict.checks.iter().map(check_entry).collect(),
        figures: claim
            .figures
            .iter()
            .map(|figure| format!("figures/{}.svg", figure.id))
            .collect(),
    }
}

/// `what: text` of each check, at the point that decides: the worst of those at which it has to hold.
fn each(
    verdict: &Verdict<'_>,
    text: impl Fn(&CheckVerdict<'_>, &PointVerdict) -> String,
) -> String {
    let of = |check: &CheckVerdict<'_>| {
        let point = check.counted().pop()?;
        Some(format!("{}: {}", check.check.what, text(check, point)))
    };
    let texts: Vec<String> = verdict.checks.iter().filter_map(of).collect();
    texts.join("; ")
}

fn check_entry<'a>(verdict: &'a CheckVerdict<'_>) -> CheckEntry<'a> {
    let check = verdict.check;
    let allowance = match check.relation.terms {
        Terms::LessThan(allowance) | Terms::GreaterThan(allowance) => Some(allowance),
        Terms::Bound(_) | Terms::Near(_) => None,
    };
    let point = |point: &'a PointVerdict| PointEntry {
        parameters: &point.parameters,
        window: point.window.as_deref(),
        bound: bound(check, point),
        limit: limit(check, point),
        measured: point.seeds.iter().map(|seed| seed.amount).collect(),
        compared_with: check
            .relation
            .other
            .as_ref()
            .map(|_| beside(check.relation.terms, point)),
        holds: point.holds,
    };
    CheckEntry {
        what: &check.what,
        holds: verdict.holds(),
        expected_to_hold: check.deviates.is_none(),
        finding: verdict.finding(),
        unit: check.measure.unit.base(),
        paper: check.paper.as_deref(),
        reason: check.deviates.as_deref().map(str::trim),
        share_of_points: check.points,
        factor: allowance.map(|allowance| allowance.factor),
        plus: allowance.map(|allowance| allowance.plus),
        points: verdict.points.iter().map(point).collect(),
    }
}
