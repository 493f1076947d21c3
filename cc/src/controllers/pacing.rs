//! How far packets may run ahead of the pacing rate, for controllers that want an empty queue.

use crate::controller::{Burst, CATCH_UP};
use crate::spec::{Kind, Parameter};
use crate::units::Rate;

/// Windows per smoothed RTT, more than one (RFC 9002, section 7.7). A window that is paced alone
/// grows by x = gain * exp(-x) per round trip in slow start, so from 2 ln 2 = 1.39 on the ACK clock
/// is what limits it. The more, the earlier in a round trip the queue begins that ends slow start;
/// but bursts that the path could carry end it, too.
pub const GAIN: f64 = 1.5;
/// The most that can be asked for. Four windows per RTT pace little: the ACK clock does the rest.
pub const LARGEST_GAIN: f64 = 4.0;
/// The gain, as an option.
pub const PACING: Parameter = Parameter {
    name: "pacing",
    kind: Kind::Number(1.0, LARGEST_GAIN),
    default: "1.5",
    help: "pacing rate in windows per smoothed RTT",
};

/// Packets that may leave unpaced before the first RTT sample: a server's first handshake flight.
const HANDSHAKE_BURST: usize = 3;
/// Above this rate two packets may leave together: they are 2 ms apart at most.
const PAIRS_ABOVE_BPS: f64 = 12e6;

/// The exceptions from pacing at `rate`: nearly none once the RTT is known.
pub fn smooth(rate: Rate, rtt_is_known: bool) -> Burst {
    Burst {
        after_idle: if rtt_is_known { 0 } else { HANDSHAKE_BURST },
        together: if rate.bps() > PAIRS_ABOVE_BPS { 2 } else { 1 },
        catch_up: CATCH_UP,
    }
}
