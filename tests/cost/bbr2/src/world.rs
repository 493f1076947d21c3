//! What makes runs alike: a clock, which quiche reads through the C library's `clock_gettime`, and this program's comes
//! first; and random numbers.

use std::sync::atomic::{AtomicU64, Ordering};

const NANOS_PER_SEC: u64 = 1_000_000_000;
/// Long enough that nothing subtracts itself below zero.
const START: u64 = 1_000_000 * NANOS_PER_SEC;

static NOW: AtomicU64 = AtomicU64::new(START);
static RANDOM: AtomicU64 = AtomicU64::new(1);

/// Puts the clock to so many nanoseconds from its start.
pub fn set_clock(nanos: u64) {
    NOW.store(START + nanos, Ordering::Relaxed);
}

#[repr(C)]
pub struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// # Safety
///
/// As with the C library's: `out` points to room for a `timespec`.
#[no_mangle]
unsafe extern "C" fn clock_gettime(_clock: i32, out: *mut Timespec) -> i32 {
    let now = NOW.load(Ordering::Relaxed);
    // SAFETY: the caller provides the room.
    unsafe {
        (*out).seconds = (now / NANOS_PER_SEC) as i64;
        (*out).nanoseconds = (now % NANOS_PER_SEC) as i64;
    }
    0
}

/// Draws in place of BoringSSL's: the linker is asked to wrap the function (`bbr2.py`).
///
/// # Safety
///
/// As with BoringSSL's: `out` points to room for `len` bytes.
#[no_mangle]
unsafe extern "C" fn __wrap_RAND_bytes(out: *mut u8, len: usize) -> i32 {
    // SAFETY: the caller provides the room.
    for byte in unsafe { std::slice::from_raw_parts_mut(out, len) } {
        // A step of the linear congruential generator of Knuth's MMIX; its high bits are the better ones.
        let next = |state: u64| {
            state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407)
        };
        let state = next(RANDOM.load(Ordering::Relaxed));
        RANDOM.store(state, Ordering::Relaxed);
        *byte = (state >> 56) as u8;
    }
    1
}
