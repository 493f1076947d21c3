//! Bytes become a controller and what happens to it; whatever they are, its invariants hold.

#![no_main]

use libfuzzer_sys::fuzz_target;
use quiche_cc_contract::operation::Input;
use quiche_cc_contract::{subjects, World};

fuzz_target!(|input: Input| {
    let subjects = subjects();
    let subject = &subjects[usize::from(input.subject) % subjects.len()];
    World::new(subject, input.opening, input.traced).run(&input.operations);
});
