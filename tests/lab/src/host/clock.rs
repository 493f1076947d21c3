//! A host's clock, which need not agree with the simulation's.

use std::time::Duration;

use quiche_cc_bottleneck::Time;

/// Local time as a function of true time: an offset, a drift, and steps.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HostClock {
    /// Local time at the start.
    pub offset: Duration,
    /// By how much the clock is too fast, in parts per million.
    pub drift_ppm: f64,
    /// True times at which somebody sets the clock, and by how many nanoseconds. In order of time.
    pub steps: Vec<(Time, i64)>,
}

impl HostClock {
    /// What the clock shows at `now`. It never shows less than zero.
    pub fn local(&self, now: Time) -> Time {
        let drift = now.as_nanos() as f64 * self.drift_ppm * 1e-6;
        let past = self.steps.iter().take_while(|(at, _)| *at <= now);
        let stepped: i64 = past.map(|(_, by)| by).sum();
        let offset = i64::try_from(self.offset.as_nanos()).unwrap_or(i64::MAX);
        let shift = (drift.round() as i64)
            .saturating_add(stepped)
            .saturating_add(offset);
        Time::from_nanos(now.as_nanos().saturating_add_signed(shift))
    }

    /// The true span in which this clock advances by `local`, rounded up.
    pub fn true_span(&self, local: Duration) -> Duration {
        if self.drift_ppm == 0.0 {
            return local;
        }
        let nanos = local.as_nanos() as f64 / (1.0 + self.drift_ppm * 1e-6);
        Duration::from_nanos(nanos.ceil() as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(seconds: u32) -> Time {
        Time::ZERO + SECOND * seconds
    }

    #[test]
    fn offset_drift_and_steps_add_up() {
        let clock = HostClock {
            offset: 3600 * SECOND,
            drift_ppm: 200.0,
            steps: vec![(at(10), -1_000_000_000), (at(20), 5_000_000_000)],
        };
        assert_eq!(clock.local(at(0)), at(3600));
        assert_eq!(clock.local(at(5)), at(3605) + Duration::from_millis(1));
        assert_eq!(clock.local(at(10)), at(3609) + Duration::from_millis(2));
        assert_eq!(clock.local(at(20)), at(3624) + Duration::from_millis(4));
    }

    #[test]
    fn a_local_span_has_passed_after_its_true_span() {
        for drift_ppm in [-200.0, 0.0, 200.0] {
            let clock = HostClock {
                drift_ppm,
                ..HostClock::default()
            };
            for millis in [1, 333, 10_000] {
                let span = Duration::from_millis(millis);
                let start = at(7);
                let end = start + clock.true_span(span);
                assert!(
                    clock.local(end).since(clock.local(start)) >= span,
                    "{drift_ppm} {millis}"
                );
            }
        }
    }
}
