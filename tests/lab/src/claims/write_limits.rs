//! Writes limits into the files of claim sets; all else in them stays as it is.

use std::path::Path;

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::finding::Finding;
use super::fresh;
use super::judge::{CheckVerdict, Verdict};
use super::report::Chapter;

/// What becomes of a check in its file.
enum Change {
    /// It has this limit.
    Limit(Value),
    /// It holds, and nothing says otherwise.
    Nothing,
}

/// Gives every check that is known not to hold the limit of today, and takes reason and limit from those that hold with margin.
/// Returns how many checks have changed.
///
/// # Errors
/// The file that cannot be read or written, and why.
pub fn write_limits(chapters: &[Chapter<'_>]) -> Result<usize, String> {
    let mut count = 0;
    for chapter in chapters {
        let file = &chapter.set.file;
        count += rewrite(file, &chapter.verdicts)
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(count)
}

fn rewrite(file: &Path, verdicts: &[Verdict<'_>]) -> Result<usize, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let (changed, count) = rewritten(&text, verdicts)?;
    if count > 0 {
        std::fs::write(file, changed).map_err(|error| error.to_string())?;
    }
    Ok(count)
}

/// The text with the limits of today, and how many checks have changed.
pub fn rewritten(text: &str, verdicts: &[Verdict<'_>]) -> Result<(String, usize), String> {
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| error.to_string())?;
    let claims = document
        .get_mut("claim")
        .and_then(Item::as_array_of_tables_mut)
        .ok_or("there is no [[claim]]")?;
    let mut count = 0;
    for (claim, verdict) in claims.iter_mut().zip(verdicts) {
        for (place, check) in verdict.checks.iter().enumerate() {
            if let Some(change) = change(check)? {
                count += usize::from(apply(claim, place, &change)?);
            }
        }
    }
    Ok((document.to_string(), count))
}

fn change(verdict: &CheckVerdict<'_>) -> Result<Option<Change>, String> {
    match verdict.finding() {
        Finding::WithinLimit | Finding::BeyondLimit | Finding::NoLimit => {
            let text = fresh::limit(verdict).to_string();
            let value = text.parse::<Value>().map_err(|error| error.to_string())?;
            Ok(Some(Change::Limit(value)))
        }
        Finding::HoldsNow => Ok(Some(Change::Nothing)),
        Finding::Holds | Finding::HoldsBarely | Finding::Fails => Ok(None),
    }
}

/// Changes the check at this place of the claim. Returns whether it is another than before.
fn apply(claim: &mut Table, place: usize, change: &Change) -> Result<bool, String> {
    match claim.get_mut("check") {
        Some(Item::ArrayOfTables(checks)) => checks
            .get_mut(place)
            .map(|check| in_table(check, change))
            .ok_or_else(missing),
        Some(Item::Value(Value::Array(checks))) => checks
            .get_mut(place)
            .and_then(Value::as_inline_table_mut)
            .map(|check| in_inline_table(check, change))
            .ok_or_else(missing),
        _ => Err(missing()),
    }
}

fn missing() -> String {
    "a claim has lost its checks".into()
}

fn is_new(known: Option<&Item>, value: &Value) -> bool {
    let plain = |text: String| text.trim().to_owned();
    known.is_none_or(|known| plain(known.to_string()) != plain(value.to_string()))
}

fn in_table(check: &mut Table, change: &Change) -> bool {
    match change {
        Change::Nothing => remove(check),
        Change::Limit(value) => {
            let new = is_new(check.get("limit"), value);
            if new {
                check.insert("limit", toml_edit::value(value.clone()));
            }
            new
        }
    }
}

fn remove(check: &mut dyn TableLike) -> bool {
    check.remove("limit");
    check.remove("deviates").is_some()
}

/// What stands between the last value and the brace stays there.
fn in_inline_table(check: &mut InlineTable, change: &Change) -> bool {
    match change {
        Change::Nothing => {
            let removed = remove(check);
            set_end(check, " ");
            removed
        }
        Change::Limit(value) => {
            let known = check.get("limit").cloned().map(Item::Value);
            let new = is_new(known.as_ref(), value);
            if new {
                set_end(check, "");
                check.insert("limit", value.clone());
                set_end(check, " ");
            }
            new
        }
    }
}

fn set_end(check: &mut InlineTable, space: &str) {
    if let Some((_, last)) = check.iter_mut().last() {
        last.decor_mut().set_suffix(space);
    }
}
