//! RTT estimation (RFC 9002, section 5).

use std::time::Duration;

/// RFC 9002, section 6.1.2.
const GRANULARITY: Duration = Duration::from_millis(1);

/// What is known of the RTT.
#[derive(Debug, Clone, Copy)]
pub struct Rtt {
    latest: Duration,
    smoothed: Duration,
    variation: Duration,
    min: Option<Duration>,
}

impl Rtt {
    /// Before the first sample (section 6.2.2).
    pub fn new(initial: Duration) -> Self {
        Self {
            latest: initial,
            smoothed: initial,
            variation: initial / 2,
            min: None,
        }
    }

    /// The smallest sample.
    pub fn min(&self) -> Option<Duration> {
        self.min
    }

    /// Takes a sample, of which the peer has held back `ack_delay`, no more than its maximum.
    pub fn update(&mut self, sample: Duration, ack_delay: Duration) {
        self.latest = sample;
        let Some(min) = self.min else {
            self.min = Some(sample);
            self.smoothed = sample;
            self.variation = sample / 2;
            return;
        };
        let min = min.min(sample);
        self.min = Some(min);
        let adjusted = if sample >= min + ack_delay {
            sample - ack_delay
        } else {
            sample
        };
        self.variation = (self.variation * 3 + self.smoothed.abs_diff(adjusted)) / 4;
        self.smoothed = (self.smoothed * 7 + adjusted) / 8;
    }

    /// How old a packet is that is lost because a later one was acknowledged (section 6.1.2).
    pub fn loss_delay(&self) -> Duration {
        (self.latest.max(self.smoothed) * 9 / 8).max(GRANULARITY)
    }

    /// The probe timeout without backoff (section 6.2.1).
    pub fn probe_timeout(&self, max_ack_delay: Duration) -> Duration {
        self.smoothed + (self.variation * 4).max(GRANULARITY) + max_ack_delay
    }
}
