//! `smallq`: NewReno whose window shrinks by one packet per ECN mark, for routers that mark in
//! proportion to a small queue.
//!
//! N. Möller, K. H. Johansson, "Congestion control for small queues: analysis and evaluation of a
//! new protocol". Our reading, with every decision and deviation, is `docs/papers/smallq.md`;
//! section and equation numbers here are the paper's.
//!
//! The model: a router marks a packet with probability p = q / (q + q0), q being its queue (1). Per
//! acknowledged packet
//!
//! ```text
//!     w += m^2 / w        and, if it was marked,        w -= m
//! ```
//!
//! so w rests where one packet per RTT is marked, which is where q is about one packet if q0 is the
//! bandwidth-delay product (6). Slow start and the reaction to loss are NewReno's; without ECN so
//! is everything.

mod ecn;
mod params;
mod report;

pub use self::params::{Params, PARAMETERS, PROFILES};

use self::ecn::EcnWatch;
use self::report::Update;
use super::newreno::{Counted, NewReno, Reaction};
use super::pacing;
use super::report::parameters_set;
use super::trace::Trace;
use crate::controller::{plain_estimate, Controller, Decision, Event, Start};
use crate::estimate::Estimate;
use crate::feedback::Feedback;
use crate::measure::rtt::Rtt;
use crate::units::{Bytes, Time};

/// The controller of one path.
#[derive(Debug)]
pub struct SmallQueues {
    params: Params,
    reno: NewReno,
    rtt: Rtt,
    ecn: EcnWatch,
    trace: Trace<Update>,
}

impl SmallQueues {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        Self {
            reno: NewReno::new(start, params.ssthresh),
            rtt: Rtt::new(start.initial_rtt),
            ecn: EcnWatch::new(),
            trace: Trace::new(spec, start),
            params,
        }
    }

    /// A packet that was acknowledged carried at most one mark, whatever the peer claims. Those
    /// that were sent before the last reaction to a loss were answered by it.
    fn marks(feedback: &Feedback<'_>, counted: Counted) -> u64 {
        feedback.ecn_ce.min(counted.packets)
    }

    /// Section II-A and II-B: `m^2 / w` per packet, so `m / w` per byte, and `-m` per mark.
    fn update(&mut self, acked: u64, marks: u64) {
        if marks == 0 && self.reno.in_slow_start() {
            return self.reno.grow(acked);
        }
        let (m, w) = (self.reno.packet(), self.reno.window());
        self.reno.change(acked as f64 * m / w - marks as f64 * m);
        if marks > 0 {
            // DEVIATION: the paper leaves slow start at a preset window.
            self.reno.leave_slow_start();
        }
    }

    fn keep(
        &mut self,
        feedback: &Feedback<'_>,
        before: f64,
        reaction: Option<Reaction>,
        seen: (Counted, u64),
    ) {
        let (counted, marks) = seen;
        self.trace.keep(Update {
            number: self.trace.updates(),
            acked: feedback.acked_bytes(),
            counted: Bytes(counted.bytes),
            ect: feedback.ecn_ect,
            ce: feedback.ecn_ce,
            marks,
            lost: feedback.lost.len() as u64,
            reaction,
            used: self.reno.used(),
            ecn: self.ecn.state(),
            phase: self.reno.phase(),
            window_before: before,
            window_after: self.reno.window(),
            threshold: self.reno.threshold(),
            window: self.reno.bytes(),
            srtt: self.rtt.smoothed(),
        });
    }
}

impl Controller for SmallQueues {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.trace.record(feedback);
        self.rtt.record(feedback);
        self.ecn.record(feedback);
        let before = self.reno.window();
        let reaction = self.reno.on_losses(feedback, &self.rtt);
        let counted = match reaction {
            None => self.reno.counted(feedback),
            Some(_) => Counted::default(),
        };
        let marks = Self::marks(feedback, counted);
        self.update(counted.bytes, marks);
        self.keep(feedback, before, reaction, (counted, marks));
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.trace.set_max_datagram_size(size);
        self.reno.set_packet(size);
    }

    fn decision(&self) -> Decision {
        let pacing = self.reno.pacing(self.params.pacing, &self.rtt);
        Decision {
            window: self.reno.bytes(),
            pacing,
            bandwidth: self.reno.rate(&self.rtt),
            burst: pacing::smooth(pacing, self.rtt.is_known()),
            // Asked for even where it seems to be of no use: that is how it would show that it is.
            ecn: self.params.ect,
        }
    }

    fn state(&self) -> &'static str {
        self.reno.phase().as_str()
    }

    fn estimate(&self, _now: Time) -> Estimate {
        let state = self.reno.phase().of_estimate();
        plain_estimate(&self.decision(), self.rtt.above_minimum(), Some(state))
    }

    fn next_event(&mut self) -> Option<Event> {
        let set = |spec: &str, limits| parameters_set("smallq", spec, limits, self.params.values());
        self.trace.next_event(set, report::updated)
    }
}

#[cfg(test)]
mod tests;
