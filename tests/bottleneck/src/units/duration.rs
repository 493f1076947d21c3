//! Spans of time.

use std::time::Duration;

use super::{number, ParseError};

const MAX_SECONDS: f64 = 1e6;
const ALLOWED: &str = "0ms to 1000000s with a unit (ns, us, ms, s), as in 20ms or 1.5s";

/// Reads a span of time such as `20ms`, `1.5s`, `250us` or `0ms`, at most 1,000,000 s.
///
/// # Errors
/// The unit is missing or unknown, or the number is not a plain decimal in the range.
pub fn parse_duration(text: &str) -> Result<Duration, ParseError> {
    let wrong = || ParseError::new("duration", text, ALLOWED);
    let (number, unit) = number::split(text).ok_or_else(wrong)?;
    let nanos = match unit {
        "ns" => number,
        "us" | "µs" => number * 1e3,
        "ms" => number * 1e6,
        "s" => number * 1e9,
        _ => return Err(wrong()),
    };
    if nanos > MAX_SECONDS * 1e9 {
        return Err(wrong());
    }
    Ok(Duration::from_nanos(nanos.round() as u64))
}

/// Writes a span so that [`parse_duration`] reads the same span again.
pub fn format_duration(span: Duration) -> String {
    let nanos = span.as_nanos();
    match nanos {
        0 => "0ms".to_owned(),
        n if n % 1_000_000_000 == 0 => format!("{}s", n / 1_000_000_000),
        n if n % 1_000_000 == 0 => format!("{}ms", n / 1_000_000),
        n if n % 1_000 == 0 => format!("{}us", n / 1_000),
        n => format!("{n}ns"),
    }
}
