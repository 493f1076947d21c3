//! The clock of a simulation, in place of the machine's.
//!
//! quiche reads the time itself, through `std::time::Instant::now()`, which on Linux ends in the C library's
//! `clock_gettime`. This program defines that symbol and so comes first. A thread that runs a simulation
//! sees the simulation's time, whatever it calls; all other threads (progress display) see the real one.

#[cfg(not(target_os = "linux"))]
compile_error!("the lab replaces Linux' clock_gettime; it runs on Linux only");

use std::cell::Cell;
use std::marker::PhantomData;

use libc::{c_int, c_long, clockid_t, timespec, CLOCK_REALTIME};
use quiche_cc_bottleneck::Time;

const NANOS_PER_SEC: u64 = 1_000_000_000;
/// What monotonic clocks show at the start: long enough that nothing subtracts itself below zero.
const MONOTONIC_START: u64 = 1_000_000 * NANOS_PER_SEC;
/// What wall clocks show at the start: 2000-01-01T00:00:00Z.
const REALTIME_START: u64 = 946_684_800 * NANOS_PER_SEC;

thread_local! {
    /// Nanoseconds since the start of this thread's simulation. No destructor: it may be read at any time.
    static NOW: Cell<Option<u64>> = const { Cell::new(None) };
}

/// While it lives, this thread's clocks stand still at the time that was [`set`](VirtualTime::set).
pub struct VirtualTime(PhantomData<*const ()>);

impl VirtualTime {
    /// Stops this thread's clocks at the start of a simulation.
    ///
    /// # Panics
    ///
    /// If the thread runs a simulation already.
    pub fn start() -> Self {
        NOW.with(|now| {
            assert!(now.get().is_none(), "one simulation per thread at a time");
            now.set(Some(0));
        });
        Self(PhantomData)
    }

    /// Puts the clocks to `time`.
    pub fn set(&self, time: Time) {
        NOW.with(|now| now.set(Some(time.as_nanos())));
    }
}

impl Drop for VirtualTime {
    fn drop(&mut self) {
        NOW.with(|now| now.set(None));
    }
}

/// # Safety
///
/// As with the C library's: `out` points to room for a `timespec`.
#[no_mangle]
unsafe extern "C" fn clock_gettime(clock: clockid_t, out: *mut timespec) -> c_int {
    let Some(now) = NOW.with(Cell::get) else {
        // SAFETY: the kernel's own call, with the arguments that it takes; it checks the pointer.
        return unsafe { libc::syscall(libc::SYS_clock_gettime, clock, out) as c_int };
    };
    let start = if clock == CLOCK_REALTIME {
        REALTIME_START
    } else {
        MONOTONIC_START
    };
    let nanos = start + now;
    // SAFETY: the caller provides the room.
    unsafe {
        (*out).tv_sec = (nanos / NANOS_PER_SEC) as libc::time_t;
        (*out).tv_nsec = (nanos % NANOS_PER_SEC) as c_long;
    }
    0
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "reading the clocks is what is tested"
)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

    #[test]
    fn clocks_of_a_simulation_show_what_was_set_and_no_other_threads_do() {
        let real = Instant::now();
        let time = VirtualTime::start();
        let (start, wall) = (Instant::now(), SystemTime::now());
        assert_eq!(start, Instant::now(), "the clock stops");
        time.set(Time::from_nanos(1_500_000_001));
        assert_eq!(Instant::now() - start, Duration::from_nanos(1_500_000_001));
        assert_eq!(
            wall.duration_since(UNIX_EPOCH).unwrap(),
            Duration::from_secs(946_684_800)
        );
        let elsewhere = std::thread::spawn(Instant::now).join().unwrap();
        assert!(elsewhere >= real && elsewhere < real + Duration::from_secs(60));
        drop(time);
        assert!(Instant::now() >= real && Instant::now() < real + Duration::from_secs(60));
    }
}
