//! Shared objects that bring controllers.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::mem::ManuallyDrop;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use quiche_cc::spec::visible;

use crate::abi::{self, Ops, Plugin};
use crate::{error, ops};

/// What the shared object exports (`QUICHE_CC_PLUGIN_ENTRY`).
const ENTRY: &str = "quiche_cc_plugin";

/// Loads a shared object and adds the controllers that it brings to the catalogue, for the rest of the process.
///
/// # Errors
///
/// Why it can't be loaded, or why a controller of it was refused, whatever it says itself. Its others stay.
///
/// # Safety
///
/// Its code runs, with all that this process may do.
pub unsafe fn load(path: &Path) -> Result<(), String> {
    // SAFETY: as promised by the caller.
    unsafe { load_file(path) }.map_err(|wrong| visible(&wrong))
}

unsafe fn load_file(path: &Path) -> Result<(), String> {
    let shown = path.display();
    // dlopen searches the system for a name without a slash; a user means the file.
    let file = path
        .canonicalize()
        .map_err(|e| format!("{shown}: can't be loaded: {e}"))?;
    // A function that it lacks is found now, and not when a connection calls it.
    // SAFETY: as promised by the caller. It is never closed: its functions are called as long as there are connections.
    let library = ManuallyDrop::new(
        unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|e| format!("{shown}: can't be loaded: {e}"))?,
    );
    // SAFETY: `quiche_cc.h` declares the function of this name.
    let entry = unsafe { library.get::<Plugin>(ENTRY.as_bytes()) }
        .map_err(|_| format!("{shown}: exports no function {ENTRY}()"))?;
    // What C was told before stays valid if nothing is refused.
    let before = error::count();
    // SAFETY: as promised by the caller.
    let code = unsafe { entry(add) };
    if error::count() != before {
        return Err(format!("{shown}: {}", error::last_text()));
    }
    if code != abi::OK {
        return Err(format!("{shown}: {ENTRY}() returned {code}"));
    }
    Ok(())
}

/// `quiche_cc_register_fn`: [`ops::register`] for C.
///
/// # Safety
///
/// As there; `name` is null or text.
pub unsafe extern "C" fn add(name: *const c_char, ops: *const Ops, ctx: *mut c_void) -> c_int {
    error::guard(AssertUnwindSafe(|| {
        if name.is_null() {
            return Err("the name is NULL".to_owned());
        }
        // SAFETY: the name ends with NUL, and the rest is as `quiche_cc.h` asks for.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        unsafe { ops::register(&name, ops, ctx) }.map(|()| abi::OK)
    }))
}
