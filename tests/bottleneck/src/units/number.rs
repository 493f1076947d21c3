//! Splitting "1.5Mbps" into its number and its unit.

/// The non-negative decimal number at the start of `text` and the unit after it.
///
/// Only digits and one point make up the number: no sign, no exponent, no `inf`.
pub(super) fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number.parse().ok()?;
    Some((number, unit.trim_start()))
}
