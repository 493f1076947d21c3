//! Persistent congestion: nothing came through for several probe timeouts (RFC 9002, section 7.6).

use std::time::Duration;

use crate::feedback::Feedback;
use crate::measure::rtt::Rtt;
use crate::units::Time;

/// Looks for runs of lost packets between which nothing was acknowledged.
///
/// Only runs that one feedback declares lost, of packets sent after everything that was
/// acknowledged before, are seen. That is what an interruption looks like: the first ACK after it
/// declares lost what was sent in it. It also needs no memory of what was acknowledged between two
/// losses, and errs towards not reacting.
#[derive(Debug, Clone, Copy, Default)]
pub struct PersistentCongestion {
    /// When the latest packet was sent that has been acknowledged, in any packet number space; the
    /// origin of time before any.
    newest_acked: Time,
}

impl PersistentCongestion {
    /// Whether `feedback` shows persistent congestion. To be told of every feedback.
    #[inline]
    pub fn record(&mut self, feedback: &Feedback<'_>, rtt: &Rtt) -> bool {
        let before = self.newest_acked;
        // In the order of their numbers, so in that of their departure.
        if let Some(newest) = feedback.acked.last() {
            self.newest_acked = before.max(newest.sent);
        }
        !feedback.lost.is_empty() && Self::has_run(feedback, before, rtt)
    }

    /// Whether a run of losses after `before` lasts long enough. Rarely asked, and no part of what
    /// an ACK costs.
    #[inline(never)]
    fn has_run(feedback: &Feedback<'_>, before: Time, rtt: &Rtt) -> bool {
        let Some(sampled) = rtt.first_sample() else {
            return false;
        };
        let mut acked = feedback.acked.iter().map(|packet| packet.sent).peekable();
        let mut run: Option<Time> = None;
        for lost in feedback.lost {
            while acked.next_if(|acked| *acked <= lost.sent).is_some() {
                run = None;
            }
            // Section 7.6.2 wants an RTT sample from before they were sent.
            if lost.sent <= sampled.max(before) {
                continue;
            }
            let first = *run.get_or_insert(lost.sent);
            if lost.sent.since(first) > rtt.persistent_congestion() {
                return true;
            }
        }
        false
    }
}

/// The same for a controller that looks at the path once an epoch.
#[derive(Debug)]
pub struct Blackout {
    rtt: Rtt,
    persistent: PersistentCongestion,
    seen: bool,
}

impl Blackout {
    /// Before the first sample the RTT is assumed to be `initial_rtt`.
    pub fn new(initial_rtt: Duration) -> Self {
        Self {
            rtt: Rtt::new(initial_rtt),
            persistent: PersistentCongestion::default(),
            seen: false,
        }
    }

    /// To be told of every feedback.
    #[inline]
    pub fn record(&mut self, feedback: &Feedback<'_>) {
        if self.persistent.record(feedback, &self.rtt) {
            self.seen = true;
        }
        if self.rtt.first_sample().is_none() {
            self.rtt.record(feedback);
        }
    }

    /// Whether there was persistent congestion in this epoch.
    pub fn seen(&self) -> bool {
        self.seen
    }

    /// The next epoch begins after this feedback. After the very first one, a sample of the RTT an
    /// epoch is enough for probe timeouts.
    pub fn next_epoch(&mut self, feedback: &Feedback<'_>) {
        self.seen = false;
        self.rtt.record(feedback);
    }
}
