//! Claims as data, of papers and of our own, and whether runs bear them out.
//!
//! ```text
//!   tests/papers/*.toml ──► claim set ──► runs to make ──► results ──┬──► verdicts ──► claims.json
//!     (file, resolve)       (metrics,      (sweep::execute)          └──► figures ───► report.md, report.html
//!                            models)
//! ```
//!
//! A file says which scenarios run with which controller, what is measured in them, and which bound the claim's words
//! give. Statuses come from these checks alone.

mod bound;
mod claim_set;
mod claims_json;
mod draw;
mod drawing;
mod evaluate;
mod figures;
mod file;
mod finding;
mod fresh;
mod judge;
mod limit;
mod metric;
mod model;
mod quantity;
mod report;
mod resolve;
mod results;
mod runs;
mod sources;
mod terms;
#[cfg(test)]
mod tests;
mod value;
mod words;
mod write_limits;

use std::io;
use std::path::{Path, PathBuf};

pub use self::claim_set::{Claim, ClaimSet, Loaded, Skipped};
pub use self::finding::{remark, Remark};
pub use self::judge::{Status, Tally, Verdict};
pub use self::report::{total, Chapter};
pub use self::resolve::{load, ClaimSetError, Given};
pub use self::results::{Cases, Measured, Wanted};
pub use self::write_limits::write_limits;

/// The chapters of the report, from what every one of the `cases` gave.
pub fn chapters<'a>(sets: &'a [ClaimSet], cases: &Cases, given: &[Measured]) -> Vec<Chapter<'a>> {
    let chapter = |(place, set): (usize, &'a ClaimSet)| {
        let results = results::Results::of(set, place, cases, given);
        let figures = set.claims.iter().flat_map(|claim| &claim.figures);
        Chapter {
            set,
            verdicts: set
                .claims
                .iter()
                .map(|claim| judge::judge(claim, &results))
                .collect(),
            figures: figures
                .map(|figure| (figure.id.as_str(), drawing::draw(figure, &results).svg()))
                .collect(),
        }
    };
    sets.iter().enumerate().map(chapter).collect()
}

/// Writes `claims.json`, `report.md`, `report.html` and `figures/` into `directory`. The report also names what was `skipped`.
///
/// # Errors
/// The file that cannot be written, and why.
pub fn write(
    directory: &Path,
    chapters: &[Chapter<'_>],
    skipped: &[Skipped],
) -> Result<(), (PathBuf, io::Error)> {
    let put = |name: &str, text: &str| {
        let path = directory.join(name);
        let parent = path.parent().unwrap_or(directory);
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        written.map_err(|error| (path, error))
    };
    let markdown = report::markdown(chapters, skipped);
    put("claims.json", &claims_json::to_text(chapters))?;
    put("report.md", &markdown)?;
    put("report.html", &report::html(&markdown, chapters))?;
    for (id, svg) in chapters.iter().flat_map(|chapter| &chapter.figures) {
        put(&format!("figures/{id}.svg"), svg)?;
    }
    Ok(())
}
