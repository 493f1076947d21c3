//! Values of options that several commands take, with errors that say what is allowed.

use std::num::NonZeroUsize;

/// How many runs are made at the same time.
pub fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let allowed = |_| "allowed is a whole number from 1 on".to_owned();
    text.parse().map_err(allowed)
}

/// What decides all that is random.
pub fn seed(text: &str) -> Result<u64, String> {
    let allowed = |_| format!("allowed is a whole number from 0 to {}", u64::MAX);
    text.parse().map_err(allowed)
}
