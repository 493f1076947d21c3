//! Pauses: times in which nothing was in flight. They say nothing of what the path carries.

use crate::feedback::Feedback;
use crate::units::Time;

/// Sees pauses end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pauses {
    /// When the last feedback came.
    latest: Time,
}

impl Pauses {
    /// To be told of every feedback. If it is the first after a pause, all that it acknowledges
    /// left after the feedback before it: gives when the first of that left.
    pub fn resumed(&mut self, feedback: &Feedback<'_>) -> Option<Time> {
        let before = std::mem::replace(&mut self.latest, feedback.now);
        let oldest = feedback.acked.first()?.sent;
        (oldest > before).then_some(oldest)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::feedback::Acked;
    use crate::units::Bytes;

    fn at(millis: u64) -> Time {
        Time::from_origin(Duration::from_millis(millis))
    }

    #[test]
    fn what_left_after_the_last_feedback_ends_a_pause() {
        let mut pauses = Pauses::default();
        let mut resumed = |now, sent: &[u64]| {
            let acked: Vec<_> = sent.iter().map(|sent| at(*sent)).collect();
            let acked: Vec<_> = acked
                .into_iter()
                .map(|sent| Acked {
                    sent,
                    size: Bytes(1200),
                    received: None,
                })
                .collect();
            pauses.resumed(&Feedback::of(at(now), &acked, &[]))
        };
        assert_eq!(resumed(140, &[100, 101]), Some(at(100)));
        // In flight when the last feedback came.
        assert_eq!(resumed(160, &[120]), None);
        assert_eq!(resumed(180, &[140, 170]), None);
        // It left with the last feedback: nobody paused.
        assert_eq!(resumed(220, &[180]), None);
        assert_eq!(resumed(1_040, &[1_000, 1_001]), Some(at(1_000)));
        assert_eq!(resumed(1_050, &[]), None);
    }
}
