//! A controller whose decisions are made outside.

use std::ffi::{c_void, CStr};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use quiche_cc::controller::{Burst, Controller, Decision, Ecn, Event, Start};
use quiche_cc::feedback::{Feedback, Space};
use quiche_cc::measure::used::Used;
use quiche_cc::units::{Bytes, Rate, Time};

use crate::abi;
use crate::ops::Table;
use crate::sane::{sane, Path, Sane};

/// One path's controller.
pub struct Foreign {
    table: Arc<Table>,
    spec: String,
    /// What `create` returned; null if it could not, then nothing is asked.
    state: *mut c_void,
    path: Path,
    used: Used,
    /// For the next question, and as it is followed.
    given: abi::Decision,
    decision: Decision,
    warned: bool,
    /// Reused from call to call.
    acked: Vec<abi::Acked>,
    lost: Vec<abi::Lost>,
}

// SAFETY: `quiche_cc.h` asks for functions that any thread can call, one at a time for a path. That is so: all calls but
// the one in `drop` are made with `&mut self`.
unsafe impl Send for Foreign {}
unsafe impl Sync for Foreign {}

impl Foreign {
    pub fn new(table: Arc<Table>, spec: &str, options: &CStr, start: Start) -> Self {
        let window = start.max_datagram_size * start.initial_window_packets;
        let asked = abi::Start {
            options: options.as_ptr(),
            initial_window_packets: start.initial_window_packets,
            max_datagram_bytes: start.max_datagram_size.0,
            initial_rtt_ns: nanos(start.initial_rtt),
        };
        // SAFETY: the table is what `register` was promised, and `asked` is valid during the call.
        let state = unsafe { (table.create)(table.ctx, &asked) };
        let mut new = Self {
            table,
            spec: spec.to_owned(),
            state,
            path: Path {
                max_datagram: start.max_datagram_size,
                min_rtt: None,
                initial: window,
                used: Bytes(0),
                acked: Bytes(0),
                window,
            },
            used: Used::default(),
            given: abi::Decision {
                window_bytes: window.0,
                ..Default::default()
            },
            decision: initial(window, start),
            warned: false,
            acked: Vec::new(),
            lost: Vec::new(),
        };
        if new.state.is_null() {
            log::warn!("{}: create() gave NULL; the initial window stays", new.spec);
        }
        new.decide();
        new
    }

    fn decide(&mut self) {
        if self.state.is_null() {
            return;
        }
        // SAFETY: `state` is from `create` and not destroyed; `given` is ours.
        unsafe { (self.table.decide)(self.state, &mut self.given) };
        let sane = sane(&self.given, &self.decision, self.path);
        if sane.corrected && !self.warned {
            self.warned = true;
            let (spec, given, decision) = (&self.spec, &self.given, &sane.decision);
            log::warn!("{spec}: {given:?} can't be followed; {decision:?} instead");
        }
        self.follow(sane);
    }

    fn follow(&mut self, sane: Sane) {
        (self.decision, self.given) = (sane.decision, sane.given);
        (self.path.window, self.path.acked) = (sane.window, Bytes(0));
    }

    fn take_packets(&mut self, feedback: &Feedback<'_>) {
        self.acked.clear();
        self.acked.extend(feedback.acked.iter().map(|p| abi::Acked {
            sent_ns: p.sent.as_nanos(),
            bytes: p.size.0,
            received_ns: p.received.map_or(abi::UNKNOWN, nanos),
        }));
        self.lost.clear();
        self.lost.extend(feedback.lost.iter().map(|p| abi::Lost {
            sent_ns: p.sent.as_nanos(),
            bytes: p.size.0,
        }));
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Before anything was decided: the initial window, unpaced.
fn initial(window: Bytes, start: Start) -> Decision {
    Decision {
        window,
        pacing: Rate::INFINITE,
        bandwidth: window.per(start.initial_rtt),
        burst: Burst {
            after_idle: 1,
            together: 1,
            catch_up: Duration::ZERO,
        },
        ecn: Ecn::NotEct,
    }
}

impl Controller for Foreign {
    fn on_sent(&mut self, now: Time, size: Bytes) {
        if let (Some(on_sent), false) = (self.table.on_sent, self.state.is_null()) {
            // SAFETY: `state` is from `create` and not destroyed.
            unsafe { on_sent(self.state, now.as_nanos(), size.0) };
        }
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.path.min_rtt = feedback.min_rtt;
        self.used.record(feedback);
        self.path.used = self.used.most();
        self.path.acked = Bytes(feedback.acked.iter().map(|p| p.size.0).sum());
        if self.state.is_null() {
            return;
        }
        self.take_packets(feedback);
        let told = abi::Feedback {
            now_ns: feedback.now.as_nanos(),
            acked: self.acked.as_ptr(),
            acked_count: self.acked.len(),
            lost: self.lost.as_ptr(),
            lost_count: self.lost.len(),
            ack_delay_ns: nanos(feedback.ack_delay),
            max_ack_delay_ns: nanos(feedback.max_ack_delay),
            min_rtt_ns: feedback.min_rtt.map_or(abi::UNKNOWN, nanos),
            ecn_ect: feedback.ecn_ect,
            ecn_ce: feedback.ecn_ce,
            space: match feedback.space {
                Space::Initial => 0,
                Space::Handshake => 1,
                Space::Application => 2,
            },
            rtt_sampled: feedback.rtt_sampled,
        };
        // SAFETY: `state` is from `create` and not destroyed; what `told` points to is ours and stays during the call.
        unsafe { (self.table.on_feedback)(self.state, &told) };
        self.decide();
    }

    fn on_app_limited(&mut self) {
        if let (Some(on_app_limited), false) = (self.table.on_app_limited, self.state.is_null()) {
            // SAFETY: as above.
            unsafe { on_app_limited(self.state) };
            self.decide();
        }
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.path.max_datagram = size;
        if self.state.is_null() {
            return;
        }
        if let Some(on_max_datagram_bytes) = self.table.on_max_datagram_bytes {
            // SAFETY: as above.
            unsafe { on_max_datagram_bytes(self.state, size.0) };
        }
        self.decide();
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn state(&self) -> &'static str {
        let states = &self.table.states;
        states.get(self.given.state as usize).unwrap_or(&states[0])
    }

    fn next_event(&mut self) -> Option<Event> {
        None
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let (Some(destroy), false) = (self.table.destroy, self.state.is_null()) {
            // SAFETY: `state` is from `create`, and this is the last use of it.
            unsafe { destroy(self.state) };
        }
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign")
            .field("spec", &self.spec)
            .field("decision", &self.decision)
            .finish_non_exhaustive()
    }
}
