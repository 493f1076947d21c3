//! Typed units, and how people write them.

mod buffer;
mod duration;
mod number;
mod params;
mod probability;
mod rate;
mod schedule;

pub use buffer::{Buffer, Limit};
pub use duration::{format_duration, parse_duration};
pub(crate) use params::Params;
pub use probability::Probability;
pub use rate::Rate;
pub use schedule::{Schedule, Scheduled};

/// A value that could not be read: what was wrong, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{input}` is no valid {what}; allowed: {allowed}")]
pub struct ParseError {
    what: &'static str,
    input: String,
    allowed: &'static str,
}

impl ParseError {
    pub(crate) fn new(what: &'static str, input: &str, allowed: &'static str) -> Self {
        Self {
            what,
            input: input.to_owned(),
            allowed,
        }
    }
}

#[cfg(test)]
mod tests;
