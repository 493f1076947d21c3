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

/// The path, as far as it bounds decisions.
#[derive(Debug, Clone, Copy)]
pub struct Path {
    pub max_datagram: Bytes,
    pub min_rtt: Option<Duration>,
    /// The initial window.
    pub initial: Bytes,
    /// The most that was in flight recently.
    pub used: Bytes,
}

impl Path {
    /// How far a window may grow that was `before`: to twice of what is used (RFC 9002, sections 7.3.1 and 7.8).
    fn room(&self, before: Bytes) -> u64 {
        let doubled = self.used.0.saturating_mul(2);
        doubled.max(before.0).max(self.initial.0)
    }
}

/// A decision that can be followed, and whether the one given could not.
pub fn sane(given: &abi::Decision, before: &Decision, path: Path) -> (Decision, bool) {
    let packet = path.max_datagram.0.max(1);
    let window = given
        .window_bytes
        .clamp(MIN_WINDOW_PACKETS * packet, MAX_WINDOW);
    // quiche would fill what is left of a window with a small packet.
    let grown = window.min(path.room(before.window));
    let whole = (grown / packet).max(MIN_WINDOW_PACKETS) * packet;
    let pacing = pacing(given.pacing_bps, Bytes(packet)).unwrap_or(before.pacing);
    let by_window = || Bytes(whole).per(path.min_rtt.unwrap_or(Duration::ZERO));
    let bandwidth = match given.rate_bps {
        0.0 => by_window(),
        bps if bps > 0.0 => Rate::from_bps(bps),
        _ => before.bandwidth,
    };
    let together = given.burst_packets.clamp(1, MAX_BURST_PACKETS);
    let ecn = match given.ecn {
        0 => Some(Ecn::NotEct),
        1 => Some(Ecn::Ect1),
        2 => Some(Ecn::Ect0),
        _ => None,
    };
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
    (decision, corrected)
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
        let (decision, corrected) = sane(&given, &nothing, PATH);
        assert!(!corrected);
        decision
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
        let (decision, corrected) = sane(&given, &before(), PATH);
        assert!(!corrected);
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
            let (decision, corrected) = sane(&given, &before(), PATH);
            assert!(corrected);
            assert_eq!(decision.window, Bytes(2400));
            assert_eq!(decision.pacing.bps(), 5e6);
            assert_eq!(decision.bandwidth.bps(), 4e6);
            assert_eq!(decision.burst.together, 64);
            assert_eq!(decision.ecn, Ecn::NotEct);
        }
    }

    #[test]
    fn a_window_grows_to_twice_of_what_is_used_and_no_further() {
        let given = |window_bytes| abi::Decision {
            window_bytes,
            ..Default::default()
        };
        let (larger, corrected) = sane(&given(1_000_000), &before(), PATH);
        assert_eq!(larger.window, Bytes(24_000));
        assert!(!corrected, "the next round trip may use it");
        // What was earned stays, as long as the controller wants it.
        let idle = Path {
            used: Bytes(1200),
            ..PATH
        };
        let (kept, _) = sane(&given(1_000_000), &larger, idle);
        assert_eq!(kept.window, Bytes(24_000));
        let (less, _) = sane(&given(6_000), &kept, idle);
        assert_eq!(less.window, Bytes(6_000));
        let (initial, _) = sane(&given(1_000_000), &less, idle);
        assert_eq!(initial.window, Bytes(12_000));
    }

    proptest! {
        #[test]
        fn a_connection_can_always_go_on(
            window in any::<u64>(), pacing in any::<f64>(), rate in any::<f64>(),
            burst in any::<u32>(), ecn in any::<u32>(), packet in 0u64..100_000, used in any::<u64>(),
        ) {
            let given = abi::Decision {
                window_bytes: window, pacing_bps: pacing, rate_bps: rate, burst_packets: burst, ecn, state: 0,
            };
            let path = Path { max_datagram: Bytes(packet), min_rtt: None, initial: Bytes(0), used: Bytes(used) };
            let (decision, _) = sane(&given, &before(), path);
            prop_assert!(decision.window.0 >= 2 * packet.max(1) && decision.window.0 <= MAX_WINDOW);
            prop_assert!(decision.pacing.bps() >= 8.0 * packet as f64);
            prop_assert!(!decision.bandwidth.bps().is_nan());
            prop_assert!(decision.burst.together >= 1);
        }
    }
}
