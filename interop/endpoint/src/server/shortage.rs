//! Descriptors or memory that have run out: told of once in a while, since every request may meet it.

use std::cell::Cell;
use std::io;
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use rustix::io::Errno;

use super::metrics::Families;

/// Between two lines of the log.
const PERIOD: Duration = Duration::from_secs(60);

/// What can run out.
#[derive(Clone, Copy, Debug)]
pub enum Scarce {
    Descriptors,
    Memory,
}

impl Scarce {
    /// For metrics.
    fn name(self) -> &'static str {
        match self {
            Self::Descriptors => "descriptors",
            Self::Memory => "memory",
        }
    }

    /// For the log: what there is none of, and what the operator should know.
    fn describe(self) -> [&'static str; 2] {
        match self {
            Self::Descriptors => [
                "no file descriptors left",
                "slow readers hold one per response, and `ulimit -n` (LimitNOFILE= of systemd) says how \
                 many there may be",
            ],
            Self::Memory => [
                "no memory left for further responses",
                "clients hold it by what they have not acknowledged, and --response-memory says how much \
                 there may be",
            ],
        }
    }
}

/// What was refused for want of one of them.
pub struct Shortage {
    what: Scarce,
    counter: Counter,
    told: Cell<Option<Instant>>,
    /// Requests refused since.
    refused: Cell<u64>,
}

impl Shortage {
    pub fn new(what: Scarce, families: &Families) -> Self {
        Self {
            what,
            counter: families.refused_for(what.name()),
            told: Cell::default(),
            refused: Cell::default(),
        }
    }

    /// Whether an error means that the process (EMFILE) or the system (ENFILE) has no descriptors left.
    pub fn is_meant_by(error: &io::Error) -> bool {
        [Errno::MFILE, Errno::NFILE].contains(&Errno::from_io_error(error).unwrap_or(Errno::IO))
    }

    /// Tells the log of the first refusal, and of later ones together. Returns whether it did.
    pub fn on_refused(&self, now: Instant) -> bool {
        self.counter.inc();
        self.refused.set(self.refused.get() + 1);
        if self.told.get().is_some_and(|told| now < told + PERIOD) {
            return false;
        }
        let count = self.refused.take();
        let [what, advice] = self.what.describe();
        log::warn!("{what}: {count} requests refused with 503; {advice}");
        self.told.set(Some(now));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_refusals_are_one_line_a_minute() {
        let families = Families::default();
        let shortage = Shortage::new(Scarce::Memory, &families);
        let start = Instant::now();
        assert!(shortage.on_refused(start));
        for second in 1..60 {
            assert!(!shortage.on_refused(start + Duration::from_secs(second)));
        }
        assert!(shortage.on_refused(start + PERIOD));
        assert_eq!(shortage.refused.get(), 0);
        assert_eq!(families.refused_for("memory").get(), 61);
        assert_eq!(families.refused_for("descriptors").get(), 0);
    }

    #[test]
    fn other_errors_are_no_shortage() {
        let of = |errno: Errno| Shortage::is_meant_by(&errno.into());
        assert!(of(Errno::MFILE) && of(Errno::NFILE));
        assert!(!of(Errno::IO) && !of(Errno::NOENT));
        assert!(!Shortage::is_meant_by(&io::ErrorKind::NotFound.into()));
    }
}
