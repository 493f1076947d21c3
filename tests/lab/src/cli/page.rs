//! `cc-lab page`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Status;
use crate::page;

/// Make one HTML page of a report in Markdown
///
/// Figures in SVG, whose paths are relative to the file, are put inside, and a table of contents
/// stands in front of the first section.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub struct PageArgs {
    /// The report
    #[arg(value_name = "REPORT.md")]
    report: PathBuf,

    /// The page
    #[arg(long, value_name = "FILE.html")]
    out: PathBuf,
}

/// Does it.
pub fn run(args: &PageArgs) -> Status {
    let markdown = match read(&args.report) {
        Ok(markdown) => markdown,
        Err(message) => {
            eprintln!("error: {message}");
            return Status::Usage;
        }
    };
    let title = markdown.lines().find_map(|line| line.strip_prefix("# "));
    let directory = args.report.parent().unwrap_or(Path::new(""));
    let figure = |path: &str| read(&directory.join(path));
    let page = page::with_contents(title.unwrap_or("Report"), &markdown, figure);
    let written = page.and_then(|page| {
        std::fs::write(&args.out, page)
            .map_err(|error| format!("{} cannot be written: {error}", args.out.display()))
    });
    match written {
        Ok(()) => Status::Success,
        Err(message) => {
            eprintln!("error: {message}");
            Status::Failed
        }
    }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{} cannot be read: {error}", path.display()))
}
