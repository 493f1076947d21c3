//! Parts of the reference pages that are made from the code. The tests below hold the pages to them;
//! `WRITE_DOCS=1 cargo test --release -p quiche-cc-endpoint --lib reference` writes them anew.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use clap::{Arg, Command, CommandFactory};

use crate::client::ClientArgs;
use crate::server::{Families, ServerArgs};

const SERVER: &str = "cc-server.md";
const CLIENT: &str = "cc-client.md";

/// One test at a time reads and writes a page.
static PAGE: Mutex<()> = Mutex::new(());

/// Holds what a page has between the comments of this name to `content`.
fn check(page: &str, name: &str, content: &str) {
    let _alone = PAGE.lock();
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(page);
    let text = std::fs::read_to_string(&path).expect("the page is there");
    let begin = format!("<!-- {name}: by interop/endpoint/src/reference.rs -->\n");
    let (before, rest) = text.split_once(&begin).expect("the page has the comment");
    let (_, after) = rest
        .split_once("<!-- end -->")
        .expect("the part has an end");
    let wanted = format!("{before}{begin}{content}<!-- end -->{after}");
    if std::env::var_os("WRITE_DOCS").is_some() {
        std::fs::write(&path, &wanted).expect("the page can be written");
    }
    assert!(
        text == wanted || std::env::var_os("WRITE_DOCS").is_some(),
        "docs/{page} is not what the code says; write it anew with\n  \
         WRITE_DOCS=1 cargo test --release -p quiche-cc-endpoint --lib reference"
    );
}

/// A table of options for each section of the help. Options without a section come in one that is called `other`, the
/// last one, or the first if that is what the program is about.
fn options(command: &Command, other: &str, is_first: bool) -> String {
    let shown =
        |arg: &&Arg| !arg.is_positional() && !["help", "version"].contains(&arg.get_id().as_str());
    let mut arguments: Vec<&Arg> = command.get_arguments().filter(shown).collect();
    // It is declared last, and shown first.
    arguments.sort_by_key(|arg| arg.get_id() != "cc");
    let heading = |arg: &Arg| arg.get_help_heading().unwrap_or(other).to_owned();
    let mut headings: Vec<String> = Vec::new();
    for arg in &arguments {
        if !headings.contains(&heading(arg)) {
            headings.push(heading(arg));
        }
    }
    headings.sort_by_key(|heading| (heading == other) != is_first);
    let mut page = String::new();
    for section in headings {
        write!(
            page,
            "\n### {section}\n\n| option | meaning | default |\n|---|---|---|\n"
        )
        .unwrap();
        arguments
            .iter()
            .filter(|arg| heading(arg) == section)
            .for_each(|arg| page.push_str(&row(arg)));
    }
    page.push('\n');
    page
}

fn row(arg: &Arg) -> String {
    let name = arg.get_long().expect("every option has a long name");
    let takes_value = arg.get_action().takes_values();
    let value = arg
        .get_value_names()
        .filter(|_| takes_value)
        .map_or_else(String::new, |names| format!(" {}", names[0]));
    let help = arg.get_help().expect("every option has a help").to_string();
    let (help, named) = match help.split_once(" [default: ") {
        Some((help, rest)) => (help.to_owned(), rest.trim_end_matches(']').to_owned()),
        None => (help, String::new()),
    };
    let default = match arg.get_default_values() {
        [value] if takes_value => format!("`{}`", value.to_string_lossy()),
        _ => named,
    };
    let cell = |text: &str| text.replace('|', "\\|").replace('*', "\\*");
    format!(
        "| `--{name}{}` | {} | {default} |\n",
        value.replace('|', "\\|"),
        cell(&help)
    )
}

/// A row for each metric, as Prometheus is told of it.
fn metrics(told: &str) -> String {
    let mut page = "\n| metric | type | labels | meaning |\n|---|---|---|---|\n".to_owned();
    for part in told.split("# HELP ").skip(1) {
        let (first, rest) = part.split_once('\n').expect("a metric has a type");
        let (name, help) = first.split_once(' ').expect("a metric has a help");
        let kind = rest
            .lines()
            .find_map(|line| line.strip_prefix("# TYPE "))
            .expect("a metric has a type");
        let kind = kind.rsplit(' ').next().unwrap_or_default();
        let sample = rest
            .lines()
            .find(|line| !line.starts_with('#'))
            .expect("every metric has a sample");
        let labels = sample.split_once('{').map_or("", |(_, labels)| labels);
        let labels: Vec<String> = labels
            .split(',')
            .filter_map(|label| label.split_once('=').map(|(name, _)| name))
            .filter(|name| *name != "le")
            .map(|name| format!("`{name}`"))
            .collect();
        let suffix = match kind {
            "counter" => "_total",
            "info" => "_info",
            _ => "",
        };
        let help = help.trim_end_matches('.');
        writeln!(
            page,
            "| `{name}{suffix}` | {kind} | {} | {help} |",
            labels.join(", ")
        )
        .unwrap();
    }
    page.push('\n');
    page
}

#[test]
fn the_page_of_cc_server_has_its_options() {
    check(
        SERVER,
        "options",
        &options(&ServerArgs::command(), "Other", false),
    );
}

#[test]
fn the_page_of_cc_server_has_its_metrics() {
    check(SERVER, "metrics", &metrics(&Families::with_samples()));
}

#[test]
fn the_page_of_cc_client_has_its_options() {
    check(
        CLIENT,
        "options",
        &options(&ClientArgs::command(), "Downloads", true),
    );
}
