//! The time of the sliding windows.

use std::time::Duration;

use crate::units::Time;

/// Counts from the first sample. The windows can be paused; the peer's clock goes on meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WindowTime {
    first: Option<Time>,
    /// When the windows were paused, and for how long they had been before.
    paused: Option<Time>,
    missed: Duration,
    /// When something is due.
    next: Time,
}

impl WindowTime {
    /// Whether something is due.
    #[inline]
    pub fn is_due(&self, now: Time) -> bool {
        now >= self.next
    }

    /// The first sample comes now, if none has before.
    pub fn begin(&mut self, now: Time) {
        self.first.get_or_insert(now);
    }

    /// Time since the first sample.
    pub fn real(&self, now: Time) -> Time {
        now.counted_from(self.first.unwrap_or(now))
    }

    /// The same as the windows count it; nothing while they are paused.
    pub fn of_windows(&self, now: Time) -> Option<Time> {
        let counted = self.real(now).counted_from(Time::from_origin(self.missed));
        self.paused.is_none().then_some(counted)
    }

    /// The windows move next when they end, and their minima when they follow the clock, if they
    /// do.
    pub fn schedule(&mut self, ends: Duration, follows: Option<Duration>) {
        let Some(first) = self.first else { return };
        let ends = self.paused.is_none().then(|| first + ends + self.missed);
        let follows = follows.map(|follows| first + follows);
        self.next = ends.into_iter().chain(follows).min().unwrap_or(Time::LAST);
    }

    /// Pauses the windows, or lets them go on; tells whether they go on after a pause.
    pub fn pause(&mut self, paused: bool, now: Time) -> bool {
        match (self.paused, paused) {
            (None, true) => self.paused = Some(now),
            (Some(since), false) => {
                self.missed += now.since(since);
                self.paused = None;
                self.next = Time::default();
                return true;
            }
            _ => {}
        }
        false
    }
}
