//! `cc-lab papers`.

use std::path::PathBuf;

use clap::Args;

use super::measure::{MeasureArgs, Task};
use super::Status;
use crate::papers::{self, Cases, Chapter, Measured, Paper};

/// Options of `cc-lab papers`.
///
/// Makes every run that the papers' claims need, once, and checks the claims. Writes claims.json, report.md, report.html and
/// figures/ to DIR. Exit code 1 if a check does not do what its file expects, be it that it holds or that it does not.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct PapersArgs {
    /// Directory of the papers' files
    #[arg(long, value_name = "DIR", default_value = "tests/papers")]
    papers: PathBuf,

    /// Only these papers, by their letters: H,S
    #[arg(long, value_name = "LETTER,...", value_delimiter = ',')]
    only: Vec<char>,

    #[command(flatten)]
    measure: MeasureArgs,
}

/// Does it. The program loaded these `plugins`.
pub fn run(args: &PapersArgs, plugins: &[PathBuf]) -> Status {
    let papers = match load(args) {
        Ok(papers) => papers,
        Err(message) => {
            eprintln!("error: {message}");
            return Status::Usage;
        }
    };
    let cases = Cases::of(&papers);
    let Some(measured) = measure(args, plugins, &papers, &cases) else {
        return Status::Failed;
    };
    let chapters = papers::chapters(&papers, &cases, &measured);
    if let Err((path, error)) = papers::write(&args.measure.out, &chapters) {
        eprintln!("error: {} cannot be written: {error}", path.display());
        return Status::Failed;
    }
    report(&chapters)
}

fn load(args: &PapersArgs) -> Result<Vec<Paper>, String> {
    let directory = args.papers.display();
    let entries = std::fs::read_dir(&args.papers)
        .map_err(|error| format!("{directory} cannot be read: {error}"))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    let mut all = Vec::new();
    for file in &files {
        all.push(papers::load(file).map_err(|error| error.to_string())?);
    }
    all.sort_by_key(|paper| paper.letter);
    let letters: Vec<String> = all.iter().map(|paper| paper.letter.to_string()).collect();
    if let Some(unknown) = args
        .only
        .iter()
        .find(|letter| all.iter().all(|paper| paper.letter != **letter))
    {
        return Err(format!(
            "there is no paper {unknown} in {directory}; there are: {}",
            letters.join(", ")
        ));
    }
    all.retain(|paper| args.only.is_empty() || args.only.contains(&paper.letter));
    match all.is_empty() {
        true => Err(format!("{directory} has no paper, that is no *.toml")),
        false => Ok(all),
    }
}

/// What every run gave, if all succeeded.
fn measure(
    args: &PapersArgs,
    plugins: &[PathBuf],
    papers: &[Paper],
    cases: &Cases,
) -> Option<Vec<Measured>> {
    let task = Task {
        plans: &cases.plans,
        asked: &|plan| cases.asked(papers, plan),
        digest: &|plan, record| Ok(cases.digest(papers, plan, record)),
    };
    match args.measure.measure(plugins, &task) {
        Ok(measured) => measured.into_iter().collect(),
        Err(message) => {
            eprintln!("error: {message}");
            None
        }
    }
}

fn report(chapters: &[Chapter<'_>]) -> Status {
    let mut status = Status::Success;
    for verdict in chapters.iter().flat_map(|chapter| &chapter.verdicts) {
        let found = verdict.status().name();
        println!("{:12} {found:12} {}", verdict.claim.id, verdict.claim.title);
        for check in verdict.checks.iter().filter(|check| !check.as_expected()) {
            status = Status::Failed;
            let holds = if check.holds() {
                "holds, and is expected not to"
            } else {
                "does not hold"
            };
            println!("    not as expected: {} {holds}", check.check.what);
        }
    }
    status
}
