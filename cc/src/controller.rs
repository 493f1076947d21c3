//! What a controller is: feedback in, a decision out.
//!
//! A controller does no I/O, reads no clock, draws no random numbers and knows neither quiche nor
//! qlog. Whatever happens is told to it with its time; what it wants is read from
//! [`Controller::decision`] afterwards.

use std::fmt;
use std::time::Duration;

use crate::estimate::{Estimate, State};
use crate::feedback::Feedback;
use crate::measure::owd::Source;
use crate::units::{Bytes, Owd, Rate, Time};

/// The least window, in packets: RFC 9002, section 7.2, and what is left after persistent
/// congestion (section 7.6.2).
pub const MIN_WINDOW_PACKETS: u64 = 2;

/// Lateness that is made up for. Timers are late; without this every late one costs rate.
pub const CATCH_UP: Duration = Duration::from_millis(1);

/// How far packets may run ahead of the pacing rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// Packets that may leave unpaced after idle.
    pub after_idle: usize,
    /// Packets that may leave together while paced, at least one.
    pub together: usize,
    /// How much of a late departure the next packets make up for.
    pub catch_up: Duration,
}

/// How outgoing packets are marked (RFC 3168, RFC 9331).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECT(0): CE is as good as a loss.
    Ect0,
    /// ECT(1): scalable response to frequent marks.
    Ect1,
}

/// What the sender may do until the next feedback.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// The congestion window: no packet leaves that would bring the bytes in flight above it.
    pub window: Bytes,
    /// The pacing rate.
    pub pacing: Rate,
    /// The rate that the controller holds the path to carry, for statistics.
    pub bandwidth: Rate,
    /// Exceptions from the pacing rate.
    pub burst: Burst,
    /// How packets are marked; only for controllers that respond to [`Feedback::ecn_ce`].
    pub ecn: Ecn,
}

/// What a controller starts from.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// The initial window, in packets.
    pub initial_window_packets: u64,
    /// The maximum datagram size.
    pub max_datagram_size: Bytes,
    /// The RTT to assume before the first sample.
    pub initial_rtt: Duration,
}

/// A field's value in an [`Event`].
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A count.
    Count(u64),
    /// A quantity; the field's definition names the unit.
    Number(f64),
    /// A truth value.
    Flag(bool),
    /// A word.
    Text(String),
    /// No value.
    Null,
    /// Named values.
    Map(Vec<(&'static str, Value)>),
}

/// Something that a controller has decided, for the trace. `docs/qlog.md` defines names and fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The event's type within the namespace `cc`.
    pub name: &'static str,
    /// Its data.
    pub fields: Vec<(&'static str, Value)>,
}

/// What a controller has measured, for statistics; nothing where it does not measure that, or not
/// yet.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measured {
    /// Mean relative one-way delay of the last epoch.
    pub rowd: Option<Owd>,
    /// Where one-way delays come from.
    pub source: Option<Source>,
    /// The zone of the last epoch, from 1 (free).
    pub zone: Option<u64>,
}

/// A congestion controller of one path.
pub trait Controller: fmt::Debug + Send + Sync {
    /// A packet has left. `size` is zero if it is not ack-eliciting. What is in flight is told with
    /// every feedback.
    fn on_sent(&mut self, _now: Time, _size: Bytes) {}

    /// An ACK has come, or packets were declared lost.
    fn on_feedback(&mut self, feedback: &Feedback<'_>);

    /// A packet was made without data although the window had room. Most of the time in which the
    /// application has nothing to send nobody is told: whether a window is used is to be measured
    /// ([`Used`](crate::measure::used::Used)).
    fn on_app_limited(&mut self) {}

    /// The maximum datagram size has changed.
    fn on_max_datagram_size(&mut self, size: Bytes);

    /// What the sender may do until the next call of `on_feedback`, `on_app_limited` or
    /// `on_max_datagram_size`; a departure does not change it.
    fn decision(&self) -> Decision;

    /// Whether the latest [`on_feedback`](Self::on_feedback) may have changed the decision. Asked
    /// right after it: a decision that stays the same need not be fetched.
    fn has_decided(&self) -> bool {
        true
    }

    /// The current state, as one word.
    fn state(&self) -> &'static str;

    /// What it has measured last.
    fn measured(&self) -> Measured {
        Measured::default()
    }

    /// What a source may count on. Nothing is kept for it between two calls, so that it costs
    /// something only if somebody asks.
    fn estimate(&self, _now: Time) -> Estimate {
        let delay = self.measured().rowd.map(Owd::to_duration);
        plain_estimate(&self.decision(), delay, None)
    }

    /// The next event for the trace. Only asked while a trace is written, so events that nobody
    /// fetches must not pile up.
    fn next_event(&mut self) -> Option<Event>;
}

/// The estimate of a controller that knows a rate, perhaps the queueing delay and the state, and no
/// more.
pub fn plain_estimate(
    decision: &Decision,
    queueing_delay: Option<Duration>,
    state: Option<State>,
) -> Estimate {
    let rate = decision.bandwidth;
    Estimate {
        target: (rate < Rate::INFINITE).then_some(rate),
        queueing_delay,
        state,
        ..Estimate::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_of_a_controller_with_a_rate_is_that_rate_with_what_it_knows_besides() {
        let of = |bandwidth| {
            let decision = Decision {
                window: Bytes(12_000),
                pacing: Rate::INFINITE,
                bandwidth,
                burst: Burst {
                    after_idle: 0,
                    together: 1,
                    catch_up: CATCH_UP,
                },
                ecn: Ecn::default(),
            };
            let delay = Some(Duration::from_millis(7));
            plain_estimate(&decision, delay, Some(State::Steady))
        };
        let known = Estimate {
            target: Some(Rate::from_bps(2e6)),
            queueing_delay: Some(Duration::from_millis(7)),
            state: Some(State::Steady),
            ..Estimate::default()
        };
        assert_eq!(of(Rate::from_bps(2e6)), known);
        assert_eq!(of(Rate::INFINITE).target, None, "a window is no rate");
    }
}
