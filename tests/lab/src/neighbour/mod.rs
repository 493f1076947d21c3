//! Competing flows that quiche does not bring along.
//!
//! quiche's `cubic` takes the answer to nearly every loss back: its window returns to what it was if less than a fifth of
//! the window was lost (`ROLLBACK_THRESHOLD_PERCENT` in its `cubic.rs`). RFC 9438 allows that only for losses that turn out
//! to be none (section 4.9). Behind a deep buffer that it has filled, hardly any other flow finds its share. What users have
//! beside them is mostly TCP, whose CUBIC does give way, so the lab has one that does.

mod cubic;
mod hystart;
mod window;

use std::sync::{Arc, OnceLock};

use quiche_cc::catalogue::{self, Added, Build};
use quiche_cc::SpecError;

use self::cubic::Cubic;

/// The name in scenarios and on the command line.
pub const CUBIC: &str = "cubic-rfc9438";

/// Makes them and all other controllers known. May be called again.
///
/// # Errors
/// A plugin has one of their names.
pub fn register() -> Result<(), SpecError> {
    static ADDED: OnceLock<Result<(), SpecError>> = OnceLock::new();
    ADDED.get_or_init(add).clone()?;
    quiche_cc::register();
    Ok(())
}

fn add() -> Result<(), SpecError> {
    catalogue::add(Added {
        name: CUBIC.to_owned(),
        summary: "CUBIC with HyStart++, as RFC 9438 and RFC 9406 have it, not paced: a competing flow of TCP".to_owned(),
        configure: Box::new(|_, options| configure(options)),
    })
}

fn configure(options: &str) -> Result<Arc<Build>, SpecError> {
    if !options.is_empty() {
        return Err(SpecError::new(format!("{CUBIC} takes no options")));
    }
    Ok(Arc::new(|start| Box::new(Cubic::new(start))))
}
