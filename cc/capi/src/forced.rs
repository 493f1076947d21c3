//! `QUICHE_CC`: a controller for programs that choose another one, or none, and cannot be told.

use std::ffi::{c_char, CString, OsString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::OnceLock;

/// Name of the environment variable: `hybrid`, or a name with options.
const VARIABLE: &str = "QUICHE_CC";

/// The controller that every connection of the process gets. It is looked up once, so that no connection differs.
pub fn controller() -> Option<&'static str> {
    forced().and_then(|name| name.to_str().ok())
}

fn forced() -> Option<&'static CString> {
    static FORCED: OnceLock<Option<CString>> = OnceLock::new();
    let look_up = || {
        let given = given().filter(|given| !given.is_empty())?;
        let (used, told) = match usable(&given) {
            Ok(name) => (
                Some(name),
                "has every connection's congestion control".to_owned(),
            ),
            Err(reason) => (None, format!("is not used: {reason}")),
        };
        // Whoever set the variable has to see what became of it, whatever the program logs.
        let shown: String = given.to_string_lossy().chars().take(80).collect();
        eprintln!("libquiche: {VARIABLE}={} {told}", shown.escape_debug());
        used
    };
    FORCED.get_or_init(look_up).as_ref()
}

fn usable(given: &OsString) -> Result<CString, String> {
    let name = given.to_str().ok_or("it is not UTF-8")?;
    quiche_cc::parse(name).map_err(|e| e.to_string())?;
    quiche_cc::register();
    CString::new(name).map_err(|e| e.to_string())
}

fn given() -> Option<OsString> {
    std::env::var_os(VARIABLE).filter(|_| !has_more_rights_than_caller())
}

/// The caller of such a program has set its environment, and may not decide what it does.
#[cfg(target_os = "linux")]
fn has_more_rights_than_caller() -> bool {
    // SAFETY: reads a word that the kernel has given to the process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

#[cfg(not(target_os = "linux"))]
fn has_more_rights_than_caller() -> bool {
    false
}

/// quiche's own function, which it leaves to us.
#[no_mangle]
pub extern "C" fn quiche_config_new(version: u32) -> *mut quiche::Config {
    let make = || {
        let mut config = quiche::Config::new(version).ok()?;
        if let Some(name) = controller() {
            config.set_cc_algorithm_name(name).ok()?;
        }
        Some(Box::into_raw(Box::new(config)))
    };
    let made = catch_unwind(AssertUnwindSafe(make));
    made.ok().flatten().unwrap_or(ptr::null_mut())
}

/// quiche's own function, which it leaves to us.
#[no_mangle]
pub extern "C" fn quiche_config_set_cc_algorithm(
    config: &mut quiche::Config,
    algorithm: quiche::CongestionControlAlgorithm,
) {
    if controller().is_none() {
        config.set_cc_algorithm(algorithm);
    }
}

#[no_mangle]
pub extern "C" fn quiche_cc_forced() -> *const c_char {
    let found = catch_unwind(forced);
    found
        .ok()
        .flatten()
        .map_or(ptr::null(), |name| name.as_ptr())
}
