//! Between which rates a controller moves that has a rate.

use std::time::Duration;

use crate::controller::{Start, MIN_WINDOW_PACKETS};
use crate::units::{Bytes, Rate};

/// The rate is never lower than a packet in this many round trips.
const MIN_RATE_ROUNDS: u32 = 4;
/// The rate is never higher.
const MAX_RATE_BPS: f64 = 10e9;

/// The nearest rate within the bounds of a path with packets of this size and round trips of `length`.
pub fn bounded(rate: Rate, packet: Bytes, length: Duration) -> Rate {
    let least = packet.per(length * MIN_RATE_ROUNDS);
    rate.clamp(least, Rate::from_bps(MAX_RATE_BPS))
}

/// The rate before anything is known: what was asked for, or the initial window (RFC 9002, section 7.2) per round trip; less where the
/// handshake showed persistent congestion.
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

/// What is left of a rate after persistent congestion: at most the minimum window per round trip (RFC 9002, section 7.6.2).
pub fn restarted(rate: Rate, packet: Bytes, length: Duration) -> Rate {
    let window = packet * MIN_WINDOW_PACKETS;
    bounded(rate.min(window.per(length)), packet, length)
}
