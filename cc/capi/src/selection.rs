//! Which controllers there are, and why one was refused.

use std::ffi::{c_char, c_int};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use quiche_cc::catalogue::{self, BUILT_IN, CATALOGUE};
use quiche_cc_foreign::{abi, error};

use crate::text;

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
