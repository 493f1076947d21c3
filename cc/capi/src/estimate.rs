//! What a connection's source may count on.

use std::ffi::c_int;
use std::mem::{offset_of, size_of};
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use quiche_cc::estimate::State;
use quiche_cc::units::Rate;
use quiche_cc_foreign::{abi, error};

use crate::versioned;

/// `quiche_cc_estimate`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Estimate {
    size: usize,
    target_bps: f64,
    least_bps: f64,
    most_bps: f64,
    queueing_delay_ms: f64,
    evidence_age_ns: u64,
    state: u32,
}

quiche_cc_foreign::laid_out!(Estimate {
    size 0, target_bps 8, least_bps 16, most_bps 24, queueing_delay_ms 32, evidence_age_ns 40, state 48
} 56);

/// Where the first version of the struct ends.
const SMALLEST: usize = offset_of!(Estimate, state) + size_of::<u32>();

/// # Safety
///
/// `conn` is null or a connection; `estimate` is null or points to as many bytes as its `size` says.
#[no_mangle]
pub unsafe extern "C" fn quiche_cc_conn_estimate(
    conn: *const quiche::Connection,
    estimate: *mut Estimate,
) -> c_int {
    error::guard(AssertUnwindSafe(|| {
        // SAFETY: as promised by the caller.
        let conn = unsafe { conn.as_ref() }.ok_or("the connection is NULL")?;
        // SAFETY: as promised by the caller.
        let size = unsafe { versioned::size(estimate, "quiche_cc_estimate", SMALLEST) }?;
        #[allow(
            clippy::disallowed_methods,
            reason = "by the clock that libquiche takes"
        )]
        let now = Instant::now();
        let told = Estimate {
            size,
            ..tell(&quiche_cc::estimate(conn, now))
        };
        // SAFETY: the caller has room for `size` bytes.
        unsafe { versioned::write(estimate, size, &told) };
        Ok(abi::OK)
    }))
}

fn tell(estimate: &quiche_cc::estimate::Estimate) -> Estimate {
    let rate = |rate: Option<Rate>| rate.map_or(f64::NAN, Rate::bps);
    let delay = estimate.queueing_delay;
    Estimate {
        size: size_of::<Estimate>(),
        target_bps: rate(estimate.target),
        least_bps: rate(estimate.least),
        most_bps: rate(estimate.most),
        queueing_delay_ms: delay.map_or(f64::NAN, |delay| delay.as_secs_f64() * 1e3),
        evidence_age_ns: (estimate.evidence_age)
            .and_then(|age| u64::try_from(age.as_nanos()).ok())
            .unwrap_or(u64::MAX),
        state: match estimate.state {
            None => 0,
            Some(State::Startup) => 1,
            Some(State::Steady) => 2,
            Some(State::Contended) => 3,
            Some(State::Interrupted) => 4,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;
    use std::time::Duration;

    #[test]
    fn what_is_not_known_is_no_number() {
        let told = tell(&quiche_cc::estimate::Estimate::default());
        let numbers = [
            told.target_bps,
            told.least_bps,
            told.most_bps,
            told.queueing_delay_ms,
        ];
        assert!(numbers.iter().all(|number| number.is_nan()));
        assert_eq!((told.evidence_age_ns, told.state), (u64::MAX, 0));
    }

    #[test]
    fn what_is_known_has_the_units_of_the_header() {
        let told = tell(&quiche_cc::estimate::Estimate {
            target: Some(Rate::from_bps(2e6)),
            least: Some(Rate::from_bps(1e6)),
            most: Some(Rate::from_bps(3e6)),
            queueing_delay: Some(Duration::from_micros(1_500)),
            state: Some(State::Contended),
            evidence_age: Some(Duration::from_secs(1)),
        });
        assert_eq!(
            (told.least_bps, told.target_bps, told.most_bps),
            (1e6, 2e6, 3e6)
        );
        assert_eq!(
            (told.queueing_delay_ms, told.evidence_age_ns),
            (1.5, 1_000_000_000)
        );
        assert_eq!(told.state, 3);
    }

    #[test]
    fn wrong_arguments_are_refused_with_a_reason() {
        let refused = unsafe { quiche_cc_conn_estimate(ptr::null(), ptr::null_mut()) };
        assert_eq!(refused, abi::REFUSED);
        assert_eq!(error::last_text(), "the connection is NULL");
    }
}
