//! Claim sets from text to report.

mod format;
mod limits;
mod measuring;
mod verdicts;

use std::path::Path;

use super::claim_set::Loaded;
use super::resolve::{parse, ClaimSetError, Given};
use super::ClaimSet;

/// As if it stood beside the papers, so that scenarios are found.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../papers/test.toml");

const HEAD: &str = r#"
[claim_set]
letter = "T"
title = "A paper"
authors = "A. Uthor"
page = "docs/papers/test.md"

[run.short]
scenario = "../scenarios/hybrid-dumbbell.toml"
cc = "hybrid:paper"
seeds = 2
set = { duration = "10s" }

[run.varied]
scenario = "../scenarios/hybrid-dumbbell.toml"
cc = "{cc}"
set = { duration = "10s", "link.bottleneck.loss" = "{loss}" }
vary = { loss = ["0%", "3%"], cc = ["reno", "hybrid"] }

[[claim]]
id = "T1"
title = "something"
source = "figure 1"
says = "It holds."
"#;

/// A claim set with one claim, which goes on with `rest`.
fn with(rest: &str) -> Result<ClaimSet, ClaimSetError> {
    crate::neighbour::register().unwrap();
    match parse(&format!("{HEAD}{rest}"), Path::new(FILE), Given::default())? {
        Loaded::ClaimSet(set) => Ok(set),
        Loaded::Skipped(_) => panic!("it needs no recordings"),
    }
}

/// A claim set whose only check measures this and has this bound.
fn checking(measure: &str, relation: &str) -> Result<ClaimSet, ClaimSetError> {
    let check = "[[claim.check]]\nwhat = \"w\"";
    with(&format!("{check}\nmeasure = {{ {measure} }}\n{relation}\n"))
}
