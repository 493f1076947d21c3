//! The types of `quiche_cc.h`, field for field; what they mean stands there.
#![allow(missing_docs)]

use std::ffi::{c_char, c_int, c_void};

/// That a type lies in memory as C lays it out: where each field begins, and its size. `tests/c` asks C for the same.
#[macro_export]
macro_rules! laid_out {
    ($kind:ident { $($field:ident $at:literal),* } $size:literal) => {
        #[cfg(target_pointer_width = "64")]
        const _: () = {
            $(assert!(std::mem::offset_of!($kind, $field) == $at);)*
            assert!(std::mem::size_of::<$kind>() == $size);
        };
    };
}

pub const OK: c_int = 0;
pub const REFUSED: c_int = -1;
pub const NONE: c_int = -2;
pub const BUG: c_int = -3;

/// The version of [`Ops`] and of all that it takes.
pub const OPS_VERSION: u32 = 1;
pub const UNKNOWN: u64 = u64::MAX;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Start {
    pub options: *const c_char,
    pub initial_window_packets: u64,
    pub max_datagram_bytes: u64,
    pub initial_rtt_ns: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Acked {
    pub sent_ns: u64,
    pub bytes: u64,
    pub received_ns: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lost {
    pub sent_ns: u64,
    pub bytes: u64,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Feedback {
    pub now_ns: u64,
    pub acked: *const Acked,
    pub acked_count: usize,
    pub lost: *const Lost,
    pub lost_count: usize,
    pub ack_delay_ns: u64,
    pub max_ack_delay_ns: u64,
    pub min_rtt_ns: u64,
    pub ecn_ect: u64,
    pub ecn_ce: u64,
    pub space: u32,
    pub rtt_sampled: bool,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Decision {
    pub window_bytes: u64,
    pub pacing_bps: f64,
    pub rate_bps: f64,
    pub burst_packets: u32,
    pub ecn: u32,
    pub state: u32,
}

pub type Check = unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_char, usize) -> bool;
pub type Create = unsafe extern "C" fn(*mut c_void, *const Start) -> *mut c_void;
pub type Destroy = unsafe extern "C" fn(*mut c_void);
pub type OnSent = unsafe extern "C" fn(*mut c_void, u64, u64);
pub type OnFeedback = unsafe extern "C" fn(*mut c_void, *const Feedback);
pub type OnAppLimited = unsafe extern "C" fn(*mut c_void);
pub type OnMaxDatagramBytes = unsafe extern "C" fn(*mut c_void, u64);
pub type Decide = unsafe extern "C" fn(*const c_void, *mut Decision);

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Ops {
    pub version: u32,
    pub size: u32,
    pub summary: *const c_char,
    pub states: *const *const c_char,
    pub check: Option<Check>,
    pub create: Option<Create>,
    pub destroy: Option<Destroy>,
    pub on_sent: Option<OnSent>,
    pub on_feedback: Option<OnFeedback>,
    pub on_app_limited: Option<OnAppLimited>,
    pub on_max_datagram_bytes: Option<OnMaxDatagramBytes>,
    pub decide: Option<Decide>,
}

laid_out!(Start { options 0, initial_window_packets 8, max_datagram_bytes 16, initial_rtt_ns 24 } 32);
laid_out!(Acked { sent_ns 0, bytes 8, received_ns 16 } 24);
laid_out!(Lost { sent_ns 0, bytes 8 } 16);
laid_out!(Feedback {
    now_ns 0, acked 8, acked_count 16, lost 24, lost_count 32, ack_delay_ns 40, max_ack_delay_ns 48, min_rtt_ns 56,
    ecn_ect 64, ecn_ce 72, space 80, rtt_sampled 84
} 88);
laid_out!(Decision { window_bytes 0, pacing_bps 8, rate_bps 16, burst_packets 24, ecn 28, state 32 } 40);
laid_out!(Ops {
    version 0, size 4, summary 8, states 16, check 24, create 32, destroy 40, on_sent 48, on_feedback 56,
    on_app_limited 64, on_max_datagram_bytes 72, decide 80
} 88);

/// `quiche_cc_register_fn`
pub type Register = unsafe extern "C" fn(*const c_char, *const Ops, *mut c_void) -> c_int;

/// `quiche_cc_plugin`
pub type Plugin = unsafe extern "C" fn(Register) -> c_int;
