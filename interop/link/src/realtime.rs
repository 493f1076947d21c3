//! Waking up on time.

use thread_priority::{
    set_thread_priority_and_policy, thread_native_id, RealtimeThreadSchedulePolicy, ThreadPriority,
    ThreadSchedulePolicy,
};

/// Above everything that is not real-time; among those that are, low.
const PRIORITY: i32 = 10;

/// Asks the system to wake this thread up without delay. Says what came of it, for the log;
/// without the right to real-time priority the relay works all the same, just later on a busy machine.
pub(crate) fn prefer_this_thread() -> String {
    let slack = set_timer_slack();
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let priority = ThreadPriority::from_posix(thread_priority::ScheduleParams {
        sched_priority: PRIORITY,
    });
    let fifo = match set_thread_priority_and_policy(thread_native_id(), priority, policy) {
        Ok(()) => format!("SCHED_FIFO {PRIORITY}"),
        Err(error) => format!("normal priority ({error})"),
    };
    format!("{fifo}, {slack}")
}

/// Lets timers fire when they are due, not up to 50 us later (`prctl(2)`, `PR_SET_TIMERSLACK`).
#[cfg(target_os = "linux")]
fn set_timer_slack() -> String {
    match nix::sys::prctl::set_timerslack(1) {
        Ok(()) => "timer slack 1 ns".to_owned(),
        Err(error) => format!("default timer slack ({error})"),
    }
}

#[cfg(not(target_os = "linux"))]
fn set_timer_slack() -> String {
    "default timer slack".to_owned()
}
