//! File descriptors that have run out: told of once in a while, since every request may meet it.

use std::cell::Cell;
use std::io;
use std::time::{Duration, Instant};

use rustix::io::Errno;

/// Between two lines of the log.
const PERIOD: Duration = Duration::from_secs(60);

/// What was refused for want of descriptors.
#[derive(Default)]
pub struct Shortage {
    told: Cell<Option<Instant>>,
    /// Requests refused since.
    refused: Cell<u64>,
}

impl Shortage {
    /// Whether an error means that the process (EMFILE) or the system (ENFILE) has none left.
    pub fn is_meant_by(error: &io::Error) -> bool {
        [Errno::MFILE, Errno::NFILE].contains(&Errno::from_io_error(error).unwrap_or(Errno::IO))
    }

    /// Tells the log of the first refusal, and of later ones together. Returns whether it did.
    pub fn on_refused(&self, now: Instant) -> bool {
        self.refused.set(self.refused.get() + 1);
        if self.told.get().is_some_and(|told| now < told + PERIOD) {
            return false;
        }
        let count = self.refused.take();
        log::warn!(
            "no file descriptors left: {count} requests refused with 503; slow readers hold one per \
             response, and `ulimit -n` (LimitNOFILE= of systemd) says how many there may be"
        );
        self.told.set(Some(now));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_refusals_are_one_line_a_minute() {
        let (shortage, start) = (Shortage::default(), Instant::now());
        assert!(shortage.on_refused(start));
        for second in 1..60 {
            assert!(!shortage.on_refused(start + Duration::from_secs(second)));
        }
        assert!(shortage.on_refused(start + PERIOD));
        assert_eq!(shortage.refused.get(), 0);
    }

    #[test]
    fn other_errors_are_no_shortage() {
        let of = |errno: Errno| Shortage::is_meant_by(&errno.into());
        assert!(of(Errno::MFILE) && of(Errno::NFILE));
        assert!(!of(Errno::IO) && !of(Errno::NOENT));
        assert!(!Shortage::is_meant_by(&io::ErrorKind::NotFound.into()));
    }
}
