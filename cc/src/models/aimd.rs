//! Throughput of rate-based AIMD, and the increase that gives a wanted one.
//!
//! O. B. Akan, "On the throughput analysis of rate-based and window-based congestion control
//! schemes", Computer Networks 44 (2004), 701-711; equation numbers are the paper's.
//! `docs/papers/raimd.md` restates them.

use std::time::Duration;

use crate::units::PacketRate;

/// What a rate-based AIMD flow meets on its path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// R, the round-trip time.
    pub rtt: Duration,
    /// p, the probability that a packet is lost; above 0, at most 1.
    pub loss: f64,
}

impl Path {
    /// 1 / (R p), packets/s: a packet is lost every R at this rate.
    fn lossy_rate(&self) -> f64 {
        1.0 / (self.rtt.as_secs_f64() * self.loss)
    }
}

/// Equation (12): the steady-state throughput of `S += alpha` per RTT and `S *= beta` per loss, for
/// `beta` in [0, 1).
///
/// T = alpha / (4 (1-beta)) * (1 + beta + sqrt((3-beta)^2 + 8 (1-beta^2) / (alpha R p)))
pub fn throughput(alpha: PacketRate, beta: f64, path: &Path) -> PacketRate {
    let alpha = alpha.per_sec();
    // With alpha drawn into the root: finite for alpha = 0.
    let root =
        (alpha * (3.0 - beta)).powi(2) + 8.0 * (1.0 - beta * beta) * alpha * path.lossy_rate();
    PacketRate::from_per_sec((alpha * (1.0 + beta) + root.sqrt()) / (4.0 * (1.0 - beta)))
}

/// Equation (13), the inverse of (12): the increase with which `target` is the throughput, for
/// `beta` in [0, 1).
///
/// alpha = (1+beta)/2 * Y * (sqrt(1 + 8 B^2 (1-beta) / (Y^2 (1+beta)^2)) - 1), with Y = B + 1/(R p)
///
/// Written without the difference of like numbers, which would leave no digits where 1/(R p) is
/// large: sqrt(1 + x) - 1 = x / (sqrt(1 + x) + 1).
pub fn increase_for(target: PacketRate, beta: f64, path: &Path) -> PacketRate {
    let target = target.per_sec();
    let y = target + path.lossy_rate();
    let kept = 1.0 + beta;
    let x = 8.0 * (1.0 - beta) * (target / (y * kept)).powi(2);
    PacketRate::from_per_sec(kept / 2.0 * y * x / ((1.0 + x).sqrt() + 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Table 1: R = 1 s, p = 1e-3, B = 2 Mbit/s.
    const TABLE_1: [(f64, f64); 4] = [
        (0.5, 35.7360),
        (0.6, 26.9487),
        (0.7, 19.1066),
        (0.8, 12.0731),
    ];
    /// 2 Mbit/s in the packets of 952 bytes that table 1 was computed with.
    const TARGET: f64 = 2e6 / (952.0 * 8.0);

    fn path(millis: u64, loss: f64) -> Path {
        Path {
            rtt: Duration::from_millis(millis),
            loss,
        }
    }

    #[test]
    fn table_1_to_four_digits() {
        for (beta, alpha) in TABLE_1 {
            let got = increase_for(PacketRate::from_per_sec(TARGET), beta, &path(1000, 1e-3));
            let got = got.per_sec();
            // Half of the fourth digit.
            assert!((got - alpha).abs() < 0.005, "{got} at beta {beta}");
        }
    }

    #[test]
    fn the_increase_of_section_3_3_within_a_thousandth() {
        let got = increase_for(PacketRate::from_per_sec(TARGET), 0.5, &path(1000, 1e-4));
        assert!((got.per_sec() / 4.4803 - 1.0).abs() < 1e-3, "{got:?}");
    }

    #[test]
    fn throughput_by_hand() {
        // alpha 2, beta 0.5, R 0.1 s, p 0.01: 1 * (1.5 + sqrt(6.25 + 6 / 0.002)).
        let got = throughput(PacketRate::from_per_sec(2.0), 0.5, &path(100, 1e-2));
        assert!((got.per_sec() - (1.5 + 3006.25_f64.sqrt())).abs() < 1e-9);
        assert_eq!(
            throughput(PacketRate::default(), 0.5, &path(100, 1e-2)).per_sec(),
            0.0
        );
    }

    #[test]
    fn falls_with_the_square_root_of_the_round_trip_time() {
        let at =
            |millis| throughput(PacketRate::from_per_sec(1.0), 0.5, &path(millis, 1e-6)).per_sec();
        assert!((at(100) / at(10_000) - 10.0).abs() < 0.05);
    }

    proptest! {
        #[test]
        fn the_two_equations_are_inverse(
            target in -1.0..6.0f64, beta in 0.01..0.99f64, rtt in -3.0..2.7f64, loss in -7.0..-0.3f64,
        ) {
            let path = Path { rtt: Duration::from_secs_f64(10f64.powf(rtt)), loss: 10f64.powf(loss) };
            let target = PacketRate::from_per_sec(10f64.powf(target));
            let back = throughput(increase_for(target, beta, &path), beta, &path);
            prop_assert!((back.per_sec() / target.per_sec() - 1.0).abs() < 1e-9, "{back:?} for {target:?}");
        }

        #[test]
        fn more_increase_is_more_throughput(
            alpha in 0.0..1e4f64, more in 1e-3..1e3f64, beta in 0.0..0.99f64, loss in -6.0..0.0f64,
        ) {
            let path = path(100, 10f64.powf(loss));
            let at = |alpha| throughput(PacketRate::from_per_sec(alpha), beta, &path);
            prop_assert!(at(alpha) < at(alpha + more));
        }
    }
}
