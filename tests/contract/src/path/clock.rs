//! The receiver's clock.

use std::time::Duration;

/// A clock that is ahead of the sender's, runs at another speed, and may be set while it runs.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// By how much it is ahead at the start.
    pub ahead: Duration,
    /// By how much it is faster, in parts per million.
    pub drift_ppm: i32,
    /// When it is set, and by how many seconds.
    pub steps: Vec<(Duration, f64)>,
}

impl Clock {
    /// A clock that is ahead by an hour and otherwise right.
    pub fn right() -> Self {
        Self::ahead(Duration::from_secs(3_600))
    }

    /// A clock that is ahead by `ahead` and otherwise right.
    pub fn ahead(ahead: Duration) -> Self {
        Self {
            ahead,
            ..Self::default()
        }
    }

    /// What it shows at `now`; it has no times before zero.
    pub fn read(&self, now: Duration) -> Duration {
        let drift = now.as_nanos() as i128 * i128::from(self.drift_ppm) / 1_000_000;
        let set = self.steps.iter().filter(|(at, _)| *at <= now);
        let stepped: i128 = set.map(|(_, seconds)| (seconds * 1e9) as i128).sum();
        let nanos = (self.ahead + now).as_nanos() as i128 + drift + stepped;
        Duration::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_drifts_and_is_set() {
        let clock = Clock {
            ahead: Duration::from_secs(10),
            drift_ppm: -100,
            steps: vec![(Duration::from_secs(50), -3.0)],
        };
        let read = |seconds| clock.read(Duration::from_secs(seconds)).as_secs_f64();
        assert!((read(40) - (50.0 - 0.004)).abs() < 1e-9);
        assert!((read(50) - (57.0 - 0.005)).abs() < 1e-9);
        assert_eq!(
            Clock {
                steps: vec![(Duration::ZERO, -99.0)],
                ..clock
            }
            .read(Duration::ZERO),
            Duration::ZERO
        );
    }
}
