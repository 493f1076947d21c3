//! `hybrid:paper`: the controller of the paper, and no more than that.
//!
//! S. Mehrotra, J. Li, S. Sengupta, M. Jain, S. Sen, "Hybrid window and rate based congestion
//! control for delay sensitive applications". Our reading, with every decision, is
//! `docs/papers/hybrid-paper.md`; section and equation numbers here are the paper's.
//!
//! Once per epoch of length L, the smallest RTT, the mean relative one-way delay `delta` of the
//! packets that were acknowledged in it puts the path into one of three zones (section II-A), and
//! the rate follows (section II-B):
//!
//! ```text
//!   zone 1   delta <= d1                                           R += alpha(delta)      (2), (3)
//!   zone 2   d1 < delta <= d2                                      R *= 1 - beta(delta)   (2), (4)
//!   zone 3   delta > d2, or delays rise, or loss with delta > d1   R *= 1 - beta(delta)   (2), (4)
//! ```
//!
//! Packets leave at least `gamma P / R` apart, with at most `W = R L` in flight (section II-C).
//!
//! What the paper leaves to others is what every sender on the Internet owes: it starts from the
//! initial window, answers persistent congestion with the minimum window (RFC 9002, sections 7.2
//! and 7.6.2), and does not raise a rate that it does not use (section 7.8).
//!
//! | file | what of the paper |
//! |---|---|
//! | `law.rs` | zones and equations (3) and (4) |
//! | `epochs.rs` | what is measured in an epoch, and equation (2) at its end |
//! | `params.rs` | the parameters of section III |
//! | `report.rs` | the trace |

mod epochs;
pub mod law;
mod params;
mod report;

use std::time::Duration;

pub use self::params::{Params, PARAMETERS, PROFILES};

use self::law::Zone;
use self::report::EpochReport;
use crate::controller::{plain_estimate, Controller, Decision, Ecn, Event, Measured, Start};
use crate::controllers::bounds;
use crate::controllers::pacing;
use crate::controllers::trace::Trace;
use crate::estimate::{self, Estimate};
use crate::feedback::Feedback;
use crate::measure::course::Course;
use crate::measure::epoch::Epoch;
use crate::measure::owd::OwdMeter;
use crate::measure::persistent::Blackout;
use crate::units::{Bytes, Owd, Rate, Time};

/// The controller of one path.
#[derive(Debug)]
pub struct HybridPaper {
    params: Params,
    start: Start,
    meter: OwdMeter,
    /// RTT to work with before there is a sample: the smallest that loss recovery knows.
    recovery_rtt: Option<Duration>,
    /// R.
    rate: Rate,
    /// That of the last epoch with samples.
    zone: Option<Zone>,
    epoch: Option<Epoch>,
    /// The delays of the epoch in their order.
    course: Course,
    blackout: Blackout,
    /// Queueing of the return path, where the source of delays can tell.
    return_delay: Duration,
    packet: Bytes,
    trace: Trace<EpochReport>,
    measured: Measured,
}

impl HybridPaper {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        let mut paper = Self {
            meter: OwdMeter::new(params.base_delay_window, start.max_datagram_size),
            params,
            start,
            recovery_rtt: None,
            rate: Rate::default(),
            zone: None,
            epoch: None,
            course: Course::default(),
            blackout: Blackout::new(start.initial_rtt),
            return_delay: Duration::ZERO,
            packet: start.max_datagram_size,
            trace: Trace::new(spec, start),
            measured: Measured::default(),
        };
        paper.rate = paper.initial_rate();
        paper
    }

    fn known_rtt(&self) -> Option<Duration> {
        self.meter.min_rtt().or(self.recovery_rtt)
    }

    /// L: the smallest RTT, and before any the best guess.
    fn length(&self) -> Duration {
        bounds::round_trip(self.known_rtt(), self.start.initial_rtt)
    }

    fn bounded(&self, rate: Rate) -> Rate {
        bounds::bounded(rate, self.packet, self.length())
    }

    /// R until the first epoch begins.
    fn initial_rate(&self) -> Rate {
        bounds::initial(
            self.params.initial_rate,
            self.start,
            self.blackout.seen(),
            self.packet,
            self.length(),
        )
    }

    /// W = R L (section II-C). DEVIATION: what queues on the return path is in flight as well, but
    /// is no congestion.
    fn window(&self) -> Bytes {
        let held = self.length() + self.return_delay;
        bounds::window(self.rate, held, self.packet)
    }

    /// Packet l + 1 leaves at `T_l + gamma P / R` at the earliest (section II-C).
    fn pacing(&self) -> Rate {
        if self.params.gamma > 0.0 {
            self.rate * (1.0 / self.params.gamma)
        } else {
            Rate::INFINITE
        }
    }

    /// With no more in flight than this another packet fits into the window.
    fn room_up_to(&self) -> Bytes {
        Bytes(self.window().0.saturating_sub(self.packet.0))
    }
}

impl Controller for HybridPaper {
    fn on_sent(&mut self, _now: Time, size: Bytes) {
        if let Some(epoch) = &mut self.epoch {
            epoch.sent = epoch.sent + size;
        }
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let room = self.room_up_to();
        self.trace.record(feedback);
        self.recovery_rtt = feedback.min_rtt.or(self.recovery_rtt);
        self.blackout.record(feedback);
        let first = self.epoch.is_none();
        self.collect(feedback, room);
        if first {
            self.rate = self.initial_rate();
        } else {
            self.end_if_over(feedback);
        }
    }

    fn on_app_limited(&mut self) {
        if let Some(epoch) = &mut self.epoch {
            epoch.app_limited = true;
        }
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.packet = size;
        self.trace.set_max_datagram_size(size);
        self.meter.set_max_datagram_size(size);
    }

    fn decision(&self) -> Decision {
        Decision {
            window: self.window(),
            pacing: self.pacing(),
            bandwidth: self.rate,
            burst: pacing::smooth(self.rate, self.known_rtt().is_some()),
            ecn: Ecn::NotEct,
        }
    }

    fn state(&self) -> &'static str {
        self.zone.map_or("initial", Zone::state)
    }

    fn measured(&self) -> Measured {
        self.measured
    }

    fn estimate(&self, _now: Time) -> Estimate {
        let state = match self.zone {
            None => estimate::State::Startup,
            Some(_) => estimate::State::Steady,
        };
        let delay = self.measured.rowd.map(Owd::to_duration);
        plain_estimate(&self.decision(), delay, Some(state))
    }

    fn next_event(&mut self) -> Option<Event> {
        let set = |spec: &str, limits| report::parameters_set(spec, limits, self.params.report());
        self.trace.next_event(set, report::epoch_updated)
    }
}

#[cfg(test)]
mod tests;
