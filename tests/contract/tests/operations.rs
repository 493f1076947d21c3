//! Whatever happens, a controller keeps its invariants.

use arbitrary::{Arbitrary, Unstructured};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use quiche_cc_contract::operation::{opening, operation, Input};
use quiche_cc_contract::{subjects, World};

/// Seeds of the runs. A failure prints the shrunk operations; one that was found elsewhere is added here.
const SEEDS: [u64; 4] = [0x5eed_0001, 0x5eed_0002, 0x5eed_0003, 0x5eed_0004];
/// Sequences of operations for each seed and controller.
const CASES: u32 = 40;

fn hold(seed: u64) {
    for subject in subjects() {
        let config = Config {
            cases: CASES,
            rng_seed: RngSeed::Fixed(seed),
            failure_persistence: None,
            ..Config::default()
        };
        let input = (
            opening(),
            any::<bool>(),
            prop::collection::vec(operation(), 0..200),
        );
        let result = TestRunner::new(config).run(&input, |(opening, traced, operations)| {
            World::new(&subject, opening, traced).run(&operations);
            Ok(())
        });
        if let Err(failure) = result {
            panic!("{subject:?}, seed {seed:#x}: {failure}");
        }
    }
}

#[test]
fn whatever_happens_the_invariants_hold() {
    SEEDS.into_iter().for_each(hold);
}

/// What the fuzz target does, with bytes that nobody has guided.
#[test]
fn whatever_the_bytes_the_invariants_hold() {
    let subjects = subjects();
    let config = Config {
        cases: CASES,
        rng_seed: RngSeed::Fixed(SEEDS[0]),
        failure_persistence: None,
        ..Config::default()
    };
    let bytes = prop::collection::vec(any::<u8>(), 0..4096);
    let input = bytes.prop_filter_map("too few bytes", |bytes| {
        Input::arbitrary(&mut Unstructured::new(&bytes)).ok()
    });
    let result = TestRunner::new(config).run(&(0..subjects.len(), input), |(place, input)| {
        World::new(&subjects[place], input.opening, input.traced).run(&input.operations);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{subjects:?}, seed {:#x}: {failure}", SEEDS[0]);
    }
}
