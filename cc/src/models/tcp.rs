//! Throughput of TCP Reno on a path, by two models of the field.

use std::time::Duration;

use crate::units::{Bytes, PacketRate, Rate};

/// The square-root law: X = k P / (T sqrt(p)).
///
/// M. Mathis et al., "The macroscopic behavior of the TCP congestion avoidance algorithm", CCR
/// 27(3), 1997; equations (17) and (18) of the RRR paper (`docs/papers/rrr.md`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SquareRoot {
    /// k, between 1 and 2; [`SquareRoot::RENO`] for Reno with an ACK per packet.
    pub k: f64,
    /// P, the packet size.
    pub packet: Bytes,
    /// T, the round-trip time, queueing included.
    pub rtt: Duration,
}

impl SquareRoot {
    /// sqrt(3/2): Reno that halves once per loss, periodic loss, an ACK for each packet (Mathis et
    /// al., table 1).
    pub const RENO: f64 = 1.224_744_871_391_589;

    /// k P / T: the rate at which `loss` would be 1.
    pub fn unit_rate(&self) -> Rate {
        self.packet.per(self.rtt) * self.k
    }

    /// X at the loss probability `loss`, above 0.
    pub fn throughput(&self, loss: f64) -> Rate {
        self.unit_rate() * (1.0 / loss.sqrt())
    }

    /// The inverse, equation (18): the loss probability at which X is `throughput`; not bounded
    /// by 1.
    pub fn loss(&self, throughput: Rate) -> f64 {
        (self.unit_rate().bps() / throughput.bps()).powi(2)
    }
}

/// The full model with timeouts, and its approximation.
///
/// J. Padhye, V. Firoiu, D. Towsley, J. Kurose, "Modeling TCP Reno performance: a simple model and
/// its empirical validation", IEEE/ACM Transactions on Networking 8(2), 2000: reference [11] of the
/// rate-based AIMD paper, and the model that its section 1 calls the measure of TCP friendliness.
/// Equation numbers are theirs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pftk {
    /// RTT.
    pub rtt: Duration,
    /// T_0, the first retransmission timeout.
    pub timeout: Duration,
    /// b, packets that one ACK acknowledges.
    pub per_ack: f64,
    /// W_m, the receiver's window in packets; infinite if it does not bind.
    pub max_window: f64,
}

impl Pftk {
    /// The choices of RFC 5348, section 3.1: a timeout of four RTTs and b = 1; no limit by the
    /// receiver.
    pub fn tfrc(rtt: Duration) -> Self {
        Self {
            rtt,
            timeout: rtt.saturating_mul(4),
            per_ack: 1.0,
            max_window: f64::INFINITY,
        }
    }

    /// The full model, (32), at the loss probability `p` in (0, 1].
    pub fn throughput(&self, p: f64) -> PacketRate {
        // At p = 1 nothing arrives and every term divides by 1 - p.
        let p = p.min(0.999);
        let arrives = 1.0 - p;
        let unlimited = self.window(p);
        let window = unlimited.min(self.max_window);
        let q = timeout_share(p, window);
        let rounds = if unlimited < self.max_window {
            self.per_ack / 2.0 * window + 1.0
        } else {
            self.per_ack / 8.0 * window + arrives / (p * window) + 2.0
        };
        let packets = arrives / p + window + q / arrives;
        let time =
            self.rtt.as_secs_f64() * rounds + q * self.timeout.as_secs_f64() * backoff(p) / arrives;
        PacketRate::from_per_sec(packets / time)
    }

    /// The approximation, (33), which RFC 5348 uses.
    pub fn approximate_throughput(&self, p: f64) -> PacketRate {
        let Self { per_ack, .. } = *self;
        let rtt = self.rtt.as_secs_f64();
        let time = rtt * (2.0 * per_ack * p / 3.0).sqrt()
            + self.timeout.as_secs_f64()
                * (3.0 * (3.0 * per_ack * p / 8.0).sqrt()).min(1.0)
                * p
                * (1.0 + 32.0 * p * p);
        PacketRate::from_per_sec((1.0 / time).min(self.max_window / rtt))
    }

    /// E[W_u], (13): the mean window at a loss, were the receiver's not in the way.
    fn window(&self, p: f64) -> f64 {
        let b = self.per_ack;
        let c = (2.0 + b) / (3.0 * b);
        c + (8.0 * (1.0 - p) / (3.0 * b * p) + c * c).sqrt()
    }
}

/// Q(w), (24): the share of losses that end in a timeout.
fn timeout_share(p: f64, window: f64) -> f64 {
    let arrives = 1.0 - p;
    let cubed = arrives.powi(3);
    let early = (1.0 - cubed) * (1.0 + cubed * (1.0 - arrives.powf(window - 3.0)));
    (early / (1.0 - arrives.powf(window))).min(1.0)
}

/// f(p), (29): how long a series of timeouts lasts, in T_0.
fn backoff(p: f64) -> f64 {
    let doubled = |times: i32| 2f64.powi(times - 1) * p.powi(times);
    1.0 + (1..=6).map(doubled).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    #[test]
    fn the_square_root_law_by_hand() {
        let law = SquareRoot {
            k: 1.0,
            packet: Bytes(1500),
            rtt: RTT,
        };
        // 12000 bit in 0.1 s is 120 kbit/s; at 1 % loss ten times that.
        assert!((law.throughput(0.01).bps() - 1.2e6).abs() < 1e-6);
        assert!((law.loss(Rate::from_bps(1.2e6)) - 0.01).abs() < 1e-12);
    }

    #[test]
    fn the_full_model_by_hand() {
        // b 1, p 0.01: W = 1 + sqrt(264 + 1) = 17.2788; f = 1.010204;
        // Q = 0.029701 * (1 + 0.970299 * (1 - 0.99^14.2788)) / (1 - 0.99^17.2788)
        //   = 0.029701 * 1.129720 / 0.159417 = 0.210480;
        // (99 + 17.2788 + 0.2126) / (0.1 * 9.6394 + 0.21048 * 0.4 * 1.010204 / 0.99)
        //   = 116.4914 / 1.049853.
        let got = Pftk::tfrc(RTT).throughput(0.01).per_sec();
        assert!((got - 110.96).abs() < 0.05, "{got}");
    }

    #[test]
    fn a_small_window_of_the_receiver_binds() {
        let model = Pftk {
            max_window: 8.0,
            ..Pftk::tfrc(RTT)
        };
        let got = model.throughput(1e-5).per_sec();
        assert!((got / 80.0 - 1.0).abs() < 0.01, "{got}");
        assert_eq!(model.approximate_throughput(1e-5).per_sec(), 80.0);
    }

    #[test]
    fn rare_loss_leaves_the_square_root_law() {
        let square_root = SquareRoot {
            k: SquareRoot::RENO,
            packet: Bytes(1250),
            rtt: RTT,
        };
        let expected = square_root.throughput(1e-7).bps() / 10_000.0;
        for got in [
            Pftk::tfrc(RTT).throughput(1e-7),
            Pftk::tfrc(RTT).approximate_throughput(1e-7),
        ] {
            assert!(
                (got.per_sec() / expected - 1.0).abs() < 0.01,
                "{got:?} against {expected}"
            );
        }
    }

    proptest! {
        #[test]
        fn more_loss_is_less_throughput_and_the_approximation_is_near(loss in -7.0..-0.1f64) {
            let model = Pftk::tfrc(RTT);
            let p = 10f64.powf(loss);
            let got = model.throughput(p).per_sec();
            prop_assert!(got > model.throughput(p * 1.05).per_sec());
            let ratio = model.approximate_throughput(p).per_sec() / got;
            // Up to a tenth of loss; beyond it the approximation is known to be low.
            prop_assert!(p > 0.1 || (0.6..1.6).contains(&ratio), "{ratio} at {p}");
        }
    }
}
