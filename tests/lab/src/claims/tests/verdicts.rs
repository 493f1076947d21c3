//! Whole claim sets: runs, verdicts, report.

use super::super::results::Cases;
use super::super::{chapters, claims_json, report, ClaimSet, Status};
use super::{checking, with};
use crate::sweep::{execute, Event, Writes};

/// Status, expectation and whether they agree of the first claim; the files of the report.
fn outcome(set: ClaimSet) -> ((Status, Status, bool), String, String, String) {
    let sets = [set];
    let cases = Cases::of(&sets);
    let mut measured = vec![None; cases.plans.len()];
    let digest = |plan: &_, record: &_| Ok(cases.asked(&sets, plan).of(plan, record));
    execute(
        &cases.plans,
        2,
        &|_| Ok(Writes::default()),
        &digest,
        |event| {
            if let Event::Over(run, result) = event {
                measured[run] = Some(result.unwrap());
            }
        },
    );
    let measured: Vec<_> = measured.into_iter().flatten().collect();
    let chapters = chapters(&sets, &cases, &measured);
    let verdict = &chapters[0].verdicts[0];
    let markdown = report::markdown(&chapters, &[]);
    let html = report::html(&markdown, &chapters);
    let statuses = (verdict.status(), verdict.expected(), verdict.as_expected());
    (statuses, claims_json::to_text(&chapters), markdown, html)
}

#[test]
fn a_status_comes_from_the_numbers_and_is_held_against_the_expected_one_in_both_directions() {
    use Status::{Deviates, Reproduced};
    let measure = r#"run = "short", metric = "losses""#;
    let why = "\ndeviates = \"for a reason\"";
    let limit = "\nlimit = { bound = \">= 0\" }";
    for (relation, wanted) in [
        ("bound = \"= 0\"".to_owned(), (Reproduced, Reproduced, true)),
        ("bound = \"> 0\"".to_owned(), (Deviates, Reproduced, false)),
        (
            format!("bound = \"= 0\"{why}"),
            (Reproduced, Deviates, false),
        ),
        (format!("bound = \"> 0\"{why}"), (Deviates, Deviates, false)),
        (
            format!("bound = \"> 0\"{why}{limit}"),
            (Deviates, Deviates, true),
        ),
    ] {
        let (statuses, ..) = outcome(checking(measure, &relation).unwrap());
        assert_eq!(statuses, wanted, "{relation}");
    }
}

#[test]
fn variants_are_compared_with_their_counterparts() {
    let of = |cc: &str| format!(r#"run = "varied", metric = "losses", where = {{ cc = "{cc}" }}"#);
    let relation = format!("less_than = {{ {} }}\nfactor = 1000000.0", of("hybrid"));
    let (statuses, json, ..) = outcome(checking(&of("reno"), &relation).unwrap());
    let entries: serde_json::Value = serde_json::from_str(&json).unwrap();
    let points = entries[0]["checks"][0]["points"].as_array().unwrap();
    let losses: Vec<&str> = points
        .iter()
        .map(|point| point["parameters"]["loss"].as_str().unwrap())
        .collect();
    assert_eq!(losses, ["0%", "3%"]);
    // Without loss nothing is less than a million times nothing, with loss it is.
    assert_eq!([&points[0]["holds"], &points[1]["holds"]], [false, true]);
    assert_eq!(statuses.0, Status::Deviates);
}

#[test]
fn a_check_may_ask_for_a_share_of_the_seeds() {
    // All seeds lose the same, so half of them is all of them.
    let measure = r#"run = "short", metric = "losses""#;
    let ((status, ..), json, ..) =
        outcome(checking(measure, "bound = \"= 0\"\nseeds = \"50%\"").unwrap());
    assert_eq!(status, Status::Reproduced);
    let entries: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        entries[0]["checks"][0]["points"][0]["measured"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

const FIGURES: &str = r#"
[[claim.check]]
what = "queueing <delay>"
measure = { run = "short", metric = "queueing_delay.max" }
bound = "<= 24ms"
deviates = "for a reason"
[[claim.figure]]
id = "delay"
title = "Delay & time"
series = [{ label = "a", draw = "over_time", every = "1s", measure = { run = "short", metric = "rtt.mean" } }]
[[claim.figure]]
id = "points"
title = "Rate against loss"
series = [
  { label = "a", draw = "points", x = "{loss}", measure = { run = "varied", metric = "throughput", where = { cc = "reno" } } },
  { label = "m", draw = "dashed", x = "{loss}", measure = { model = "mathis", run = "varied", where = { loss = "3%", cc = "reno" }, with = { packet = "1250B", rtt = "100ms", loss = "{loss}" } } },
]
[[claim.figure]]
id = "curve"
title = "A formula"
x = { from = "0", to = "6%" }
series = [{ label = "m", draw = "curve", along = "loss", measure = { model = "mathis", with = { packet = "1250B", rtt = "100ms" } } }]
[[claim.figure]]
id = "bars"
title = "Rates"
series = [
  { label = "of both", draw = "bars", name = "short", measure = { run = "short", metric = "throughput" } },
  { label = "of both", draw = "bars", name = "once more", measure = { run = "short", metric = "throughput" } },
]
[[claim.figure]]
id = "distribution"
title = "Distribution"
series = [{ label = "a", draw = "distribution", measure = { run = "short", metric = "queueing_delay.p50" } }]
"#;

#[test]
fn the_report_shows_claims_with_numbers_and_figures_and_is_the_same_every_time() {
    let (_, json, markdown, html) = outcome(with(FIGURES).unwrap());
    let again = outcome(with(FIGURES).unwrap());
    assert_eq!((&json, &markdown, &html), (&again.1, &again.2, &again.3));
    let entries: serde_json::Value = serde_json::from_str(&json).unwrap();
    let claim = &entries[0];
    for field in [
        "id", "status", "expected", "measured", "bound", "source", "reason", "seeds", "runs",
    ] {
        assert!(!claim[field].is_null(), "{field} in {json}");
    }
    assert_eq!((&claim["id"], &claim["seeds"]), (&"T1".into(), &2.into()));
    assert!(markdown.contains("![Rates](figures/bars.svg)"));
    assert!(
        markdown.contains("**Deviation** (queueing <delay>; holds at 0 of 1 points): for a reason")
            || markdown.contains("**Against expectation** (queueing <delay>): holds")
    );
    assert_eq!(html.matches("<svg ").count(), 5);
    assert!(!html.contains("<img"), "figures are in the page");
    // Bars of one label are one series, which needs no legend.
    let lines = |text: &str| html.matches(&format!("\n{text}\n")).count();
    assert_eq!(
        [lines("of both"), lines("short"), lines("once more")],
        [0, 1, 1]
    );
}
