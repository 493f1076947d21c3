//! The window of CUBIC in congestion avoidance, as functions of time (RFC 9438, section 4), in packets and seconds.

/// C, in packets per cubic second (section 5).
const C: f64 = 0.4;
/// beta_cubic: what a loss leaves (section 4.6).
pub const BETA: f64 = 0.7;
/// The window grows by at most this factor per round trip (section 4.2).
const MOST_GROWTH: f64 = 1.5;

/// What one congestion avoidance phase begins with.
#[derive(Debug, Clone, Copy)]
pub struct Phase {
    /// W_max: where the window was before the loss, or below that to leave room (section 4.7).
    most: f64,
    /// K: when it is there again.
    back_after: f64,
    /// cwnd_prior, the window before the loss.
    prior: f64,
    /// W_est: the window of a Reno flow with this loss.
    reno: f64,
}

impl Phase {
    /// After a loss that found the window at `prior`, when W_max was `most_before`.
    pub fn after_loss(prior: f64, most_before: f64) -> Self {
        let most = match prior < most_before {
            true => prior * (1.0 + BETA) / 2.0,
            false => prior,
        };
        let left = prior * BETA;
        Self {
            most,
            back_after: ((most - left).max(0.0) / C).cbrt(),
            prior,
            reno: left,
        }
    }

    /// At a window that no loss has ended.
    pub fn without_loss(window: f64) -> Self {
        Self {
            most: window,
            back_after: 0.0,
            prior: window,
            reno: window,
        }
    }

    /// W_max.
    pub fn most(&self) -> f64 {
        self.most
    }

    /// Equation (1): W_cubic at `age`.
    fn cubic(&self, age: f64) -> f64 {
        C * (age - self.back_after).powi(3) + self.most
    }

    /// The window after so many packets of it were acknowledged, `age` after the phase began (sections 4.2 to 4.5).
    pub fn grown(&mut self, window: f64, acked: f64, age: f64, rtt: f64) -> f64 {
        self.reno += self.reno_gain() * acked / window;
        if self.cubic(age) < self.reno {
            return window.max(self.reno);
        }
        let target = self.cubic(age + rtt).clamp(window, window * MOST_GROWTH);
        window + (target - window) * acked / window
    }

    /// alpha_cubic (section 4.3): as much as makes a Reno flow of beta_cubic as fast as one that halves.
    fn reno_gain(&self) -> f64 {
        match self.reno < self.prior {
            true => 3.0 * (1.0 - BETA) / (1.0 + BETA),
            false => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window that grows for so long, with an ACK per packet; round trips of `rtt`.
    fn grows(mut phase: Phase, mut window: f64, seconds: f64, rtt: f64) -> f64 {
        let mut age = 0.0;
        while age < seconds {
            window = phase.grown(window, 1.0, age, rtt);
            age += rtt / window;
        }
        window
    }

    #[test]
    fn the_window_is_back_after_k() {
        // K = cbrt(0.3 * 1000 / 0.4).
        let phase = Phase::after_loss(1_000.0, 1_000.0);
        assert!((phase.back_after - 9.0856).abs() < 1e-3);
        let back = grows(phase, 700.0, phase.back_after, 0.1);
        assert!((back / 1_000.0 - 1.0).abs() < 0.01, "{back}");
        let halfway = grows(phase, 700.0, phase.back_after / 2.0, 0.1);
        assert!((halfway / 962.5 - 1.0).abs() < 0.01, "{halfway}");
    }

    #[test]
    fn a_flow_that_did_not_get_back_leaves_room() {
        assert_eq!(Phase::after_loss(800.0, 1_000.0).most(), 680.0);
        assert_eq!(Phase::after_loss(800.0, 800.0).most(), 800.0);
    }

    #[test]
    fn small_windows_grow_as_those_of_reno() {
        // 10 packets in 10 ms: 0.53 packets per round trip up to the window before, then 1.
        let window = grows(Phase::after_loss(10.0, 10.0), 7.0, 1.0, 0.01);
        let expected = 10.0 + (100.0 - 3.0 / (0.9 / 1.7));
        assert!(
            (window / expected - 1.0).abs() < 0.03,
            "{window}, {expected}"
        );
    }

    #[test]
    fn a_round_trip_adds_half_at_most() {
        let mut phase = Phase::without_loss(100.0);
        let grown = phase.grown(100.0, 100.0, 1_000.0, 0.1);
        assert!((grown - 150.0).abs() < 1e-9, "{grown}");
    }
}
