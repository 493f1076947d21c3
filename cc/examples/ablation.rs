//! What the parts of hybrid's default profile earn that can be switched off or moved, all else the same.
//!
//! ```text
//! cargo run --release -p quiche-cc --no-default-features --example ablation [-- SPEC ...]
//! ```
//!
//! Controllers in the scenarios of `tests/search/training.toml` with three seeds, in virtual time and without quiche;
//! two minutes for all. The table is the one of docs/papers/hybrid.md.

#[path = "../tests/dumbbell/mod.rs"]
mod dumbbell;

use dumbbell::measure::measure_all;
use dumbbell::scenario::Set;
use dumbbell::summary::{summary, Cell};

const SCENARIOS: &str = include_str!("../../tests/search/training.toml");
const SEEDS: [u64; 3] = [1, 2, 3];

const VARIANTS: [&str; 15] = [
    "hybrid",
    "hybrid:grow=1",
    "hybrid:d1=12ms",
    "hybrid:queue=1",
    "hybrid:queue=4",
    "hybrid:insist=off",
    "hybrid:full=off",
    "hybrid:losscap=1",
    "hybrid:compete=off",
    "hybrid:dip=off",
    "hybrid:catchup=off",
    "hybrid:capacity=off",
    "hybrid:bmin=0.005",
    "hybrid:bmin=0.02",
    "hybrid:paper",
];

fn main() {
    let set = Set::parse(SCENARIOS).unwrap_or_else(|error| panic!("{error}"));
    let given: Vec<String> = std::env::args().skip(1).collect();
    let specs = if given.is_empty() {
        VARIANTS.map(str::to_owned).to_vec()
    } else {
        given
    };
    for (place, spec) in specs.iter().enumerate() {
        let cells = summary(&measure_all(&set.scenario, spec, &SEEDS, 1));
        if place == 0 {
            let heads: Vec<&str> = cells.iter().map(|cell| cell.head).collect();
            println!("| variant | {} |", heads.join(" | "));
            println!("|---|{}", "---|".repeat(heads.len()));
        }
        let texts: Vec<String> = cells.iter().map(Cell::text).collect();
        println!("| `{spec}` | {} |", texts.join(" | "));
    }
}
