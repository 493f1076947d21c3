//! Which controllers there are, and why one was refused.

use std::ffi::{c_char, c_int};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use quiche_cc::catalogue::{self, BUILT_IN, CATALOGUE};
use quiche_cc_foreign::{abi, error};

use crate::{forced, text};

/// As in `quiche.h`.
const QUICHE_ERR_CONGESTION_CONTROL: c_int = -14;

/// quiche's own function, which it leaves to us: here the controllers get known to quiche, before a program can select one.
/// A constructor would be left out of static programs, which take from the archive only what they call.
///
/// # Safety
///
/// `config` is a configuration and `name` null or text.
#[no_mangle]
pub unsafe extern "C" fn quiche_config_set_cc_algorithm_name(
    config: &mut quiche::Config,
    name: *const c_char,
) -> c_int {
    let set = error::guard(AssertUnwindSafe(|| {
        // SAFETY: as promised by the caller.
        let name = unsafe { text::given(name, "the algorithm") }?;
        // quiche's error has no reason.
        quiche_cc::parse(name).map_err(|e| e.to_string())?;
        quiche_cc::register();
        if forced::controller().is_none() {
            config
                .set_cc_algorithm_name(name)
                .map_err(|e| e.to_string())?;
        }
        Ok(abi::OK)
    }));
    match set {
        abi::OK => 0,
        _ => QUICHE_ERR_CONGESTION_CONTROL,
    }
}

#[no_mangle]
pub extern "C" fn quiche_cc_list() -> *mut c_char {
    told(|| {
        let ours = CATALOGUE.iter().map(|e| (e.name, e.summary));
        let added = catalogue::added();
        let added = added.iter().map(|a| (&*a.name, &*a.summary));
        let built_in = BUILT_IN.iter().map(|name| (*name, "quiche's own"));
        ours.chain(added)
            .chain(built_in)
            .map(|(name, summary)| format!("{name} {}\n", summary.replace('\n', " ")))
            .collect()
    })
}

#[no_mangle]
pub extern "C" fn quiche_cc_describe() -> *mut c_char {
    told(catalogue::describe)
}

fn told(make: impl FnOnce() -> String) -> *mut c_char {
    catch_unwind(AssertUnwindSafe(|| text::hand_over(&make()))).unwrap_or(ptr::null_mut())
}

/// # Safety
///
/// Null, or from a function of this header, and not freed yet.
#[no_mangle]
pub unsafe extern "C" fn quiche_cc_string_free(string: *mut c_char) {
    // SAFETY: as promised by the caller.
    unsafe { text::free(string) }
}

/// # Safety
///
/// `algorithm` is null or text.
#[no_mangle]
pub unsafe extern "C" fn quiche_cc_check(algorithm: *const c_char) -> c_int {
    error::guard(|| {
        // SAFETY: as promised by the caller.
        let algorithm = unsafe { text::given(algorithm, "the algorithm") }?;
        quiche_cc::parse(algorithm)
            .map(|_| abi::OK)
            .map_err(|e| e.to_string())
    })
}

#[no_mangle]
pub extern "C" fn quiche_cc_last_error() -> *const c_char {
    error::last()
}
