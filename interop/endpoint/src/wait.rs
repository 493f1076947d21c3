//! Sleeping until a socket is ready or a deadline passes, with the precision that pacing needs.
//!
//! At 100 Mbit/s a full packet takes 0.1 ms, so timeouts in whole milliseconds (epoll, the usual
//! event loops) would turn pacing into bursts. `ppoll` takes nanoseconds, and the timer slack of 50
//! us that Linux adds is switched off.

use std::num::NonZeroU64;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{poll, PollFd, PollFlags, Timespec};

/// What to wait for on one file descriptor.
pub struct Interest<'a> {
    pub fd: BorrowedFd<'a>,
    /// Also wake when it can be written.
    pub writable: bool,
}

/// What one file descriptor is ready for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    pub readable: bool,
    pub writable: bool,
}

/// Asks the kernel to wake this thread at the time it asked for, not up to 50 us later.
pub fn make_timers_precise() {
    if let Err(e) = rustix::thread::set_current_timer_slack(NonZeroU64::new(1)) {
        log::warn!("timer slack stays at its default, pacing will be coarser: {e}");
    }
}

/// Waits until a descriptor is ready, the deadline passes, or a signal arrives. Without a deadline
/// it waits for ever.
pub fn wait(interests: &[Interest<'_>], deadline: Option<Instant>) -> std::io::Result<Vec<Ready>> {
    let mut fds: Vec<PollFd<'_>> = interests.iter().map(poll_fd).collect();
    let timeout = deadline.map(|at| timespec(at.saturating_duration_since(Instant::now())));
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) => Ok(fds.iter().map(|fd| ready(fd.revents())).collect()),
        Err(rustix::io::Errno::INTR) => Ok(vec![Ready::default(); fds.len()]),
        Err(e) => Err(e.into()),
    }
}

fn poll_fd<'a>(interest: &Interest<'a>) -> PollFd<'a> {
    let mut flags = PollFlags::IN;
    if interest.writable {
        flags |= PollFlags::OUT;
    }
    PollFd::from_borrowed_fd(interest.fd, flags)
}

fn ready(events: PollFlags) -> Ready {
    // An error condition counts as readable: reading it is what clears it.
    let problem = events.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL);
    Ready {
        readable: problem || events.contains(PollFlags::IN),
        writable: events.contains(PollFlags::OUT),
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: duration.as_secs() as _,
        tv_nsec: duration.subsec_nanos() as _,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn sleeps_well_below_a_millisecond() {
        make_timers_precise();
        let (idle, _other_end) = UnixStream::pair().unwrap();
        let mut slept: Vec<Duration> = (0..50)
            .map(|_| {
                let start = Instant::now();
                let interests = [Interest {
                    fd: idle.as_fd(),
                    writable: false,
                }];
                wait(&interests, Some(start + Duration::from_micros(200))).unwrap();
                start.elapsed()
            })
            .collect();
        slept.sort();
        assert!(
            slept[0] >= Duration::from_micros(200),
            "woke early: {:?}",
            slept[0]
        );
        assert!(
            slept[25] < Duration::from_micros(900),
            "median of 200 us sleeps is {:?}",
            slept[25]
        );
    }

    #[test]
    fn reports_only_what_was_asked_for_and_is_ready() {
        let (a, b) = UnixStream::pair().unwrap();
        let deadline = Some(Instant::now());
        let both = |writable| {
            vec![Interest {
                fd: a.as_fd(),
                writable,
            }]
        };
        assert_eq!(wait(&both(false), deadline).unwrap(), [Ready::default()]);
        assert_eq!(
            wait(&both(true), deadline).unwrap(),
            [Ready {
                readable: false,
                writable: true
            }]
        );
        std::io::Write::write_all(&mut &b, b"x").unwrap();
        assert_eq!(
            wait(&both(false), deadline).unwrap(),
            [Ready {
                readable: true,
                writable: false
            }]
        );
    }
}
