//! What a controller from outside decides, held within bounds that keep a connection alive.

use std::time::Duration;

use quiche_cc::controller::{Burst, Decision, Ecn, CATCH_UP, MIN_WINDOW_PACKETS};
use quiche_cc::units::{Bytes, Rate};

use crate::abi;

/// 10 Gbit/s for 3.4 s; more is a mistake in the sign or the unit.
const MAX_WINDOW: u64 = 1 << 32;
/// The pacing rate is never lower than a packet in this time.
const LONGEST_GAP: Duration = Duration::from_secs(1);
/// More would not be pacing.
const MAX_BURST_PACKETS: u32 = 64;

/// As `quiche_cc.h` numbers them.
const ECN: [Ecn; 3] = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0];

/// The path, as far as it bounds decisions.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    pub max_datagram: Bytes,
    pub min_rtt: Option<Duration>,
    /// The initial window.
    pub initial: Bytes,
    /// The most that was in flight recently.
    pub used: Bytes,
    /// What has been acknowledged since the decision before.
    pub acked: Bytes,
    /// The window of the decision before, of which only whole packets were used.
    pub window: Bytes,
}

impl Path {
    /// How far the window may grow: by what is acknowledged, to twice of what is used (RFC 9002, sections 7.3.1 and
    /// 7.8). What was in flight recently is no growth.
    fn room(&self) -> u64 {
        let earned = self.window.0.saturating_add(self.acked.0);
        let doubled = self.used.0.saturating_mul(2);
        let kept = self.window.max(self.used).max(self.initial);
        earned.min(doubled).max(kept.0)
    }
}

/// A decision as it can be followed.
#[derive(Debug, Clone, Copy)]
pub struct Sane {
    pub decision: Decision,
    /// Its window, before only whole packets were left of it.
    pub window: Bytes,
    /// What the controller finds when it is asked next: as it was given, but for what is no number.
    pub given: abi::Decision,
    /// Whether it is another one than was given.
    pub corrected: bool,
}

/// Makes a decision one that can be followed.
pub fn sane(given: &abi::Decision, before: &Decision, path: Path) -> Sane {
    let packet = path.max_datagram.0.max(1);
    let window = given
        .window_bytes
        .clamp(MIN_WINDOW_PACKETS * packet, MAX_WINDOW);
    // quiche would fill what is left of a window with a small packet.
    let grown = window.min(path.room());
    let whole = (grown / packet).max(MIN_WINDOW_PACKETS) * packet;
    let pacing = pacing(given.pacing_bps, Bytes(packet)).unwrap_or(before.pacing);
    let by_window = || Bytes(whole).per(path.min_rtt.unwrap_or(Duration::ZERO));
    let bandwidth = match given.rate_bps {
        0.0 => by_window(),
        bps if bps > 0.0 => Rate::from_bps(bps),
        _ => before.bandwidth,
    };
    let together = given.burst_packets.clamp(1, MAX_BURST_PACKETS);
    let ecn = ECN.get(given.ecn as usize).copied();
    let decision = Decision {
        window: Bytes(whole),
        pacing,
        bandwidth,
        burst: Burst {
            after_idle: together as usize,
            together: together as usize,
            catch_up: CATCH_UP,
        },
        ecn: ecn.unwrap_or(before.ecn),
    };
    let unpaced = given.pacing_bps == 0.0 || given.pacing_bps == f64::INFINITY;
    let corrected = window != given.window_bytes
        || !(unpaced || pacing.bps() == given.pacing_bps)
        || given.rate_bps.is_nan()
        || given.rate_bps < 0.0
        || given.burst_packets > MAX_BURST_PACKETS
        || ecn.is_none();
    Sane {
        decision,
        window: Bytes(grown),
        given: abi::Decision {
            window_bytes: window,
            pacing_bps: if unpaced {
                given.pacing_bps
            } else {
                pacing.bps()
            },
            rate_bps: if given.rate_bps >= 0.0 {
                given.rate_bps
            } else {
                bandwidth.bps()
            },
            burst_packets: given.burst_packets.min(MAX_BURST_PACKETS),
            ecn: number(decision.ecn),
            state: given.state,
        },
        corrected,
    }
}

fn number(ecn: Ecn) -> u32 {
    ECN.iter().take_while(|one| **one != ecn).count() as u32
}

/// `None` if that is no rate.
fn pacing(bps: f64, packet: Bytes) -> Option<Rate> {
    if bps == 0.0 {
        return Some(Rate::INFINITE);
    }
    let slowest = packet.per(LONGEST_GAP);
    (bps > 0.0).then(|| Rate::from_bps(bps.max(slowest.bps())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PATH: Path = Path {
        max_datagram: Bytes(1200),
        min_rtt: Some(Duration::from_millis(100)),
        initial: Bytes(12_000),
        used: Bytes(12_000),
        acked: Bytes(0),
        window: Bytes(12_000),
    };

    fn before() -> Decision {
        let given = abi::Decision {
            window_bytes: 12_000,
            pacing_bps: 5e6,
            rate_bps: 4e6,
            ..Default::default()
        };
        let nothing = Decision {
            window: Bytes(2400),
            pacing: Rate::INFINITE,
            bandwidth: Rate::default(),
            burst: Burst {
                after_idle: 1,
                together: 1,
                catch_up: CATCH_UP,
            },
            ecn: Ecn::NotEct,
        };
        let sane = sane(&given, &nothing, PATH);
        assert!(!sane.corrected);
        sane.decision
    }

    #[test]
    fn what_makes_sense_is_taken_as_it_is() {
        let decision = before();
        assert_eq!(decision.window, Bytes(12_000));
        assert_eq!(decision.pacing.bps(), 5e6);
        assert_eq!(decision.bandwidth.bps(), 4e6);
    }

    #[test]
    fn what_is_left_out_is_unpaced_and_follows_from_the_window() {
        let given = abi::Decision {
            window_bytes: 12_999,
            ..Default::default()
        };
        let sane = sane(&given, &before(), PATH);
        let decision = sane.decision;
        assert!(!sane.corrected);
        assert_eq!(sane.given.pacing_bps, 0.0, "as it was given");
        assert_eq!(decision.window, Bytes(12_000));
        assert_eq!(decision.pacing, Rate::INFINITE);
        assert_eq!(decision.bandwidth.bps(), 12_000.0 * 8.0 / 0.1);
        assert_eq!(decision.burst.together, 1);
    }

    #[test]
    fn nonsense_keeps_the_minimum_window_and_the_rates_from_before() {
        for nonsense in [f64::NAN, -1.0, f64::NEG_INFINITY] {
            let given = abi::Decision {
                window_bytes: 0,
                pacing_bps: nonsense,
                rate_bps: nonsense,
                burst_packets: u32::MAX,
                ecn: 3,
                state: 0,
            };
            let sane = sane(&given, &before(), PATH);
            let (decision, next) = (sane.decision, sane.given);
            assert!(sane.corrected);
            assert_eq!((next.pacing_bps, next.rate_bps, next.ecn), (5e6, 4e6, 0));
            assert_eq!((next.window_bytes, next.burst_packets), (2400, 64));
            assert_eq!(decision.window, Bytes(2400));
            assert_eq!(decision.pacing.bps(), 5e6);
            assert_eq!(decision.bandwidth.bps(), 4e6);
            assert_eq!(decision.burst.together, 64);
            assert_eq!(decision.ecn, Ecn::NotEct);
        }
    }

    /// What becomes of a window without end when so much is acknowledged and in use.
    fn endless(window: u64, acked: u64, used: u64) -> Sane {
        let given = abi::Decision {
            window_bytes: 1_000_000,
            ..Default::default()
        };
        let path = Path {
            window: Bytes(window),
            acked: Bytes(acked),
            used: Bytes(used),
            ..PATH
        };
        sane(&given, &before(), path)
    }

    #[test]
    fn a_window_grows_by_what_is_acknowledged_to_twice_of_what_is_used() {
        assert_eq!(
            endless(12_000, 1_200, 12_000).decision.window,
            Bytes(13_200)
        );
        assert_eq!(
            endless(24_000, 1_200, 12_000).decision.window,
            Bytes(24_000)
        );
        assert!(
            !endless(24_000, 1_200, 12_000).corrected,
            "the next round trip may use it"
        );
        // Small packets add up.
        let small = endless(12_000, 700, 12_000);
        assert_eq!(
            (small.decision.window, small.window),
            (Bytes(12_000), Bytes(12_700))
        );
        assert_eq!(endless(12_700, 700, 12_000).decision.window, Bytes(13_200));
        // What was earned stays, as long as the controller wants it, and what was in flight recently is no growth.
        assert_eq!(endless(24_000, 0, 1_200).decision.window, Bytes(24_000));
        assert_eq!(endless(6_000, 0, 20_400).decision.window, Bytes(20_400));
        assert_eq!(endless(6_000, 0, 1_200).decision.window, Bytes(12_000));
    }

    proptest! {
        #[test]
        fn a_connection_can_always_go_on(
            window in any::<u64>(), pacing in any::<f64>(), rate in any::<f64>(),
            burst in any::<u32>(), ecn in any::<u32>(), packet in 0u64..100_000, used in any::<u64>(),
            acked in any::<u64>(),
        ) {
            let given = abi::Decision {
                window_bytes: window, pacing_bps: pacing, rate_bps: rate, burst_packets: burst, ecn, state: 0,
            };
            let path = Path {
                max_datagram: Bytes(packet), min_rtt: None, initial: Bytes(0), used: Bytes(used),
                acked: Bytes(acked), window: Bytes(12_000),
            };
            let decision = sane(&given, &before(), path).decision;
            prop_assert!(decision.window.0 >= 2 * packet.max(1) && decision.window.0 <= MAX_WINDOW);
            prop_assert!(decision.pacing.bps() >= 8.0 * packet as f64);
            prop_assert!(!decision.bandwidth.bps().is_nan());
            prop_assert!(decision.burst.together >= 1);
        }
    }
}
