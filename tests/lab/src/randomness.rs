//! The randomness of a simulation, in place of BoringSSL's.
//!
//! quiche and TLS draw connection ids, packet number skips, keys and nonces from BoringSSL's `RAND_bytes`. The linker
//! diverts calls of it to this file (build.rs). A thread that runs a simulation gets the stream of the simulation's
//! seed; all others get BoringSSL's own.

use std::cell::RefCell;
use std::marker::PhantomData;

use libc::{c_int, size_t};
use quiche_cc_bottleneck::Stream;
use rand_chacha::rand_core::Rng;

thread_local! {
    static STREAM: RefCell<Option<Stream>> = const { RefCell::new(None) };
}

extern "C" {
    fn __real_RAND_bytes(out: *mut u8, len: size_t) -> c_int;
}

/// While it lives, this thread's BoringSSL draws from one seeded stream.
pub struct SeededRandomness(PhantomData<*const ()>);

impl SeededRandomness {
    /// Diverts this thread's random bytes to `stream`.
    pub fn start(stream: Stream) -> Self {
        STREAM.with(|current| *current.borrow_mut() = Some(stream));
        Self(PhantomData)
    }
}

impl Drop for SeededRandomness {
    fn drop(&mut self) {
        STREAM.with(|current| *current.borrow_mut() = None);
    }
}

/// # Safety
///
/// As with BoringSSL's: `out` points to room for `len` bytes.
#[no_mangle]
unsafe extern "C" fn __wrap_RAND_bytes(out: *mut u8, len: size_t) -> c_int {
    let seeded = STREAM.with(|current| {
        let mut current = current.borrow_mut();
        let Some(stream) = current.as_mut() else {
            return false;
        };
        if len > 0 {
            // SAFETY: the caller provides the room, and `len` is not zero, so `out` is not null.
            stream.fill_bytes(unsafe { std::slice::from_raw_parts_mut(out, len) });
        }
        true
    });
    if seeded {
        1
    } else {
        // SAFETY: the arguments are the caller's.
        unsafe { __real_RAND_bytes(out, len) }
    }
}
