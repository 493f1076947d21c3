//! What is asked for of a run.

use serde::{Deserialize, Serialize};

use crate::claims::Wanted;

/// What is asked for of a run. It is a part of what the result is kept under.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// What a comparison needs: [`Outcome`](crate::compare::Outcome).
    Outcome,
    /// What claims need: [`Measured`](crate::claims::Measured).
    Measured(Wanted),
}

impl Asked {
    /// In words that differ if it differs.
    pub fn words(&self) -> String {
        match self {
            Self::Outcome => String::new(),
            Self::Measured(wanted) => wanted.words(),
        }
    }
}
