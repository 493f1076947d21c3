//! Why something was refused, by thread, for who can only be given a number; and no panic for who can't take one.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, CString};
use std::panic::{catch_unwind, UnwindSafe};

use quiche_cc::spec::visible;

use crate::abi;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// Keeps the reason for [`last`].
pub fn set(reason: &str) {
    // Visible, so that no NUL is left in it.
    let text = CString::new(visible(reason)).unwrap_or_default();
    // Nobody who asks while the thread ends gets an answer.
    let _ = LAST.try_with(|last| *last.borrow_mut() = text);
    let _ = COUNT.try_with(|count| count.set(count.get().wrapping_add(1)));
}

/// How many reasons there have been in this thread.
pub fn count() -> u64 {
    COUNT.try_with(Cell::get).unwrap_or_default()
}

/// The latest reason in this thread, "" before the first; valid until the next [`set`].
pub fn last() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr())
        .unwrap_or(c"".as_ptr())
}

/// The latest reason as text.
pub fn last_text() -> String {
    LAST.try_with(|last| last.borrow().to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Runs what C asks for. An error is kept for [`last`]; a panic is kept, too, and does not reach C.
pub fn guard(body: impl FnOnce() -> Result<c_int, String> + UnwindSafe) -> c_int {
    match catch_unwind(body) {
        Ok(Ok(code)) => code,
        Ok(Err(reason)) => {
            set(&reason);
            abi::REFUSED
        }
        Err(payload) => {
            let said = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied());
            set(&format!(
                "a defect of quiche-cc: {}",
                said.unwrap_or("panic")
            ));
            abi::BUG
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_a_code_and_a_reason() {
        assert_eq!(guard(|| Ok(7)), 7);
        assert_eq!(guard(|| Err("no\0t this".to_owned())), abi::REFUSED);
        assert_eq!(last_text(), r"no\0t this");
        assert_eq!(guard(|| panic!("number {}", 5)), abi::BUG);
        assert_eq!(last_text(), "a defect of quiche-cc: number 5");
    }
}
