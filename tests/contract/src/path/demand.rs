//! What the application has to send.

use std::time::Duration;

use quiche_cc::units::Bytes;

/// When there is something to send.
#[derive(Debug, Clone)]
pub enum Demand {
    /// Always.
    Endless,
    /// So many bytes more every so often, as video frames are.
    Frames {
        /// Size of one.
        size: Bytes,
        /// Time between two.
        every: Duration,
    },
    /// Always, but not in these spans, in their order.
    Except(Vec<(Duration, Duration)>),
}

impl Demand {
    /// The earliest time, not before `now`, at which a packet of `size` can be filled, if `sent`
    /// was sent before.
    pub fn ready(&self, now: Duration, sent: Bytes, size: Bytes) -> Duration {
        match self {
            Demand::Endless => now,
            Demand::Frames { size: frame, every } => {
                let frames = (sent + size).0.div_ceil(frame.0.max(1));
                let before = u32::try_from(frames.saturating_sub(1)).unwrap_or(u32::MAX);
                now.max(*every * before)
            }
            Demand::Except(spans) => {
                let pause = spans.iter().find(|(from, to)| (*from..*to).contains(&now));
                pause.map_or(now, |(_, to)| *to)
            }
        }
    }
}
