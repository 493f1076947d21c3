//! The minimum over a sliding window.

use std::time::Duration;

use crate::units::{nanos, Time};

/// Sub-windows. A value is forgotten between 9/10 and 10/10 of the window after it was seen.
pub const PARTS: usize = 10;

/// The smallest value of the last `window`, in constant time and memory.
///
/// The window moves in steps of a tenth of its length, counted from the origin of time. Only then
/// is there more to do than a comparison.
#[derive(Debug, Clone)]
pub struct WindowMin<T> {
    part: Duration,
    /// The minimum of the latest part, and of all.
    current: Option<T>,
    least: Option<T>,
    /// The minima of the parts before, as a ring.
    before: [Option<T>; PARTS - 1],
    /// The place in the ring where the latest part comes when it is over.
    place: usize,
    /// The number of the latest part, and when it ends.
    latest: u64,
    ends: Time,
}

impl<T: Copy + Ord> WindowMin<T> {
    /// An empty window of length `window`.
    pub fn new(window: Duration) -> Self {
        let part = (window / PARTS as u32).max(Duration::from_nanos(1));
        Self {
            part,
            current: None,
            least: None,
            before: [None; PARTS - 1],
            place: 0,
            latest: 0,
            ends: Time::from_origin(part),
        }
    }

    /// How long a part is.
    pub fn part(&self) -> Duration {
        self.part
    }

    /// The number of the latest part.
    pub fn latest_part(&self) -> u64 {
        self.latest
    }

    /// The smallest value of the latest part.
    pub fn latest_minimum(&self) -> Option<T> {
        self.current
    }

    /// When the latest part ends, from the origin of time.
    pub fn ends(&self) -> Duration {
        Duration::from_nanos(self.ends.as_nanos())
    }

    /// Moves the window to `now`, and tells whether that begins a new part; time never goes back.
    pub fn advance(&mut self, now: Time) -> bool {
        let over = now >= self.ends;
        if over {
            self.begin_part(now);
        }
        over
    }

    #[cold]
    fn begin_part(&mut self, now: Time) {
        let part = nanos(self.part);
        let number = now.as_nanos() / part;
        for _ in (self.latest..number).take(PARTS) {
            self.before[self.place] = self.current.take();
            self.place = (self.place + 1) % self.before.len();
        }
        self.latest = number;
        let end = number.saturating_add(1).saturating_mul(part);
        self.ends = Time::from_origin(Duration::from_nanos(end));
        self.least = self.before.iter().flatten().min().copied();
    }

    /// Sees `value`, where the window stands, and tells whether it is lower than any other in it.
    pub fn insert(&mut self, value: T) -> bool {
        let lower = |minimum: Option<T>| minimum.is_none_or(|minimum| value < minimum);
        if !lower(self.current) {
            return false;
        }
        self.current = Some(value);
        let lowest = lower(self.least);
        if lowest {
            self.least = Some(value);
        }
        lowest
    }

    /// The minimum, if any value is left in the window.
    pub fn get(&self) -> Option<T> {
        self.least
    }

    /// Replaces the minimum of each part; `change` is told how many parts ago that began, 0 for the
    /// latest.
    pub fn change(&mut self, change: impl Fn(T, u32) -> T) {
        let latest = self.current.as_mut().map(|minimum| (minimum, 0));
        let (later, earlier) = self.before.split_at_mut(self.place);
        let before = earlier.iter_mut().chain(later).rev().zip(1..);
        let before = before.filter_map(|(minimum, ago)| minimum.as_mut().map(|min| (min, ago)));
        for (minimum, ago) in latest.into_iter().chain(before) {
            *minimum = change(*minimum, ago);
        }
        self.least = self
            .current
            .iter()
            .chain(self.before.iter().flatten())
            .min()
            .copied();
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.before = [None; PARTS - 1];
        self.current = None;
        self.least = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_origin(Duration::from_millis(millis))
    }

    fn insert(window: &mut WindowMin<u64>, millis: u64, value: u64) {
        window.advance(at(millis));
        window.insert(value);
    }

    #[test]
    fn keeps_the_smallest_of_the_window_and_forgets_it_afterwards() {
        let mut window = WindowMin::new(Duration::from_secs(10));
        assert_eq!(window.get(), None);
        insert(&mut window, 500, 3);
        insert(&mut window, 2_500, 5);
        window.advance(at(9_999));
        assert_eq!(window.get(), Some(3));
        window.advance(at(10_000));
        assert_eq!(window.get(), Some(5));
        window.advance(at(12_000));
        assert_eq!(window.get(), None);
    }

    #[test]
    fn a_late_clock_reading_does_not_bring_old_values_back() {
        let mut window = WindowMin::new(Duration::from_secs(10));
        insert(&mut window, 1_000, 1);
        insert(&mut window, 50_000, 7);
        insert(&mut window, 49_000, 6);
        assert_eq!(window.get(), Some(6));
    }

    #[test]
    fn agrees_with_a_search_over_all_values() {
        let mut window = WindowMin::new(Duration::from_secs(1));
        let mut seen: Vec<(u64, u64)> = Vec::new();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for step in 0..5_000_u64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let now = step * 7;
            let value = state >> 40;
            insert(&mut window, now, value);
            seen.push((now / 100, value));
            let expected = seen.iter().filter(|(part, _)| part + 10 > now / 100);
            assert_eq!(window.get(), expected.map(|(_, v)| *v).min(), "step {step}");
        }
    }
}
