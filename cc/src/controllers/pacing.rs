//! How far packets may run ahead of the pacing rate, for controllers that want an empty queue.

use std::time::Duration;

use crate::controller::Burst;
use crate::units::Rate;

/// Packets that may leave unpaced before the first RTT sample: a server's first handshake flight.
const HANDSHAKE_BURST: usize = 3;
/// Above this rate two packets may leave together: they are 2 ms apart at most.
const PAIRS_ABOVE_BPS: f64 = 12e6;
/// Lateness that is made up for. Timers are late; without this every late one costs rate.
const CATCH_UP: Duration = Duration::from_millis(1);

/// The exceptions from pacing at `rate`: nearly none once the RTT is known.
pub fn smooth(rate: Rate, rtt_is_known: bool) -> Burst {
    Burst {
        after_idle: if rtt_is_known { 0 } else { HANDSHAKE_BURST },
        together: if rate.bps() > PAIRS_ABOVE_BPS { 2 } else { 1 },
        catch_up: CATCH_UP,
    }
}
