//! Controllers that are added while the process runs, beside [`CATALOGUE`](super::CATALOGUE).

use std::fmt;
use std::sync::{Arc, RwLock};

use super::{Build, BUILT_IN, CATALOGUE};
use crate::spec::SpecError;

/// Names that are longer are refused.
const MAX_NAME: usize = 32;

/// Turns `spec`, of which `options` is what follows the colon, into what creates controllers.
pub type Configure = dyn Fn(&str, &str) -> Result<Arc<Build>, SpecError> + Send + Sync;

/// A controller that was added.
pub struct Added {
    /// The name in option strings.
    pub name: String,
    /// What it does, in one line.
    pub summary: String,
    /// Reads the options.
    pub configure: Box<Configure>,
}

impl fmt::Debug for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Added")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Added {
    /// Reads what follows `name:` (empty if nothing does).
    pub fn configure(&self, options: &str) -> Result<Arc<Build>, SpecError> {
        let spec = super::spec_of(&self.name, options);
        (self.configure)(&spec, options)
    }
}

static ADDED: RwLock<Vec<&'static Added>> = RwLock::new(Vec::new());

/// Adds a controller for the rest of the process. The error says what is wrong with its name, or
/// that it is taken.
pub fn add(added: Added) -> Result<(), SpecError> {
    check_name(&added.name)?;
    let mut all = ADDED.write().unwrap_or_else(|e| e.into_inner());
    let name = added.name.as_str();
    let built_in = BUILT_IN.contains(&name);
    let ours = CATALOGUE.iter().any(|entry| entry.name == name);
    if built_in || ours || all.iter().any(|other| other.name == name) {
        return Err(SpecError::new(format!(
            "there is a controller \"{name}\" already; choose another name"
        )));
    }
    all.push(Box::leak(Box::new(added)));
    Ok(())
}

fn check_name(name: &str) -> Result<(), SpecError> {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(allowed) {
        let shown: String = name.chars().take(60).flat_map(char::escape_debug).collect();
        return Err(SpecError::new(format!(
            "\"{shown}\" can't be a controller's name: 1 to {MAX_NAME} of a to z, 0 to 9, - and _ are allowed"
        )));
    }
    Ok(())
}

/// What was added so far, in the order in which it was.
pub fn added() -> Vec<&'static Added> {
    ADDED.read().unwrap_or_else(|e| e.into_inner()).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Added {
        Added {
            name: name.to_owned(),
            summary: "refuses all options".to_owned(),
            configure: Box::new(|_, options| Err(SpecError::new(format!("no to {options:?}")))),
        }
    }

    #[test]
    fn an_added_controller_is_found_listed_and_asked_for_its_options() {
        add(named("added-found")).unwrap();
        let refused = super::super::parse("added-found:x=1")
            .unwrap_err()
            .to_string();
        assert_eq!(refused, "no to \"x=1\"");
        let unknown = super::super::parse("nothing").unwrap_err().to_string();
        assert!(unknown.contains("added-found"), "{unknown}");
        assert!(super::super::describe().contains("added-found: refuses all options"));
    }

    #[test]
    fn names_that_are_taken_or_cannot_be_written_are_refused() {
        add(named("added-twice")).unwrap();
        for name in ["added-twice", "cubic", "hybrid"] {
            let refused = add(named(name)).unwrap_err().to_string();
            assert!(refused.contains("already"), "{refused}");
        }
        for name in ["", "a:b", "A", "ä", "a\0", &"x".repeat(33)] {
            let refused = add(named(name)).unwrap_err().to_string();
            assert!(refused.contains("1 to 32"), "{refused}");
        }
    }
}
