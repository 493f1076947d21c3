//! Controllers that come from outside.

use std::ffi::{c_char, c_int, c_void, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use quiche_cc_foreign::abi::{self, Ops};
use quiche_cc_foreign::{error, load};

use crate::text;

/// # Safety
///
/// `name` is null or text; `ops` is null or a table as the header asks for.
#[no_mangle]
pub unsafe extern "C" fn quiche_cc_register(
    name: *const c_char,
    ops: *const Ops,
    ctx: *mut c_void,
) -> c_int {
    // SAFETY: as promised by the caller.
    match unsafe { quiche_cc_foreign::add(name, ops, ctx) } {
        abi::OK => error::guard(make_known),
        code => code,
    }
}

/// # Safety
///
/// `path` is null or text; what it names runs in this process.
#[no_mangle]
pub unsafe extern "C" fn quiche_cc_load(path: *const c_char) -> c_int {
    error::guard(|| {
        // SAFETY: as promised by the caller.
        let path = OsStr::from_bytes(unsafe { text::bytes(path, "the path") }?.to_bytes());
        let loaded = unsafe { load(Path::new(path)) };
        // Also after an error: it may have come with the second of several.
        make_known()?;
        loaded.map(|()| abi::OK)
    })
}

fn make_known() -> Result<c_int, String> {
    quiche_cc::register();
    Ok(abi::OK)
}
