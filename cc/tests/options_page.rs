//! `docs/options.md` says what the catalogue says. `WRITE_DOCS=1 cargo test ... --test options_page` writes it anew.

use std::fmt::Write;
use std::path::Path;

use quiche_cc::catalogue::{Entry, BUILT_IN, CATALOGUE};
use quiche_cc::spec::Parameter;

/// `BUILT_IN` stands for the names of quiche's own controllers.
const INTRODUCTION: &str = "\
# Options of the controllers

This page is made from the code by `cc/tests/options_page.rs`, which also checks it. `cc-server --list-cc` prints the
same.

A controller is selected by `NAME`, or by `NAME:OPTIONS` with commas between the options:
`hybrid:target_delay=10ms,growth=1.3`. The name of a profile may come first: `vegas:paper,alpha=2`. Times and rates have
a unit: `us`, `ms` or `s`; `bps`, `kbps`, `Mbps` or `Gbps`. An unknown name, an unknown option, a value out of range, an
option that is given twice and a colon without an option after it are refused with an error that says what is allowed.

quiche's own controllers take no options: BUILT_IN.
`bbr`, `bbr2` and `bbr2_gcongestion` are three names of one controller, BBRv2.

Start without options. [Tuning](guides/tuning.md) says which of them an operator may want to change, and what that
costs. Defaults are those of the default profile. The profile `paper` has those of the paper, which are on the page of
the controller.
";

fn table(page: &mut String, parameters: &[Parameter]) {
    page.push_str("| option | default | values | what it does |\n|---|---|---|---|\n");
    for parameter in parameters {
        let (name, default) = (parameter.name, parameter.default);
        let (values, help) = (&parameter.kind, parameter.help);
        writeln!(page, "| `{name}` | `{default}` | {values} | {help} |").unwrap();
    }
}

fn section(page: &mut String, entry: &Entry) {
    let (name, summary, paper) = (entry.name, entry.summary, entry.paper);
    let mut capitals = summary.chars();
    let first = capitals.next().map(|c| c.to_ascii_uppercase());
    let summary: String = first.into_iter().chain(capitals).collect();
    writeln!(
        page,
        "\n## `{name}`\n\n{summary}.\nAfter {paper}.\n[Its page](papers/{name}.md) has the equations."
    )
    .unwrap();
    writeln!(page, "Profiles: {}.\n", entry.profiles.join(", ")).unwrap();
    if name == "hybrid" {
        page.push_str("The first four options are for operators, the others for research.\n\n");
    }
    table(page, entry.parameters);
    if name == "hybrid" {
        page.push_str("\n[What each mechanism of `without` does](papers/hybrid.md#options).\n");
    }
    for (profile, parameters) in entry.apart {
        writeln!(page, "\n### `{name}:{profile}`\n\nThis profile is a controller of its own, with these options instead.\n").unwrap();
        table(page, parameters);
    }
}

#[test]
fn the_page_says_what_the_catalogue_says() {
    let built_in: Vec<_> = BUILT_IN.iter().map(|name| format!("`{name}`")).collect();
    let mut page = INTRODUCTION.replace("BUILT_IN", &built_in.join(", "));
    CATALOGUE.iter().for_each(|entry| section(&mut page, entry));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/options.md");
    if std::env::var_os("WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/options.md is not what the catalogue says; write it anew with\n  \
         WRITE_DOCS=1 cargo test -p quiche-cc --no-default-features --test options_page"
    );
}
