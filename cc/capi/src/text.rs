//! Strings to and from C.

use std::collections::BTreeMap;
use std::ffi::{c_char, CStr, CString};
use std::ptr;
use std::sync::Mutex;

/// What C passed as `what`; the error says that it is not text.
///
/// # Safety
///
/// As of [`bytes`].
pub unsafe fn given<'a>(text: *const c_char, what: &str) -> Result<&'a str, String> {
    // SAFETY: as promised by the caller.
    unsafe { bytes(text, what) }?
        .to_str()
        .map_err(|_| format!("{what} is not UTF-8"))
}

/// What C passed as `what`, in any encoding; the error says that it is NULL.
///
/// # Safety
///
/// Null, or ends with NUL and stays as it is while the result is used.
pub unsafe fn bytes<'a>(text: *const c_char, what: &str) -> Result<&'a CStr, String> {
    if text.is_null() {
        return Err(format!("{what} is NULL"));
    }
    // SAFETY: as promised by the caller.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// Hands text over to C, which gives it back to [`free`]. Null if it can't be told.
pub fn hand_over(text: &str) -> *mut c_char {
    CString::new(text).map_or(ptr::null_mut(), CString::into_raw)
}

/// Takes text back.
///
/// # Safety
///
/// Null, or from [`hand_over`] and not given back yet.
pub unsafe fn free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: as promised by the caller.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Static text for C, which wants it to end with NUL; kept for the rest of the process. There are only so many.
pub fn forever(text: &'static str) -> *const c_char {
    static KEPT: Mutex<BTreeMap<&str, &CStr>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(|e| e.into_inner());
    kept.entry(text)
        .or_insert_with(|| Box::leak(CString::new(text).unwrap_or_default().into_boxed_c_str()))
        .as_ptr()
}
