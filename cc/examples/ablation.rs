//! What the parts of hybrid's default profile earn that can be left out or moved, all else the same.
//!
//! ```text
//! cargo run --release -p quiche-cc --no-default-features --example ablation [-- SPEC ...]
//! ```
//!
//! Controllers in the scenarios of `tests/search/training.toml` with three seeds, in virtual time and without quiche;
//! two minutes for all. The table is the one of docs/results/hybrid.md.

#[path = "../tests/dumbbell/mod.rs"]
mod dumbbell;

use dumbbell::measure::measure_all;
use dumbbell::scenario::Set;
use dumbbell::summary::{summary, Cell};

const SCENARIOS: &str = include_str!("../../tests/search/training.toml");
const SEEDS: [u64; 3] = [1, 2, 3];

const VARIANTS: [&str; 15] = [
    "hybrid",
    "hybrid:growth=1",
    "hybrid:target_delay=12ms",
    "hybrid:target_packets=1",
    "hybrid:target_packets=4",
    "hybrid:without=insist",
    "hybrid:without=full_buffer",
    "hybrid:without=excessive_loss",
    "hybrid:without=contention",
    "hybrid:without=dips",
    "hybrid:without=catch_up",
    "hybrid:without=link_rate",
    "hybrid:min_decrease=0.005",
    "hybrid:min_decrease=0.02",
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
