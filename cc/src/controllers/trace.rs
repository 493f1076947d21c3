//! What a controller keeps for whoever writes a trace: its parameters, to be told with every
//! change, and its latest update. Nothing piles up if nobody does.

use super::report::PathLimits;
use crate::controller::{Event, Start};
use crate::feedback::Feedback;
use crate::units::Bytes;

/// The events of one controller, whose updates are `U`.
#[derive(Debug)]
pub struct Trace<U> {
    spec: String,
    limits: PathLimits,
    /// Those that the trace has.
    told: Option<PathLimits>,
    updates: u64,
    latest: Option<U>,
}

impl<U> Trace<U> {
    /// That of a new path. `spec` is the name with options under which it shows the controller.
    pub fn new(spec: &str, start: Start) -> Self {
        Self {
            spec: spec.to_owned(),
            limits: PathLimits::new(start),
            told: None,
            updates: 0,
            latest: None,
        }
    }

    /// To be told of every feedback.
    #[inline]
    pub fn record(&mut self, feedback: &Feedback<'_>) {
        self.limits.max_ack_delay = Some(feedback.max_ack_delay);
    }

    /// The maximum datagram size has changed.
    pub fn set_max_datagram_size(&mut self, size: Bytes) {
        self.limits.max_datagram_size = size;
    }

    /// Updates up to now, which is the number of the next: they count from 0.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Keeps an update. One that nobody has fetched is lost.
    pub fn keep(&mut self, update: U) {
        self.latest = Some(update);
        self.updates += 1;
    }

    /// The next event: the parameters, as `set` makes them of the spec and of what is known of the
    /// path, or the latest update, as `updated` tells it.
    pub fn next_event(
        &mut self,
        set: impl FnOnce(&str, PathLimits) -> Event,
        updated: impl FnOnce(&U) -> Event,
    ) -> Option<Event> {
        if self.has_news() {
            self.told = Some(self.limits);
            return Some(set(&self.spec, self.limits));
        }
        self.latest.take().map(|update| updated(&update))
    }

    /// Whether the parameters are to be told: with the first feedback, so that a connection without
    /// a single update tells its parameters, too, and when something in them changes.
    fn has_news(&self) -> bool {
        self.limits.max_ack_delay.is_some() && self.told != Some(self.limits)
    }

    /// The latest update, if nobody has fetched it.
    #[cfg(test)]
    pub fn latest(&self) -> Option<&U> {
        self.latest.as_ref()
    }

    /// Fetches it.
    #[cfg(test)]
    pub fn take(&mut self) -> Option<U> {
        self.latest.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::report::parameters_set;
    use crate::controllers::testing::start;
    use crate::units::Time;

    fn next(trace: &mut Trace<u64>) -> Option<&'static str> {
        let set = |spec: &str, limits| parameters_set("of", spec, limits, Vec::new());
        let updated = |_: &u64| Event {
            name: "updated",
            fields: Vec::new(),
        };
        trace.next_event(set, updated).map(|event| event.name)
    }

    #[test]
    fn the_parameters_are_told_with_the_first_feedback_and_with_every_change_once() {
        let mut trace = Trace::new("of:a=1", start());
        assert_eq!(next(&mut trace), None);
        trace.record(&Feedback::of(Time::default(), &[], &[]));
        assert_eq!(next(&mut trace), Some("parameters_set"));
        trace.record(&Feedback::of(Time::default(), &[], &[]));
        assert_eq!(next(&mut trace), None);
        trace.set_max_datagram_size(Bytes(1350));
        assert_eq!(next(&mut trace), Some("parameters_set"));
        assert_eq!(next(&mut trace), None);
    }

    #[test]
    fn only_the_latest_update_is_kept_and_all_are_counted() {
        let mut trace = Trace::new("of", start());
        for number in 0..3 {
            assert_eq!(trace.updates(), number);
            trace.keep(number);
        }
        assert_eq!(trace.latest(), Some(&2));
        assert_eq!(next(&mut trace), Some("updated"));
        assert_eq!(next(&mut trace), None);
    }
}
