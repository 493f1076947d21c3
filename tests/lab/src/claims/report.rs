//! The report: every claim with its words, our numbers and our figures.

use std::fmt::Write;

use super::claim_set::{ClaimSet, Skipped};
use super::finding;
use super::judge::{CheckVerdict, PointVerdict, Status, Tally, Verdict};
use super::value::Unit;
use super::words::{bound, limit, measured, place};
use crate::page;

/// A claim set with its verdicts and drawn figures.
pub struct Chapter<'a> {
    /// The claim set.
    pub set: &'a ClaimSet,
    /// Its claims.
    pub verdicts: Vec<Verdict<'a>>,
    /// Its figures: id and SVG.
    pub figures: Vec<(&'a str, String)>,
}

/// The report in Markdown; figures are files of the directory `figures` beside it.
pub fn markdown(chapters: &[Chapter<'_>], skipped: &[Skipped]) -> String {
    let mut out = format!("# {}\n\n", title(chapters));
    out.push_str(ABOUT);
    summary(&mut out, chapters, skipped);
    for chapter in chapters {
        let set = chapter.set;
        line(
            &mut out,
            format_args!("\n## {}: {}\n", set.letter, set.title),
        );
        let reading = set.authors.as_ref().map_or(String::new(), |authors| {
            format!("{authors}. Our reading: `{}`.\n\n", set.page)
        });
        line(&mut out, format_args!("{reading}{}", set.about.trim()));
        chapter
            .verdicts
            .iter()
            .for_each(|verdict| claim(&mut out, chapter, verdict));
    }
    out
}

/// What became of each claim, and of all.
fn summary(out: &mut String, chapters: &[Chapter<'_>], skipped: &[Skipped]) {
    line(out, format_args!("\n{}.\n", total(chapters)));
    out.push_str(
        "| claim | | expected | found | checks that hold | points |\n|---|---|---|---|---|---|\n",
    );
    for verdict in chapters.iter().flat_map(|chapter| &chapter.verdicts) {
        let claim = verdict.claim;
        let surprise = if verdict.as_expected() {
            ""
        } else {
            " **(not as expected)**"
        };
        let [expected, status] = [verdict.expected(), verdict.status()].map(|status| status.name());
        line(
            out,
            format_args!(
                "| {} | {} | {expected} | {status}{surprise} | {} | {} |",
                claim.id,
                claim.title,
                verdict.checks(),
                verdict.points()
            ),
        );
    }
    for Skipped { letter, title } in skipped {
        line(
            out,
            format_args!("| {letter} | {title} | | skipped: no recordings were given | | |"),
        );
    }
}

/// How much of all holds, in words.
pub fn total(chapters: &[Chapter<'_>]) -> String {
    let verdicts = || chapters.iter().flat_map(|chapter| &chapter.verdicts);
    let reproduced = |verdict: &Verdict<'_>| verdict.status() == Status::Reproduced;
    let claims = Tally::of(verdicts().map(reproduced));
    let checks: Tally = verdicts().map(Verdict::checks).sum();
    let points: Tally = verdicts().map(Verdict::points).sum();
    format!("{claims} claims are reproduced; {checks} checks hold, at {points} points")
}

const ABOUT: &str = "Claims, against runs of the controllers in whole QUIC connections over simulated networks. A number with a \
range is the median of all seeds with the smallest and the largest; figures show the first seed. A claim is *reproduced* if all of \
its checks hold, and *deviates* otherwise. A check that is known not to hold has a limit: how far it may be off, and at how many \
of its points.\n";

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String does not fail.
    let _ = out.write_fmt(text);
    out.push('\n');
}

/// Claims of papers, or of our own.
fn title(chapters: &[Chapter<'_>]) -> &'static str {
    match chapters.iter().any(|chapter| chapter.set.authors.is_some()) {
        true => "Papers, reproduced",
        false => "Claims",
    }
}

fn claim(out: &mut String, chapter: &Chapter<'_>, verdict: &Verdict<'_>) {
    let claim = verdict.claim;
    let (whose, number) = match chapter.set.authors {
        Some(_) => ("The paper", "paper"),
        None => ("The claim", "expects"),
    };
    line(
        out,
        format_args!(
            "\n### {} {}: {}\n",
            claim.id,
            claim.title,
            verdict.status().name()
        ),
    );
    line(
        out,
        format_args!("**{whose}** ({}): {}\n", claim.source, claim.says.trim()),
    );
    line(
        out,
        format_args!("**Runs**: {}.\n", runs(chapter.set, verdict)),
    );
    if !verdict.as_expected() {
        line(
            out,
            format_args!("**Not as expected**: its file says otherwise.\n"),
        );
    }
    line(
        out,
        format_args!("| check | {number} | bound | measured | |\n|---|---|---|---|---|"),
    );
    for check in &verdict.checks {
        check.points.iter().for_each(|point| row(out, check, point));
    }
    for check in &verdict.checks {
        deviation(out, check);
    }
    if !claim.note.trim().is_empty() {
        line(out, format_args!("\n{}", claim.note.trim()));
    }
    for figure in &claim.figures {
        line(
            out,
            format_args!("\n![{}](figures/{}.svg)", figure.title, figure.id),
        );
    }
}

fn deviation(out: &mut String, check: &CheckVerdict<'_>) {
    let what = &check.check.what;
    let points = check.tally();
    if check.spare() > 0 {
        let (asked, word) = (Unit::Share.show(check.check.points), holds(check.holds()));
        line(
            out,
            format_args!("\n**Asked for at {asked} of the points** ({what}): {word}, at {points}."),
        );
    }
    if let (Some(reason), false) = (&check.check.deviates, check.holds()) {
        line(
            out,
            format_args!(
                "\n**Deviation** ({what}; holds at {points} points): {}",
                reason.trim()
            ),
        );
    }
    if let Some(remark) = finding::remark(check).filter(|remark| remark.wrong) {
        line(
            out,
            format_args!("\n**Against expectation** ({what}): {}.", remark.text),
        );
    }
}

fn holds(holds: bool) -> &'static str {
    match holds {
        true => "holds",
        false => "**fails**",
    }
}

fn row(out: &mut String, verdict: &CheckVerdict<'_>, point: &PointVerdict) {
    let check = verdict.check;
    let place = match place(point) {
        place if place.is_empty() => place,
        place => format!(" ({place})"),
    };
    let paper = check.paper.as_deref().unwrap_or("");
    let limit = limit(check, point).filter(|_| !point.holds);
    let limit = limit.map_or(String::new(), |limit| format!("; limit {limit}"));
    let bound = bound(check, point) + &limit;
    let holding = point.seeds.iter().filter(|seed| seed.holds).count();
    let holds = match (point.holds, holding == point.seeds.len()) {
        (true, false) => format!("holds in {holding} of {}", point.seeds.len()),
        (false, _) if holding > 0 => {
            format!("**fails**, holds in {holding} of {}", point.seeds.len())
        }
        (all, _) => holds(all).to_owned(),
    };
    let measured = measured(check, point);
    line(
        out,
        format_args!(
            "| {}{place} | {paper} | {bound} | {measured} | {holds} |",
            check.what
        ),
    );
}

fn runs(set: &ClaimSet, verdict: &Verdict<'_>) -> String {
    let all: Vec<String> = run_places(verdict)
        .into_iter()
        .map(|place| {
            let run = &set.runs[place];
            let variants = match run.variants.len() {
                1 => format!("`{}`", run.variants[0].cc),
                several => format!("{several} variants"),
            };
            let seeds = if run.seeds == 1 {
                "one seed".into()
            } else {
                format!("{} seeds", run.seeds)
            };
            format!("`{}` ({}, {variants}, {seeds})", run.name, run.file)
        })
        .collect();
    if all.is_empty() {
        return "none, by formula".into();
    }
    all.join("; ")
}

/// The places of the runs that the claim's checks are about, in order.
pub fn run_places(verdict: &Verdict<'_>) -> Vec<usize> {
    let checks = verdict.checks.iter().map(|verdict| verdict.check);
    let mut places: Vec<usize> = checks
        .flat_map(|check| {
            let other = check.relation.other.as_ref().and_then(|other| other.run);
            [check.measure.run, other].into_iter().flatten()
        })
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The same as one HTML page, with the figures in it.
pub fn html(markdown: &str, chapters: &[Chapter<'_>]) -> String {
    let figure = |id: &str| {
        let mut all = chapters.iter().flat_map(|chapter| &chapter.figures);
        all.find(|(known, _)| *known == id)
            .map(|(_, svg)| svg.clone())
    };
    page::html(title(chapters), markdown, figure)
}
