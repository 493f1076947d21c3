//! Between which rates a controller moves that has a rate, and the window for one.

use std::time::Duration;

use crate::controller::{Start, MIN_WINDOW_PACKETS};
use crate::units::{Bytes, Rate};

/// The rate is never lower than a packet in this many round trips.
const MIN_RATE_ROUNDS: u32 = 4;
/// The rate is never higher, unless a controller has a bound of its own.
const MAX_RATE_BPS: f64 = 10e9;

/// No round trip counts as shorter, and no epoch that began with the feedback that ends it.
pub const SHORTEST: Duration = Duration::from_micros(1);

/// The smallest round trip: as far as it is `known`, and before that as it is `assumed`.
#[inline]
pub fn round_trip(known: Option<Duration>, assumed: Duration) -> Duration {
    SHORTEST.max(known.unwrap_or(assumed))
}

/// `W = R T`: the window with which a rate can be used while nothing comes back for `time`, in
/// whole packets, and the minimum window at least (RFC 9002, section 7.2). quiche sends while
/// `F + P <= W` and papers while `F < W`, which agree if W is rounded up.
#[inline]
pub fn window(rate: Rate, time: Duration, packet: Bytes) -> Bytes {
    let size = packet.0.max(1);
    let packets = (rate.over(time) / size as f64).ceil() as u64;
    Bytes(size) * packets.max(MIN_WINDOW_PACKETS)
}

/// The lowest rate of a path with packets of this size and round trips of `length`.
#[inline]
pub fn least(packet: Bytes, length: Duration) -> Rate {
    packet.per(length * MIN_RATE_ROUNDS)
}

/// The nearest rate within the bounds of such a path.
#[inline]
pub fn bounded(rate: Rate, packet: Bytes, length: Duration) -> Rate {
    rate.clamp(least(packet, length), Rate::from_bps(MAX_RATE_BPS))
}

/// The rate before anything is known: what was asked for, or the initial window per round trip
/// (RFC 9002, section 7.2); less where the handshake showed persistent congestion.
pub fn initial(
    asked_for: Option<Rate>,
    start: Start,
    blackout: bool,
    packet: Bytes,
    length: Duration,
) -> Rate {
    let window = packet * start.initial_window_packets;
    let rate = asked_for.unwrap_or_else(|| window.per(length));
    match blackout {
        true => restarted(rate, packet, length),
        false => bounded(rate, packet, length),
    }
}

/// What is left of a rate after persistent congestion: at most the minimum window per round trip
/// (RFC 9002, section 7.6.2).
pub fn restarted(rate: Rate, packet: Bytes, length: Duration) -> Rate {
    let window = packet * MIN_WINDOW_PACKETS;
    bounded(rate.min(window.per(length)), packet, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_rounded_up_to_whole_packets_and_never_below_the_minimum() {
        let (mbps, packet) = (Rate::from_bps(1e6), Bytes(1250));
        // 1 Mbit/s are 100 packets per second.
        for (millis, packets) in [(0, 2), (20, 2), (21, 3), (100, 10), (101, 11)] {
            let got = window(mbps, Duration::from_millis(millis), packet);
            assert_eq!(got, packet * packets, "{millis} ms");
        }
        assert_eq!(window(mbps, Duration::ZERO, Bytes(0)), Bytes(2));
    }

    #[test]
    fn a_round_trip_is_assumed_until_it_is_known_and_never_nothing() {
        let [assumed, known] = [333, 20].map(Duration::from_millis);
        assert_eq!(round_trip(None, assumed), assumed);
        assert_eq!(round_trip(Some(known), assumed), known);
        assert_eq!(round_trip(Some(Duration::ZERO), assumed), SHORTEST);
    }
}
