//! What a connection's controller measures and decides.

use std::ffi::{c_char, c_int};
use std::mem::{offset_of, size_of};
use std::panic::AssertUnwindSafe;

use quiche_cc::controller::Controller;
use quiche_cc::measure::owd::Source;
use quiche_cc_foreign::{abi, error};

use crate::versioned;

/// `quiche_cc_stats`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Stats {
    size: usize,
    state: *const c_char,
    rate_bps: f64,
    pacing_bps: f64,
    window_bytes: u64,
    rowd_ms: f64,
    zone: u32,
    source: u32,
}

quiche_cc_foreign::laid_out!(Stats {
    size 0, state 8, rate_bps 16, pacing_bps 24, window_bytes 32, rowd_ms 40, zone 48, source 52
} 56);

/// Where the first version of the struct ends.
const SMALLEST: usize = offset_of!(Stats, source) + size_of::<u32>();

/// # Safety
///
/// `conn` is null or a connection; `stats` is null or points to as many bytes as its `size` says.
#[no_mangle]
pub unsafe extern "C" fn quiche_cc_conn_stats(
    conn: *const quiche::Connection,
    stats: *mut Stats,
) -> c_int {
    error::guard(AssertUnwindSafe(|| {
        // SAFETY: as promised by the caller.
        let conn = unsafe { conn.as_ref() }.ok_or("the connection is NULL")?;
        // SAFETY: as promised by the caller.
        let size = unsafe { versioned::size(stats, "quiche_cc_stats", SMALLEST) }?;
        let Some(controller) = quiche_cc::plugin::controller(conn) else {
            return Ok(abi::NONE);
        };
        let told = Stats {
            size,
            ..tell(controller)
        };
        // SAFETY: the caller has room for `size` bytes.
        unsafe { versioned::write(stats, size, &told) };
        Ok(abi::OK)
    }))
}

fn tell(controller: &dyn Controller) -> Stats {
    let (decision, measured) = (controller.decision(), controller.measured());
    Stats {
        size: size_of::<Stats>(),
        state: crate::text::forever(controller.state()),
        rate_bps: decision.bandwidth.bps(),
        pacing_bps: decision.pacing.bps(),
        window_bytes: decision.window.0,
        rowd_ms: measured.rowd.map_or(f64::NAN, |rowd| rowd.as_millis()),
        zone: measured.zone.map_or(0, |zone| zone as u32),
        source: match measured.source {
            None => 0,
            Some(Source::Ack) => 1,
            Some(Source::ReceiveTimestamps) => 2,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quiche_cc::catalogue::Algorithm;
    use quiche_cc::controller::Start;
    use quiche_cc::units::Bytes;
    use std::ffi::CStr;
    use std::ptr;
    use std::time::Duration;

    #[test]
    fn a_new_controller_tells_its_decision_and_that_it_has_measured_nothing() {
        let Algorithm::Ours { build, .. } = quiche_cc::parse("hybrid:initial_rate=1Mbps").unwrap()
        else {
            panic!("hybrid is ours");
        };
        let controller = build(Start {
            initial_window_packets: 10,
            max_datagram_size: Bytes(1200),
            initial_rtt: Duration::from_millis(100),
        });
        let stats = tell(&*controller);
        // SAFETY: text that stays.
        let state = unsafe { CStr::from_ptr(stats.state) };
        assert_eq!(state, c"startup");
        assert_eq!(stats.rate_bps, 1e6);
        assert_eq!(stats.window_bytes, controller.decision().window.0);
        assert!(stats.rowd_ms.is_nan());
        assert_eq!((stats.zone, stats.source), (0, 0));
    }

    #[test]
    fn wrong_arguments_are_refused_with_a_reason() {
        let refused = unsafe { quiche_cc_conn_stats(ptr::null(), ptr::null_mut()) };
        assert_eq!(refused, abi::REFUSED);
        assert_eq!(error::last_text(), "the connection is NULL");
    }
}
