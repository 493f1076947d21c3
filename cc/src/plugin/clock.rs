//! The controller's clock beside quiche's.

use std::time::{Duration, Instant};

use crate::units::Time;

/// What the controller's time counts from is so long before the first packet, so that no time is
/// before it.
const BEFORE: Duration = Duration::from_secs(43_200);

/// Translates instants. Subtracting two of them costs as much as all else that is done for a
/// packet, so what was translated last is kept.
#[derive(Debug)]
pub(super) struct Clock {
    origin: Instant,
    latest: (Instant, Time),
}

impl Clock {
    /// That of a path whose first packet leaves now.
    #[cold]
    pub fn new(first: Instant) -> Self {
        let origin = first.checked_sub(BEFORE).unwrap_or(first);
        Self {
            origin,
            latest: (first, since(origin, first)),
        }
    }

    /// An instant by this clock.
    pub fn at(&self, instant: Instant) -> Time {
        since(self.origin, instant)
    }

    /// The same, kept for the next question.
    pub fn keep(&mut self, instant: Instant) -> Time {
        let time = self.at(instant);
        self.latest = (instant, time);
        time
    }

    /// The same, if it was the last that was kept.
    #[inline]
    pub fn kept(&self, instant: Instant) -> Option<Time> {
        let (latest, time) = self.latest;
        (latest == instant).then_some(time)
    }
}

fn since(origin: Instant, instant: Instant) -> Time {
    Time::from_origin(instant.saturating_duration_since(origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(
        clippy::disallowed_methods,
        reason = "there is no other way to have one"
    )]
    fn time_counts_from_before_the_first_packet_whatever_is_kept() {
        let first = Instant::now();
        let mut clock = Clock::new(first);
        let later = first + Duration::from_nanos(3_000_000_007);
        assert_eq!(clock.kept(first), Some(clock.at(first)));
        let time = clock.keep(later);
        assert_eq!(time.since(clock.at(first)), later - first);
        assert_eq!((clock.kept(later), clock.kept(first)), (Some(time), None));
        assert!(clock.at(first) > Time::default());
    }
}
