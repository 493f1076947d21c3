//! The rate at which packets reach the receiver, beside the one at which the same packets were
//! sent.
//!
//! Every ACK that gives a one-way delay ([`super::owd`]) sets a mark at its newest packet: when
//! that was sent and arrived, and what had been sent and acknowledged by then. Between two marks A
//! and B
//!
//! ```text
//!   X_in  = bytes sent after A until B       / (send time of B    - send time of A)
//!   X_out = bytes acknowledged after A by B  / (arrival time of B - arrival time of A)
//! ```
//!
//! Lost packets are in the one and not in the other. Arrival times differ from send times by the
//! one-way delays, so clocks with different origins do no harm; where they come from, and which are
//! not believed, is `owd`'s part.

use std::collections::VecDeque;
use std::time::Duration;

use super::owd::{Minima, Sample, Source};
use super::sent::SentLog;
use crate::feedback::{Acked, Feedback};
use crate::units::{scaled, Bytes, Owd, Rate, Time};

/// Marks kept in the shortest time that a measurement spans.
const MARKS_PER_SPAN: u32 = 32;
/// So many spans of sending are remembered for one of arriving: a batch of ACKs longer than that
/// says nothing of a rate.
const MOST_SPANS: u32 = 8;
/// Where receive timestamps make the span zero, what counts is this share of the time it took to
/// send.
const LEAST_SHARE: f64 = 1e-3;

/// What was known at the newest packet of an ACK.
#[derive(Debug, Clone, Copy)]
struct Mark {
    sample: Sample,
    minima: Minima,
    sent: Bytes,
    delivered: Bytes,
    packets: u64,
    allowed: Rate,
}

impl Mark {
    /// Its one-way delay, relative to the smallest that was known at `earlier`. What is faster than
    /// that counts as the smallest: otherwise a receiver whose clock runs slow, or is turned back
    /// bit by bit, would receive faster than was sent without a queue that empties.
    fn queueing(&self, earlier: &Mark) -> Owd {
        let smallest = earlier.minima[self.sample.class].unwrap_or(earlier.sample.owd);
        (self.sample.owd - smallest).max(Owd::ZERO)
    }

    /// How long after `earlier` it arrived.
    fn arrives_after(&self, earlier: &Mark) -> Owd {
        let sending = self.sample.sent.since(earlier.sample.sent);
        Owd::from(sending) + (self.queueing(earlier) - earlier.queueing(earlier))
    }
}

/// The rates of some consecutive packets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateSample {
    /// Packets acknowledged.
    pub packets: u64,
    /// Bytes sent.
    pub sent: Bytes,
    /// Of these, bytes acknowledged.
    pub delivered: Bytes,
    /// Time that sending them took.
    pub sending: Duration,
    /// Time in which they arrived, above 0.
    pub arriving: Duration,
    /// The rate that pacing allowed when the first of them left.
    pub allowed_first: Rate,
    /// The same for the last.
    pub allowed_last: Rate,
}

impl RateSample {
    /// X_in.
    pub fn input(&self) -> Rate {
        self.sent.per(self.sending)
    }

    /// X_out.
    pub fn output(&self) -> Rate {
        self.delivered.per(self.arriving)
    }

    /// The relative rate reduction (X_in - X_out) / X_in; below 0 while a queue drains.
    pub fn reduction(&self) -> f64 {
        1.0 - self.output().bps() / self.input().bps()
    }
}

/// Measures X_in and X_out over at least so many packets and so much time.
///
/// Its memory is a mark per ACK in eight of these spans, at most 32 in each, or one per packet, and
/// what is in flight.
#[derive(Debug, Clone)]
pub struct RateMeter {
    span: Duration,
    log: SentLog,
    marks: VecDeque<Mark>,
    source: Source,
    delivered: Bytes,
    packets: u64,
}

impl RateMeter {
    /// A meter that spans at least `span`, of sending and of arriving.
    pub fn new(span: Duration) -> Self {
        Self {
            span,
            log: SentLog::default(),
            marks: VecDeque::new(),
            source: Source::Ack,
            delivered: Bytes(0),
            packets: 0,
        }
    }

    /// A packet has left while pacing allowed `allowed`.
    pub fn on_sent(&mut self, now: Time, size: Bytes, allowed: Rate) {
        self.log.record(now, size, allowed);
    }

    /// What came before says nothing about the present.
    pub fn restart(&mut self) {
        self.marks.clear();
    }

    /// Takes in an ACK. `newest` is the sample of its newest packet by the source in use, if it has
    /// one, and `minima` are those of that source; the rates span at least `least` packets.
    pub fn on_feedback(
        &mut self,
        feedback: &Feedback<'_>,
        newest: Option<(Sample, Minima)>,
        least: u64,
    ) -> Option<RateSample> {
        self.count(feedback);
        let (sample, minima) = newest?;
        if sample.source != self.source || sample.restarts {
            self.source = sample.source;
            self.marks.clear();
        }
        if self
            .marks
            .back()
            .is_some_and(|last| sample.sent <= last.sample.sent)
        {
            // Late: the marks are in the order in which packets were sent.
            return None;
        }
        let sent = self.log.forget_before(sample.sent);
        let mark = Mark {
            sample,
            minima,
            sent: sent.bytes,
            delivered: self.delivered,
            packets: self.packets,
            allowed: sent.allowed,
        };
        self.drop_until(&mark, least);
        let measured = self
            .marks
            .front()
            .and_then(|from| self.between(from, &mark, least));
        let close = |last: &Mark| sample.sent.since(last.sample.sent) < self.span / MARKS_PER_SPAN;
        if !self.marks.back().is_some_and(close) {
            if self.marks.len() as u64 > least + u64::from(MARKS_PER_SPAN * MOST_SPANS) {
                self.marks.pop_front();
            }
            self.marks.push_back(mark);
        }
        measured
    }

    fn count(&mut self, feedback: &Feedback<'_>) {
        let ack_eliciting = |packet: &&Acked| packet.size > Bytes(0);
        for packet in feedback.acked.iter().filter(ack_eliciting) {
            self.delivered = self.delivered + packet.size;
            self.packets += 1;
        }
    }

    /// Both ends of the path have to have had the time: what a batch of ACKs brings arrives at
    /// once, however long it took to send, and would be the rate of a far faster path.
    fn is_enough(&self, from: &Mark, to: &Mark, least: u64) -> bool {
        to.packets - from.packets >= least
            && to.sample.sent.since(from.sample.sent) >= self.span
            && to.arrives_after(from) >= Owd::from(self.span)
    }

    /// Leaves the latest mark from which enough packets lead to `mark` at the front.
    fn drop_until(&mut self, mark: &Mark, least: u64) {
        while self
            .marks
            .get(1)
            .is_some_and(|second| self.is_enough(second, mark, least))
        {
            self.marks.pop_front();
        }
    }

    fn between(&self, from: &Mark, to: &Mark, least: u64) -> Option<RateSample> {
        if !self.is_enough(from, to, least) || to.sent <= from.sent {
            return None;
        }
        let sending = to.sample.sent.since(from.sample.sent);
        let arriving = to.arrives_after(from).to_duration();
        Some(RateSample {
            packets: to.packets - from.packets,
            sent: Bytes(to.sent.0 - from.sent.0),
            delivered: Bytes(to.delivered.0 - from.delivered.0),
            sending,
            arriving: arriving.max(scaled(sending, LEAST_SHARE)),
            allowed_first: from.allowed,
            allowed_last: to.allowed,
        })
    }
}

#[cfg(test)]
mod tests;
