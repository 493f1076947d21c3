//! Controllers from shared objects, loaded before the command line is read that names them.

use std::ffi::OsString;
use std::path::Path;

const OPTION: &str = "--plugin";

/// Loads what `--plugin` names in `arguments`, wherever it stands: clap checks `--cc` in passing. The error says what can't
/// be loaded.
pub fn load(arguments: impl IntoIterator<Item = OsString>) -> Result<(), String> {
    for file in named(arguments) {
        // SAFETY: to run its code is what the user asks for.
        unsafe { quiche_cc_foreign::load(Path::new(&file)) }
            .map_err(|wrong| format!("{OPTION} {wrong}"))?;
    }
    Ok(())
}

fn named(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut files = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == OPTION {
            files.extend(arguments.next());
        } else if let Some(rest) = argument.to_str().and_then(|a| a.strip_prefix(OPTION)) {
            files.extend(rest.strip_prefix('=').map(OsString::from));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_wherever_they_stand() {
        let arguments = "p --cc x --plugin a --plugin=b --plugins=c --plugin".split(' ');
        assert_eq!(named(arguments.map(OsString::from)), ["a", "b"]);
    }

    #[test]
    fn what_cannot_be_loaded_is_named() {
        let arguments = ["--plugin=/no/such/file"].map(OsString::from);
        let wrong = load(arguments).unwrap_err();
        assert!(wrong.starts_with("--plugin /no/such/file: "), "{wrong}");
    }
}
