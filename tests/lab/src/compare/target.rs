//! What a controller that keeps queues short is to reach, beside the reference.

use serde::Serialize;

use super::Outcome;

/// "No worse than the reference" allows for so much utilisation.
pub const UTILISATION_MARGIN: f64 = 0.005;
/// The delay may be this share of the reference's.
pub const DELAY_SHARE: f64 = 0.25;
/// The share of packets lost before the end of the warm-up stays below this.
pub const LOSS_AT_START: f64 = 0.001;

/// Which parts of the target an outcome reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// Utilisation at least the reference's less [`UTILISATION_MARGIN`].
    pub utilisation: bool,
    /// 95th percentile of the queueing delay at most [`DELAY_SHARE`] of the reference's.
    pub delay: bool,
    /// No loss after the warm-up.
    pub loss: bool,
    /// Less loss than [`LOSS_AT_START`] before its end.
    pub loss_at_start: bool,
}

impl Reached {
    /// By `own`, beside the `reference` at the same point.
    pub fn of(own: &Outcome, reference: &Outcome) -> Self {
        Self {
            utilisation: own.utilisation >= reference.utilisation - UTILISATION_MARGIN,
            delay: own.queueing_p95_ms <= reference.queueing_p95_ms * DELAY_SHARE,
            loss: own.loss == 0.0,
            loss_at_start: own.loss_at_start < LOSS_AT_START,
        }
    }

    /// All parts.
    pub fn all(self) -> bool {
        self.utilisation && self.delay && self.loss && self.loss_at_start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_target_has_its_own_bound() {
        let reference = Outcome {
            utilisation: 0.99,
            queueing_mean_ms: None,
            queueing_p95_ms: 20.0,
            loss: 0.001,
            loss_at_start: 0.02,
        };
        let good = Outcome {
            utilisation: 0.9851,
            queueing_mean_ms: None,
            queueing_p95_ms: 5.0,
            loss: 0.0,
            loss_at_start: 0.0009,
        };
        assert!(Reached::of(&good, &reference).all());
        let reached = |change: &dyn Fn(&mut Outcome)| {
            let mut own = good;
            change(&mut own);
            let reached = Reached::of(&own, &reference);
            assert!(!reached.all());
            [
                reached.utilisation,
                reached.delay,
                reached.loss,
                reached.loss_at_start,
            ]
        };
        let (yes, no) = (true, false);
        assert_eq!(reached(&|o| o.utilisation = 0.9849), [no, yes, yes, yes]);
        assert_eq!(reached(&|o| o.queueing_p95_ms = 5.1), [yes, no, yes, yes]);
        assert_eq!(reached(&|o| o.loss = 1e-9), [yes, yes, no, yes]);
        assert_eq!(reached(&|o| o.loss_at_start = 0.001), [yes, yes, yes, no]);
    }
}
