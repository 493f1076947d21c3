//! The invariants of a controller, checked after every call.

use std::time::Duration;

use quiche_cc::controller::{Controller, Decision, Event, Start, Value};
use quiche_cc::estimate::Estimate;
use quiche_cc::feedback::Feedback;
use quiche_cc::units::{Bytes, Rate, Time};

use crate::expectation::{excuse, Law};

/// RFC 9002, section 7.2: the minimum window.
const FLOOR_PACKETS: u64 = 2;
/// A controller never sends less than a packet in so many of the longest RTTs: a rate that small is
/// only found again by luck.
const SLOWEST_PACKET_RTTS: u32 = 8;
/// RFC 9000, section 14: the smallest maximum datagram size.
pub const SMALLEST: Bytes = Bytes(1200);
/// RFC 9002, section 6.1.2: timers are no finer, so that no RTT needs to count as shorter.
const GRANULARITY: Duration = Duration::from_millis(1);
/// A window that was not earned by acknowledged bytes stems from a rate, and none is above this.
const CEILING_BPS: f64 = 10e9;
/// What a rate's window may hold beyond path and queue: a threshold of queueing delay at most.
const CEILING_EXTRA: Duration = Duration::from_secs(1);
/// The initial window of an RFC 9002 sender is the most that may ever leave unpaced.
const MOST_UNPACED: usize = 10;
/// Events of one feedback: what is decided, and what has been set.
const MOST_EVENTS: usize = 8;
/// The event without which nothing else in a trace can be judged.
const PARAMETERS: &str = "parameters_set";

/// A controller under watch. A broken invariant panics with the name of the controller, unless
/// [`crate::expectation`] excuses it.
///
/// - The window is at least two packets, and no larger than what was *earned* or is *carried*. Earned is the
///   initial window and every acknowledged byte (slow start, RFC 9002, section 7.3.1); carried is what
///   10 Gbit/s moves in twice the longest RTT seen (once for the path, once for a queue), the
///   peer's maximum ACK delay, and a second.
/// - The pacing rate is a finite number, and at least a packet of 1200 bytes in eight of the longest RTTs.
/// - A decision changes only where the trait says so, not with a feedback after which the controller says that it has not
///   decided, and asking for it changes nothing.
/// - What a source is told has finite rates, and the target is within its interval.
/// - There is always a state; events end, hold numbers that a trace can hold, and the first feedback of all tells
///   the parameters before anything else.
#[derive(Debug)]
pub struct Checked {
    name: String,
    inner: Box<dyn Controller>,
    decision: Decision,
    max_datagram_size: Bytes,
    initial_packets: u64,
    largest_size: Bytes,
    acked: Bytes,
    longest_rtt: Duration,
    max_ack_delay: Duration,
    traced: bool,
    told: bool,
}

impl Checked {
    /// Watches `inner`, which was created from `start` and is called `name` in messages.
    pub fn new(name: &str, inner: Box<dyn Controller>, start: Start) -> Self {
        let checked = Self {
            name: name.to_owned(),
            decision: inner.decision(),
            inner,
            max_datagram_size: start.max_datagram_size,
            initial_packets: start.initial_window_packets.max(FLOOR_PACKETS),
            largest_size: start.max_datagram_size,
            acked: Bytes(0),
            longest_rtt: start.initial_rtt.max(GRANULARITY),
            max_ack_delay: Duration::ZERO,
            traced: false,
            told: false,
        };
        checked.check("being created");
        checked
    }

    /// Fetches its events after every feedback, as quiche does while it writes a trace.
    pub fn traced(mut self) -> Self {
        self.traced = true;
        self
    }

    fn require(&self, law: Law, holds: bool, after: &str, what: impl FnOnce() -> String) {
        if !holds && excuse(&self.name, law).is_none() {
            panic!("{}: {law:?}: after {after}: {}", self.name, what());
        }
    }

    fn check(&self, after: &str) {
        let decision = self.decision;
        self.require(
            Law::Stability,
            self.inner.decision() == decision,
            after,
            || "asking for the decision changes it".into(),
        );
        self.require(Law::Events, !self.inner.state().is_empty(), after, || {
            "no state".into()
        });
        self.check_window(after, decision.window);
        self.check_rates(after, &decision);
        self.check_burst(after, &decision);
    }

    fn check_window(&self, after: &str, window: Bytes) {
        let floor = self.max_datagram_size * FLOOR_PACKETS;
        self.require(Law::WindowFloor, window >= floor, after, || {
            format!("window {window:?} is below its floor {floor:?}")
        });
        let earned = self.largest_size * self.initial_packets + self.acked;
        let ceiling = Rate::from_bps(CEILING_BPS);
        let carried = ceiling.over(2 * self.longest_rtt + self.max_ack_delay + CEILING_EXTRA);
        self.require(Law::WindowCeiling, window <= earned || window.0 as f64 <= carried,
            after,
            || format!("window {window:?} is neither earned ({earned:?}) nor carried by a path ({carried} bytes)"),
        );
    }

    fn check_rates(&self, after: &str, decision: &Decision) {
        let slowest = SMALLEST.per(self.longest_rtt * SLOWEST_PACKET_RTTS);
        for (name, rate) in [
            ("pacing rate", decision.pacing),
            ("bandwidth", decision.bandwidth),
        ] {
            self.require(Law::Rates, rate.bps().is_finite(), after, || {
                format!("{name} is not finite: {rate}")
            });
            self.require(Law::Rates, rate.bps() > 0.0, after, || {
                format!("{name} is {rate}")
            });
        }
        self.require(Law::Rates, decision.pacing >= slowest, after, || {
            format!(
                "pacing rate {} is below {slowest}, a packet in {SLOWEST_PACKET_RTTS} of the longest RTTs",
                decision.pacing
            )
        });
    }

    fn check_burst(&self, after: &str, decision: &Decision) {
        let burst = decision.burst;
        self.require(Law::Bursts, burst.together >= 1, after, || {
            "no packet may leave at all".into()
        });
        let unpaced = burst.after_idle.max(burst.together);
        self.require(Law::Bursts, unpaced <= MOST_UNPACED, after, || {
            format!("{unpaced} packets may leave unpaced, more than an initial window")
        });
    }

    fn check_estimate(&self, now: Time) {
        let estimate = self.inner.estimate(now);
        let rates = [estimate.least, estimate.target, estimate.most];
        let known: Vec<Rate> = rates.into_iter().flatten().collect();
        let sane = known.is_sorted() && known.iter().all(|rate| *rate < Rate::INFINITE);
        self.require(Law::Rates, sane, "a feedback", || format!("{estimate:?}"));
    }

    fn changed(&mut self, after: &str) {
        self.decision = self.inner.decision();
        self.check(after);
    }

    fn unchanged(&self, after: &str) {
        let now = self.inner.decision();
        self.require(Law::Stability, now == self.decision, after, || {
            format!(
                "the decision has changed from {:?} to {now:?}",
                self.decision
            )
        });
    }

    /// Fetches what events there are.
    pub fn drain_events(&mut self) {
        for count in 0.. {
            self.require(Law::Events, count <= MOST_EVENTS, "a feedback", || {
                format!("more than {MOST_EVENTS} events")
            });
            let Some(event) = self.inner.next_event() else {
                break;
            };
            self.check_event(&event);
            let first = !std::mem::replace(&mut self.told, true);
            self.require(
                Law::Events,
                !first || event.name == PARAMETERS,
                "a feedback",
                || format!("the first event is {}, not {PARAMETERS}", event.name),
            );
        }
        self.unchanged("its events were fetched");
    }

    fn check_event(&self, event: &Event) {
        let holdable = event
            .fields
            .iter()
            .all(|(name, value)| !name.is_empty() && is_holdable(value));
        self.require(
            Law::Events,
            !event.name.is_empty() && holdable,
            "a feedback",
            || format!("no trace can hold {event:?}"),
        );
    }
}

fn is_holdable(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite(),
        Value::Map(fields) => fields.iter().all(|(_, value)| is_holdable(value)),
        _ => true,
    }
}

impl Controller for Checked {
    fn on_sent(&mut self, now: Time, size: Bytes) {
        self.inner.on_sent(now, size);
        self.unchanged("a packet was sent");
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        for packet in feedback.acked {
            self.acked = self.acked + packet.size;
            self.longest_rtt = self.longest_rtt.max(feedback.now.since(packet.sent));
        }
        self.max_ack_delay = feedback.max_ack_delay;
        self.inner.on_feedback(feedback);
        if !self.inner.has_decided() {
            self.unchanged("a feedback that decided nothing");
        }
        self.changed("a feedback");
        self.check_estimate(feedback.now);
        if self.traced {
            self.drain_events();
            self.require(Law::Events, self.told, "a feedback", || {
                format!("no {PARAMETERS}")
            });
        }
    }

    fn on_app_limited(&mut self) {
        self.inner.on_app_limited();
        self.changed("the application limits");
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.max_datagram_size = size;
        self.largest_size = self.largest_size.max(size);
        self.inner.on_max_datagram_size(size);
        self.changed("the datagram size has changed");
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn state(&self) -> &'static str {
        self.inner.state()
    }

    fn estimate(&self, now: Time) -> Estimate {
        self.inner.estimate(now)
    }

    fn next_event(&mut self) -> Option<Event> {
        self.inner.next_event()
    }
}
