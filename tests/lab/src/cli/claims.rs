//! `cc-lab claims`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::measure::{MeasureArgs, Task};
use super::Status;
use crate::asked::Asked;
use crate::claims::{self, Cases, Chapter, ClaimSet, Given, Loaded, Measured, Skipped};

/// Options of `cc-lab claims`.
///
/// Makes every run that the claims need, once, and checks the claims. Writes claims.json, report.md, report.html and
/// figures/ to DIR. Exit code 1 if a check does not do what its file expects: it does not hold, it is farther off than its limit,
/// or it holds although the file says that it does not.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct ClaimsArgs {
    /// Directory of the claim sets, which are its files *.toml
    #[arg(long, value_name = "DIR", default_value = "tests/papers")]
    claims: PathBuf,

    /// Only these claim sets, by their letters: H,S
    #[arg(long, value_name = "LETTER,...", value_delimiter = ',')]
    only: Vec<String>,

    /// Directory of recordings that do not come with the claim sets
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,

    /// Seed of the paths that claim sets draw; limits are those of seed 1
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        conflicts_with = "write_limits"
    )]
    path_seed: u64,

    /// Write how far every check is off that is known not to hold into its claim set's file, with room for other seeds; take reason
    /// and limit from those that hold now
    #[arg(long)]
    write_limits: bool,

    #[command(flatten)]
    measure: MeasureArgs,
}

/// Does it. The program loaded these `plugins`.
pub fn run(args: &ClaimsArgs, plugins: &[PathBuf]) -> Status {
    let (mut sets, skipped) = match load(args) {
        Ok(loaded) => loaded,
        Err(message) => {
            eprintln!("error: {message}");
            return Status::Usage;
        }
    };
    let cases = Cases::of(&sets);
    let task = Task {
        plans: &cases.plans,
        wanted: &|_| true,
        asked: &|plan| Asked::Measured(cases.asked(&sets, plan)),
        digest: &|plan, record| Ok(cases.asked(&sets, plan).of(plan, record)),
    };
    if args.measure.missing {
        return args.measure.list(plugins, &task);
    }
    let Some(measured) = measure(args, plugins, &task) else {
        return Status::Failed;
    };
    if args.write_limits {
        match write_limits(args, &claims::chapters(&sets, &cases, &measured)) {
            Ok(written) => sets = written,
            Err(message) => {
                eprintln!("error: {message}");
                return Status::Failed;
            }
        }
    }
    let chapters = claims::chapters(&sets, &cases, &measured);
    if let Err((path, error)) = claims::write(&args.measure.out, &chapters, &skipped) {
        eprintln!("error: {} cannot be written: {error}", path.display());
        return Status::Failed;
    }
    for Skipped { letter, title } in &skipped {
        println!("{letter:12} skipped      {title}: no directory of its recordings was given (--recordings)");
    }
    report(&chapters)
}

/// Writes the limits of today, and reads the claim sets again.
fn write_limits(args: &ClaimsArgs, chapters: &[Chapter<'_>]) -> Result<Vec<ClaimSet>, String> {
    let count = claims::write_limits(chapters)?;
    println!("checks rewritten: {count}; git diff shows which");
    load(args).map(|(sets, _)| sets)
}

/// The claim sets that were asked for, by their letters, and those that have to be skipped.
fn load(args: &ClaimsArgs) -> Result<(Vec<ClaimSet>, Vec<Skipped>), String> {
    let directory = args.claims.display();
    let entries = std::fs::read_dir(&args.claims)
        .map_err(|error| format!("{directory} cannot be read: {error}"))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    let recordings = args.recordings.as_deref().map(absolute).transpose()?;
    let given = Given {
        recordings: recordings.as_deref(),
        path_seed: args.path_seed,
    };
    let (mut sets, mut skipped) = (Vec::new(), Vec::new());
    for file in &files {
        match claims::load(file, given).map_err(|error| error.to_string())? {
            Loaded::ClaimSet(set) => sets.push(set),
            Loaded::Skipped(set) => skipped.push(set),
        }
    }
    sets.sort_by_key(|set| set.letter);
    let letters = sets.iter().map(|set| set.letter);
    let letters: Vec<char> = letters
        .chain(skipped.iter().map(|one| one.letter))
        .collect();
    let wanted = wanted(&args.only, &letters)
        .map_err(|error| format!("--only: in {directory} there is no claim set {error}"))?;
    sets.retain(|set| wanted.contains(&set.letter));
    skipped.retain(|set| wanted.contains(&set.letter));
    match sets.is_empty() && skipped.is_empty() {
        true => Err(format!("{directory} has no claim set, that is no *.toml")),
        false => Ok((sets, skipped)),
    }
}

/// The letters that are asked for, which are all if none is.
///
/// # Errors
/// The first that is none of `known`, and these.
fn wanted(only: &[String], known: &[char]) -> Result<Vec<char>, String> {
    let letter = |given: &String| {
        let one = known.iter().find(|letter| letter.to_string() == *given);
        one.copied().ok_or_else(|| unknown(given, known))
    };
    match only {
        [] => Ok(known.to_vec()),
        some => some.iter().map(letter).collect(),
    }
}

fn unknown(given: &str, known: &[char]) -> String {
    let list = |letters: &[char], between: &str| {
        let letters: Vec<String> = letters.iter().map(char::to_string).collect();
        letters.join(between)
    };
    // Small letters, or without the commas between them.
    let meant: Vec<char> = given.to_uppercase().chars().collect();
    let likely = !meant.is_empty() && meant.iter().all(|letter| known.contains(letter));
    let hint = likely.then(|| format!("; did you mean {}?", list(&meant, ",")));
    let hint = hint.unwrap_or_default();
    format!("`{given}`; there are {}{hint}", list(known, ", "))
}

/// The directory from the root on, for scenarios look beside themselves.
fn absolute(directory: &Path) -> Result<PathBuf, String> {
    let found = directory.canonicalize().ok().filter(|path| path.is_dir());
    found.ok_or_else(|| {
        format!(
            "there is no directory {} of recordings",
            directory.display()
        )
    })
}

/// What every run gave, if all succeeded.
fn measure(
    args: &ClaimsArgs,
    plugins: &[PathBuf],
    task: &Task<'_, Measured>,
) -> Option<Vec<Measured>> {
    match args.measure.measure(plugins, task) {
        Ok(measured) => measured.into_iter().collect(),
        Err(message) => {
            eprintln!("error: {message}");
            None
        }
    }
}

/// What became of every claim, and what there is to do.
fn report(chapters: &[Chapter<'_>]) -> Status {
    let mut status = Status::Success;
    for chapter in chapters {
        for verdict in &chapter.verdicts {
            let (id, found) = (&verdict.claim.id, verdict.status().name());
            let checks = verdict.checks().to_string();
            println!("{id:12} {found:12} {checks:>8}  {}", verdict.claim.title);
            for check in &verdict.checks {
                let Some(remark) = claims::remark(check) else {
                    continue;
                };
                let kind = if remark.wrong {
                    status = Status::Failed;
                    "not as expected"
                } else {
                    "note"
                };
                let file = chapter.set.file.display();
                println!(
                    "    {kind}: {file}: {id}, {}: {}",
                    check.check.what, remark.text
                );
            }
        }
    }
    println!("{}", claims::total(chapters));
    status
}
