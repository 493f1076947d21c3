//! `vegas`: a window that keeps a few packets waiting, judged by the RTT. The baseline that uses
//! nothing else.
//!
//! L. S. Brakmo, L. L. Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet",
//! with the corrections that Linux's Vegas carries. Our reading, with every decision and deviation,
//! is `docs/papers/vegas.md`.
//!
//! The model: once per round trip, with `diff = w (rtt - base) / rtt` the packets that wait in the
//! queue,
//!
//! ```text
//!     slow start   until diff > gamma, then w = what comes back in one base, + 1 packet
//!     after it     w += 1 packet if diff < alpha,  w -= 1 packet if diff > beta
//! ```
//!
//! RTTs are taken from ACK arrivals, so a queue on the return path counts like one on the way
//! there. Losses are answered as by NewReno.

mod law;
mod params;
mod report;

use std::time::Duration;

pub use self::params::{Params, SlowStart, Statistic, PARAMETERS, PROFILES};

use self::law::{step, Seen};
use self::report::{Cause, Update};
use super::newreno::NewReno;
use super::pacing;
use super::report::parameters_set;
use super::trace::Trace;
use crate::controller::{plain_estimate, Controller, Decision, Ecn, Event, Start};
use crate::estimate::Estimate;
use crate::feedback::{Acked, Feedback, Space};
use crate::measure::pause::Pauses;
use crate::measure::round::Round;
use crate::measure::rtt::Rtt;
use crate::measure::window_min::WindowMin;
use crate::units::{Bytes, Rate, Time};

/// Samples that are enough to leave slow start before the round trip is over (RFC 9406, section
/// 4.3).
const SLOW_START_SAMPLES: u32 = 8;

/// A round trip under way.
#[derive(Debug, Clone, Copy, Default)]
struct Trip {
    smallest: Option<Duration>,
    sum: Duration,
    samples: u32,
    /// Bytes acknowledged since then.
    acked: Bytes,
    acked_since: Time,
    /// Bytes that count for growth.
    counted: u64,
    /// Whether the window has been cut when it began: its packets were sent before and know of
    /// another one.
    settling: bool,
}

/// The controller of one path.
#[derive(Debug)]
pub struct Vegas {
    params: Params,
    packet: Bytes,
    reno: NewReno,
    rtt: Rtt,
    base: WindowMin<Duration>,
    round: Round,
    trip: Trip,
    pauses: Pauses,
    /// Whether slow start grows in this round trip.
    growing: bool,
    trace: Trace<Update>,
}

impl Vegas {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        Self {
            reno: NewReno::new(start, params.ssthresh),
            rtt: Rtt::new(start.initial_rtt),
            base: WindowMin::new(params.basewin),
            round: Round::default(),
            trip: Trip::default(),
            pauses: Pauses::default(),
            growing: true,
            packet: start.max_datagram_size,
            trace: Trace::new(spec, start),
            params,
        }
    }

    /// Only full packets compare: at 1 Mbit/s an empty one is 10 ms faster.
    fn measure(&mut self, feedback: &Feedback<'_>) {
        let sample = self.rtt.record(feedback);
        self.base.advance(feedback.now);
        let full = |size: Bytes| 4 * size.0 > 3 * self.packet.0;
        let newest = feedback.acked.last().filter(|packet| full(packet.size));
        if let (Some(sample), Some(_), Space::Application) = (sample, newest, feedback.space) {
            self.base.insert(sample);
            let smallest = self.trip.smallest.unwrap_or(sample);
            self.trip.smallest = Some(smallest.min(sample));
            self.trip.sum = self.trip.sum.saturating_add(sample);
            self.trip.samples += 1;
        }
    }

    fn grow(&mut self, feedback: &Feedback<'_>) {
        let counted = self.reno.counted(feedback).bytes;
        self.trip.counted += counted;
        if self.growing && self.reno.in_slow_start() {
            self.reno.grow(counted);
        }
    }

    /// After a pause the count begins anew with the first ACK.
    fn count_acked(&mut self, feedback: &Feedback<'_>, resumes: bool) {
        if resumes {
            (self.trip.acked, self.trip.acked_since) = (Bytes(0), feedback.now);
        } else {
            self.trip.acked = self.trip.acked + feedback.acked_bytes();
        }
    }

    /// The rate at which packets come back, infinite while unknown. Where the application sends
    /// less than the window allows, it is the application's, and not that of the path.
    fn arrived(&self, now: Time) -> Rate {
        let elapsed = now.since(self.trip.acked_since);
        match self.reno.is_used() && elapsed > Duration::ZERO {
            true => self.trip.acked.per(elapsed),
            false => Rate::INFINITE,
        }
    }

    fn seen(&self) -> Option<Seen> {
        let rtt = match self.params.rtt {
            Statistic::Smallest => self.trip.smallest?,
            Statistic::Mean => self.trip.sum.checked_div(self.trip.samples)?,
        };
        let base = self.base.get()?;
        (!self.trip.settling).then_some(Seen { rtt, base })
    }

    /// Slow start, if more than gamma packets wait: goes back to what comes back in one `base`, and
    /// a packet more.
    ///
    /// DEVIATION: the paper and Linux decide at the end of a round trip, by then the window has
    /// doubled once more; and Linux goes back to the part of the window that doesn't wait, by RTTs
    /// that are a round trip older than the window.
    fn leave_slow_start(&mut self, now: Time) -> bool {
        let (m, before) = (self.reno.packet(), self.reno.window());
        let seen = self.seen();
        let Some(seen) = seen.filter(|seen| seen.queued(before) / m > self.params.gamma) else {
            return false;
        };
        let arrived = self.arrived(now);
        let carried = arrived.over(seen.base).min(before - seen.queued(before));
        self.reno.change((carried + m).min(before) - before);
        self.reno.leave_slow_start();
        self.keep(before, Some(seen), Cause::Queue(arrived));
        self.begin_trip(now, true);
        true
    }

    /// Congestion avoidance, once per round trip. It gains no more than was acknowledged of a
    /// window that was used.
    fn adjust(&mut self, seen: &Seen) {
        let (m, w) = (self.reno.packet(), self.reno.window());
        let change = step(&self.params, seen.queued(w) / m) * m;
        self.reno.change(change.min(self.trip.counted as f64));
        self.reno.leave_slow_start();
    }

    fn end_trip(&mut self, now: Time) {
        let (before, seen) = (self.reno.window(), self.seen());
        if let Some(seen) = seen.filter(|_| !self.reno.in_slow_start()) {
            self.adjust(&seen);
        }
        self.keep(before, seen, Cause::Round);
        self.growing = !self.growing || self.params.slow_start == SlowStart::EachRound;
        self.begin_trip(now, false);
    }

    fn begin_trip(&mut self, now: Time, settling: bool) {
        self.round.begin(now);
        self.trip = Trip {
            acked_since: now,
            settling,
            ..Trip::default()
        };
    }

    fn keep(&mut self, before: f64, seen: Option<Seen>, cause: Cause) {
        self.trace.keep(Update {
            number: self.trace.updates(),
            cause,
            samples: self.trip.samples,
            diff: seen.map(|seen| seen.queued(before) / self.reno.packet()),
            seen,
            counted: self.trip.counted,
            growing: self.growing,
            phase: self.reno.phase(),
            window_before: before,
            window_after: self.reno.window(),
            threshold: self.reno.threshold(),
            window: self.reno.bytes(),
            srtt: self.rtt.smoothed(),
        });
    }
}

impl Controller for Vegas {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.trace.record(feedback);
        self.measure(feedback);
        let resumes = self.pauses.resumed(feedback).is_some();
        let before = self.reno.window();
        if let Some(reaction) = self.reno.on_losses(feedback, &self.rtt) {
            self.keep(before, None, Cause::Loss(reaction));
            return self.begin_trip(feedback.now, true);
        }
        self.count_acked(feedback, resumes);
        self.grow(feedback);
        let back = |packet: &Acked| self.round.shows(packet.sent);
        let over = feedback.acked.iter().any(back);
        let judged = over || self.trip.samples >= SLOW_START_SAMPLES;
        let left = judged && self.reno.in_slow_start() && self.leave_slow_start(feedback.now);
        if over && !left {
            self.end_trip(feedback.now);
        }
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        if size == self.packet {
            return;
        }
        self.packet = size;
        self.trace.set_max_datagram_size(size);
        self.reno.set_packet(size);
        // Larger packets take longer.
        self.base.clear();
        self.trip.smallest = None;
        self.trip.sum = Duration::ZERO;
        self.trip.samples = 0;
    }

    fn decision(&self) -> Decision {
        let pacing = self.reno.pacing(self.params.pacing, &self.rtt);
        Decision {
            window: self.reno.bytes(),
            pacing,
            bandwidth: self.reno.rate(&self.rtt),
            burst: pacing::smooth(pacing, self.rtt.is_known()),
            ecn: Ecn::NotEct,
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
        let set = |spec: &str, limits| parameters_set("vegas", spec, limits, self.params.values());
        self.trace.next_event(set, report::updated)
    }
}

#[cfg(test)]
mod tests;
