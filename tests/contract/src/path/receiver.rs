//! The far end: what it acknowledges when, and what it says about it.

use std::rc::Rc;
use std::time::Duration;

use quiche_cc_bottleneck::Ecn;

use super::clock::Clock;

/// What a receiver says of a packet that was sent and received at these times: when that was, on its own clock.
pub type Report = Rc<dyn Fn(Duration, Duration) -> Option<Duration>>;

/// Tells the truth by this clock.
pub fn honest(clock: Clock) -> Report {
    Rc::new(move |_sent, received| Some(clock.read(received)))
}

/// Reports no receive timestamps.
pub fn silent() -> Report {
    Rc::new(|_sent, _received| None)
}

/// When ACKs are sent.
#[derive(Debug, Clone, Copy)]
pub enum AckPolicy {
    /// After so many packets, or when the oldest is `max_ack_delay` old (RFC 9000, section 13.2).
    Every(u64),
    /// At multiples of this time only, as a link layer that aggregates does; it tells nobody of the delay.
    Aggregated(Duration),
}

/// What becomes of CE marks in the ACKs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CeReport {
    /// They are counted.
    Honest,
    /// Every packet counts as marked.
    Always,
    /// None does, as if they had come unmarked.
    Never,
    /// The path has cleared the field, so there are no counts and ECN fails validation.
    Bleached,
}

/// What it says about one packet.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// The packet's number.
    pub number: u64,
    /// When it came, on the receiver's clock, if it says so.
    pub received: Option<Duration>,
}

/// An ACK. Its ranges are all that came so far.
#[derive(Debug, Clone, Copy)]
pub struct Ack {
    /// How many of the [`Arrival`]s it covers.
    pub arrivals: usize,
    /// How long the latest packet has waited for it.
    pub delay: Duration,
    /// Counts of ECN codepoints.
    pub marks: Marks,
}

/// How many packets came, by what the receiver says of their ECN field (RFC 9000, section 13.4).
#[derive(Debug, Clone, Copy, Default)]
pub struct Marks {
    /// ECN-capable, without a mark.
    pub ect: u64,
    /// Marked.
    pub ce: u64,
}

/// The far end of a flow.
pub struct Receiver {
    report: Report,
    policy: AckPolicy,
    ce: CeReport,
    arrivals: Vec<Arrival>,
    acked: usize,
    latest: Duration,
    due: Option<Duration>,
    marks: Marks,
}

/// What receivers tell as their `max_ack_delay` (RFC 9000, section 18.2).
pub const MAX_ACK_DELAY: Duration = Duration::from_millis(25);

impl Default for Receiver {
    /// Honest, acknowledging every second packet (RFC 9000, section 13.2.2).
    fn default() -> Self {
        Self {
            report: honest(Clock::right()),
            policy: AckPolicy::Every(2),
            ce: CeReport::Honest,
            arrivals: Vec::new(),
            acked: 0,
            latest: Duration::ZERO,
            due: None,
            marks: Marks::default(),
        }
    }
}

impl Receiver {
    /// One that says these times.
    pub fn reporting(report: Report) -> Self {
        Self {
            report,
            ..Self::default()
        }
    }

    /// This one, sending ACKs when `policy` says.
    pub fn acknowledging(mut self, policy: AckPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// This one, making this of marks.
    pub fn counting(mut self, ce: CeReport) -> Self {
        self.ce = ce;
        self
    }

    pub(super) fn reports(&self) -> &[Arrival] {
        &self.arrivals
    }

    pub(super) fn on_packet(&mut self, now: Duration, number: u64, sent: Duration, ecn: Ecn) {
        let received = (self.report)(sent, now);
        let gap = self
            .arrivals
            .last()
            .is_some_and(|last| number != last.number + 1);
        self.arrivals.push(Arrival { number, received });
        self.latest = now;
        self.count(ecn);
        let at = match self.policy {
            // What is out of order is acknowledged at once (section 13.2.1).
            AckPolicy::Every(n) if gap || (self.arrivals.len() - self.acked) as u64 >= n => now,
            AckPolicy::Every(_) => now + MAX_ACK_DELAY,
            AckPolicy::Aggregated(period) => {
                let period = period.as_nanos().max(1);
                let at = now.as_nanos().div_ceil(period) * period;
                Duration::from_nanos(u64::try_from(at).unwrap_or(u64::MAX))
            }
        };
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    fn count(&mut self, ecn: Ecn) {
        if self.ce == CeReport::Bleached || !ecn.is_capable() {
            return;
        }
        match (self.ce, ecn) {
            (CeReport::Always, _) | (CeReport::Honest, Ecn::Ce) => self.marks.ce += 1,
            _ => self.marks.ect += 1,
        }
    }

    pub(super) fn next_event(&self) -> Option<Duration> {
        self.due
    }

    pub(super) fn take_ack(&mut self, now: Duration) -> Option<Ack> {
        self.due.take_if(|due| *due <= now)?;
        self.acked = self.arrivals.len();
        Some(Ack {
            arrivals: self.arrivals.len(),
            delay: match self.policy {
                AckPolicy::Every(_) => now - self.latest,
                AckPolicy::Aggregated(_) => Duration::ZERO,
            },
            marks: self.marks,
        })
    }
}
