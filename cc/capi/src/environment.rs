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
    if somebody_reads() {
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

/// Whether the standard error output takes a line at once. A pipe that nobody reads would end a program that has not
/// asked for anything else (SIGPIPE), and a full one would hold it up.
fn somebody_reads() -> bool {
    let mut stderr = libc::pollfd {
        fd: libc::STDERR_FILENO,
        events: libc::POLLOUT,
        revents: 0,
    };
    // SAFETY: one descriptor, which is ours.
    let ready = unsafe { libc::poll(&mut stderr, 1, 0) };
    ready == 1 && stderr.revents == libc::POLLOUT
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
