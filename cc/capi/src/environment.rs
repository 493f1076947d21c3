//! What the library reads from the environment.

use std::ffi::{OsStr, OsString};
use std::io::Write;

/// The value of `variable`, if it is set and not empty. Programs with more rights than their caller have none: the
/// caller has set their environment, and may not decide what they do.
pub fn given(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty() && !has_more_rights_than_caller())
}

/// Tells what became of a variable, whatever the program logs: whoever set it has to see that.
pub fn tell(variable: &str, value: &OsStr, became: &str) {
    let shown: String = value.to_string_lossy().chars().take(80).collect();
    let line = format!("libquiche: {variable}={} {became}\n", shown.escape_debug());
    // Where nobody can be told, the program goes on.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

#[cfg(target_os = "linux")]
fn has_more_rights_than_caller() -> bool {
    // SAFETY: reads a word that the kernel has given to the process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

#[cfg(not(target_os = "linux"))]
fn has_more_rights_than_caller() -> bool {
    false
}
