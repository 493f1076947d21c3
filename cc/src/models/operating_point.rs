//! Where a TCP flow and a flow with relative rate reduction come to rest beside each other.
//!
//! Section V-B and figure 5 of the RRR paper (`docs/papers/rrr.md`): on a bottleneck of capacity C
//! both see the same loss probability in the long run, so the TCP flow's share X* solves
//! pTCP(X) = pT(C - X).

use crate::units::Rate;

/// The shares of both flows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperatingPoint {
    /// X*, the TCP flow's.
    pub tcp: Rate,
    /// C - X*, the other's.
    pub rrr: Rate,
    /// p*, the loss probability of both.
    pub loss: f64,
}

/// Halvings of the interval: more than a double has digits.
const STEPS: u32 = 64;

/// The intersection of two curves on a bottleneck of `capacity`, by bisection.
///
/// `tcp_loss` is pTCP(X), which falls with the TCP flow's rate ([`super::tcp::SquareRoot::loss`]);
/// `feedback` is pT(X), which falls with the other flow's. Both get rates above 0 and below
/// `capacity`. Where the curves do not cross, the answer is the end of the interval towards which
/// the shares would move.
pub fn intersection(
    capacity: Rate,
    tcp_loss: impl Fn(Rate) -> f64,
    feedback: impl Fn(Rate) -> f64,
) -> OperatingPoint {
    let rest = |tcp: f64| Rate::from_bps(capacity.bps() - tcp);
    let (mut low, mut high) = (0.0, capacity.bps());
    for _ in 0..STEPS {
        let tcp = (low + high) / 2.0;
        // TCP takes more as long as it would have to lose more for this share than the other does.
        if tcp_loss(Rate::from_bps(tcp)) > feedback(rest(tcp)) {
            low = tcp;
        } else {
            high = tcp;
        }
    }
    let tcp = (low + high) / 2.0;
    OperatingPoint {
        tcp: Rate::from_bps(tcp),
        rrr: rest(tcp),
        loss: feedback(rest(tcp)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::models::tcp::SquareRoot;
    use crate::units::Bytes;

    fn reno(millis: u64) -> SquareRoot {
        SquareRoot {
            k: SquareRoot::RENO,
            packet: Bytes(1500),
            rtt: Duration::from_millis(millis),
        }
    }

    fn tcp_like(xt: f64) -> impl Fn(Rate) -> f64 {
        move |rate| (xt / rate.bps()).powi(2).min(1.0)
    }

    #[test]
    fn equal_curves_share_equally_and_the_larger_xt_gets_more() {
        let tcp = SquareRoot { k: 1.0, ..reno(20) };
        let capacity = Rate::from_bps(10e6);
        let at = |xt| intersection(capacity, |rate| tcp.loss(rate), tcp_like(xt));
        // k P / T = 12000 bit / 20 ms = 0.6 Mbit/s, so X* = C 0.6 / (0.6 + XT).
        for (xt, share, loss) in [
            (0.3e6, 10e6 / 1.5, 0.0081),
            (0.6e6, 5e6, 0.0144),
            (0.9e6, 4e6, 0.0225),
        ] {
            let point = at(xt);
            assert!((point.tcp.bps() / share - 1.0).abs() < 1e-9, "{point:?}");
            assert!((point.loss / loss - 1.0).abs() < 1e-9, "{point:?}");
            assert!((point.tcp.bps() + point.rrr.bps() - 10e6).abs() < 1e-3);
        }
    }

    #[test]
    fn where_the_curves_do_not_cross_one_flow_has_all() {
        let capacity = Rate::from_bps(10e6);
        let all = intersection(capacity, |_| 0.02, |_| 0.01);
        assert!((all.tcp.bps() / 10e6 - 1.0).abs() < 1e-9, "{all:?}");
        let nothing = intersection(capacity, |_| 0.01, |_| 0.02);
        assert!(nothing.tcp.bps() < 1.0, "{nothing:?}");
    }

    proptest! {
        #[test]
        fn both_curves_give_the_same_loss(
            capacity in 1e6..1e9f64, xt in 0.001..0.3f64, millis in 5u64..500,
        ) {
            let (capacity, xt) = (Rate::from_bps(capacity), capacity * xt);
            let tcp = reno(millis);
            let point = intersection(capacity, |rate| tcp.loss(rate), tcp_like(xt));
            // pT is 1 for a share below XT; the curves then cross where pTCP = 1. A share that is
            // the small difference of large rates has fewer digits.
            let digits = 1e-13 * capacity.bps() / point.rrr.bps().min(point.tcp.bps());
            let apart = (tcp.loss(point.tcp) / point.loss - 1.0).abs();
            prop_assert!(apart < digits.max(1e-6), "{apart}: {point:?}");
        }
    }
}
