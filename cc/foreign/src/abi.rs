//! The types of `quiche_cc.h`, field for field; what they mean stands there.
#![allow(missing_docs)]

use std::ffi::{c_char, c_int, c_void};

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

/// `quiche_cc_register_fn`
pub type Register = unsafe extern "C" fn(*const c_char, *const Ops, *mut c_void) -> c_int;

/// `quiche_cc_plugin`
pub type Plugin = unsafe extern "C" fn(Register) -> c_int;
