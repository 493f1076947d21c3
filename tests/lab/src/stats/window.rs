//! A part of a run.

use std::time::Duration;

use quiche_cc_bottleneck::Time;

use crate::scenario::FlowDecl;

/// A part of a run: from an instant, included, to a later one, not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    from: Time,
    to: Time,
}

impl Window {
    /// From `from` to `to`; `None` if that is no time at all.
    pub fn new(from: Time, to: Time) -> Option<Self> {
        (from < to).then_some(Self { from, to })
    }

    /// The time in which a flow is meant to be active.
    pub fn of_flow(flow: &FlowDecl) -> Option<Self> {
        Self::new(flow.start, flow.stop)
    }

    /// The first instant.
    pub fn from(self) -> Time {
        self.from
    }

    /// The first instant after it.
    pub fn to(self) -> Time {
        self.to
    }

    /// Its length, which is not zero.
    pub fn span(self) -> Duration {
        self.to.since(self.from)
    }

    /// Whether `at` lies in it.
    pub fn contains(self, at: Time) -> bool {
        self.from <= at && at < self.to
    }

    /// Whether all of `other` lies in it.
    pub fn covers(self, other: Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }

    /// What lies in both.
    pub fn and(self, other: Self) -> Option<Self> {
        Self::new(self.from.max(other.from), self.to.min(other.to))
    }

    /// Its last part, this long or all of it.
    #[must_use]
    pub fn last(self, span: Duration) -> Self {
        Self {
            from: self.from.max(self.to - span),
            to: self.to,
        }
    }

    /// Parts of `width` one after another; what is left at the end is left out.
    ///
    /// # Panics
    /// If `width` is zero.
    pub fn bins(self, width: Duration) -> impl Iterator<Item = Self> {
        assert!(!width.is_zero(), "bins have a width");
        let ends = std::iter::successors(Some(self.from + width), move |end| Some(*end + width));
        ends.take_while(move |end| *end <= self.to)
            .map(move |to| Self {
                from: to - width,
                to,
            })
    }

    /// The items of a series in order of time that lie in it.
    pub fn cut<T>(self, series: &[T], at: impl Fn(&T) -> Time) -> &[T] {
        let begin = series.partition_point(|item| at(item) < self.from);
        let end = series.partition_point(|item| at(item) < self.to);
        &series[begin..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(from: u64, to: u64) -> Window {
        Window::new(Time::from_nanos(from), Time::from_nanos(to)).unwrap()
    }

    #[test]
    fn the_first_instant_belongs_to_a_window_and_the_last_does_not() {
        let series = [1, 10, 10, 19, 20].map(Time::from_nanos);
        assert_eq!(window(10, 20).cut(&series, |at| *at), &series[1..4]);
        assert!(Window::new(Time::from_nanos(5), Time::from_nanos(5)).is_none());
    }

    #[test]
    fn windows_overlap_or_have_nothing_in_common() {
        assert_eq!(window(10, 20).and(window(15, 30)), Some(window(15, 20)));
        assert_eq!(window(10, 20).and(window(20, 30)), None);
        assert!(window(10, 20).covers(window(10, 20)));
        assert!(!window(10, 20).covers(window(9, 20)));
        assert_eq!(window(10, 20).last(Duration::from_nanos(3)), window(17, 20));
        assert_eq!(window(10, 20).last(Duration::from_secs(1)), window(10, 20));
    }

    #[test]
    fn bins_leave_out_what_is_left_at_the_end() {
        let bins: Vec<_> = window(10, 20).bins(Duration::from_nanos(4)).collect();
        assert_eq!(bins, [window(10, 14), window(14, 18)]);
        assert_eq!(window(10, 20).bins(Duration::from_nanos(5)).count(), 2);
    }
}
