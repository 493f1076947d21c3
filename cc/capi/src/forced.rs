//! `QUICHE_CC`: a controller for programs that choose another one, or none, and cannot be told.

use std::ffi::{c_char, CString, OsString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::OnceLock;

use crate::{environment, hold};

/// Name of the environment variable: `hybrid`, or a name with options.
const VARIABLE: &str = "QUICHE_CC";

/// The controller that every connection of the process gets. It is looked up once, so that no connection differs.
pub fn controller() -> Option<&'static str> {
    forced().and_then(|name| name.to_str().ok())
}

fn forced() -> Option<&'static CString> {
    static FORCED: OnceLock<Option<CString>> = OnceLock::new();
    let look_up = || {
        let given = environment::given(VARIABLE)?;
        let (used, told) = match usable(&given) {
            Ok(name) => (
                Some(name),
                "has every connection's congestion control".to_owned(),
            ),
            Err(reason) => (None, format!("is not used: {reason}")),
        };
        environment::tell(VARIABLE, &given, &told);
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

/// quiche's own function, which it leaves to us.
#[no_mangle]
pub extern "C" fn quiche_config_new(version: u32) -> *mut quiche::Config {
    let make = || {
        let mut config = quiche::Config::new(version).ok()?;
        if let Some(name) = controller() {
            config.set_cc_algorithm_name(name).ok()?;
        }
        config.set_hold_until_release(hold::wanted());
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
