//! `rrr`: the sending rate follows the rate at which packets reach the receiver.
//!
//! P. Hága, I. Csabai, F. Tóth, G. Vattay, "Relative rate reduction based control with adjustable
//! congestion level". Our reading, with every decision and deviation, is `docs/papers/rrr.md`;
//! section and equation numbers here are the paper's.
//!
//! The model: of X_in sent X_out arrive, and the relative rate reduction p = (X_in - X_out) / X_in
//! (8) is the congestion of the path: queues that build up show in it at once, losses on average.
//! At every acknowledgement
//!
//! ```text
//!     X_in = X_out / (1 - pT(X_out))                                                        (13)
//! ```
//!
//! so the rate grows while p is below the pT that a feedback function allows at this rate, and
//! falls while it is above. pT constant (`fixed`), falling to nothing at a largest rate (`linear`),
//! or like TCP's (`tcp`), which shares fairly.

mod law;
mod params;
mod report;

use std::time::Duration;

pub use self::law::wanted;
pub use self::params::{Feedback as FeedbackFunction, Params, PARAMETERS, PROFILES};

use self::report::Update;
use super::bounds;
use super::pacing;
use super::report::parameters_set;
use super::trace::Trace;
use crate::controller::{plain_estimate, Controller, Decision, Ecn, Event, Measured, Start};
use crate::estimate::{self, Estimate};
use crate::feedback::Feedback;
use crate::measure::epoch::Epoch;
use crate::measure::owd::{Minima, OwdMeter, Sample, Source};
use crate::measure::persistent::PersistentCongestion;
use crate::measure::rate::{RateMeter, RateSample};
use crate::measure::rtt::Rtt;
use crate::models::tcp::SquareRoot;
use crate::units::{Bytes, Rate, Time};

/// Window of the minima of one-way delay: 200 ppm of clock drift are 2 ms in it, as in
/// `hybrid:without=clock_skew`.
const DELAY_WINDOW: Duration = Duration::from_secs(10);
/// In start-up this share of n packets is enough: it looks for reductions of a tenth, not of a
/// hundredth.
const STARTUP_SHARE: u64 = 4;

/// Where the controller stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was measured.
    Initial,
    /// The rate grows as fast as it may, until a reduction shows (not in the paper).
    Startup,
    /// Equation (13).
    Steady,
}

/// The controller of one path.
#[derive(Debug)]
pub struct Rrr {
    params: Params,
    start: Start,
    rate: Rate,
    phase: Phase,
    delays: OwdMeter,
    /// What shows whether receive timestamps can be believed, a smoothed RTT at a time.
    epoch: Option<Epoch>,
    rates: RateMeter,
    rtt: Rtt,
    persistent: PersistentCongestion,
    packet: Bytes,
    trace: Trace<Update>,
}

impl Rrr {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        let mut rrr = Self {
            delays: OwdMeter::new(DELAY_WINDOW, start.max_datagram_size),
            rates: RateMeter::new(params.span),
            rtt: Rtt::new(start.initial_rtt),
            params,
            start,
            rate: Rate::default(),
            phase: Phase::Initial,
            epoch: None,
            persistent: PersistentCongestion::default(),
            packet: start.max_datagram_size,
            trace: Trace::new(spec, start),
        };
        rrr.rate = rrr.initial_rate();
        rrr
    }

    /// The smallest RTT of the path's life, or since persistent congestion. A sliding minimum would
    /// take the queue that this controller keeps for propagation, and let the window grow for ever.
    fn min_rtt(&self) -> Duration {
        bounds::round_trip(self.rtt.minimum(), self.start.initial_rtt)
    }

    /// The initial window (RFC 9002, section 7.2) in one RTT, if nothing else was asked for.
    fn initial_rate(&self) -> Rate {
        let asked_for = self.params.initial_rate;
        let initial = bounds::initial(asked_for, self.start, false, self.packet, self.min_rtt());
        self.bounded(initial)
    }

    fn bounded(&self, rate: Rate) -> Rate {
        let least = bounds::least(self.packet, self.min_rtt());
        rate.clamp(least, law::ceiling(&self.params))
    }

    /// DEVIATION: the paper's sender has no window. What is sent while nothing comes back is
    /// bounded by what the rate puts into the smallest RTT and into `qmax`, be that a queue or a
    /// receiver that holds back ACKs.
    fn window(&self) -> Bytes {
        let held = self.min_rtt() + self.params.qmax;
        bounds::window(self.rate, held, self.packet)
    }

    /// XT, or what (18) has in its place for a TCP flow on this path.
    fn xt(&self) -> Rate {
        let tcp = SquareRoot {
            k: SquareRoot::RENO,
            packet: self.packet,
            rtt: self.rtt.smoothed(),
        };
        self.params.xt.unwrap_or_else(|| tcp.unit_rate())
    }

    fn in_startup(&self) -> bool {
        self.params.startup && self.phase != Phase::Steady
    }

    fn least_packets(&self) -> u64 {
        if self.in_startup() {
            (self.params.packets / STARTUP_SHARE).max(1)
        } else {
            self.params.packets
        }
    }

    /// Takes in the one-way delays; returns that of the newest packet by the source in use, with
    /// its minima.
    fn record_delays(&mut self, feedback: &Feedback<'_>) -> Option<(Sample, Minima)> {
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(feedback.now));
        let mut newest: Option<Sample> = None;
        let by_ack = self.delays.record(feedback, |sample| {
            if sample.restarts {
                epoch.restart_clock();
            }
            epoch.add(&sample);
            // What a clock step makes of earlier samples holds for the later ones of the same ACK.
            let restarts = sample.restarts || newest.is_some_and(|earlier| earlier.restarts);
            newest = Some(Sample { restarts, ..sample });
        });
        if let Some(sample) = &by_ack {
            epoch.add(sample);
        }
        epoch.acked_packets += feedback.acked.len() as u64;
        epoch.lost += feedback.lost.len() as u64;
        let source = self.delays.source();
        let newest = match source {
            Source::Ack => by_ack,
            Source::ReceiveTimestamps => newest,
        };
        newest.map(|sample| (sample, self.delays.minima(source)))
    }

    fn end_epoch(&mut self, now: Time) {
        let Some(epoch) = self
            .epoch
            .as_mut()
            .filter(|epoch| epoch.duration(now) >= self.rtt.smoothed())
        else {
            return;
        };
        let means = epoch.means(&self.delays);
        self.delays.end_epoch(&epoch.evidence(means));
        *epoch = Epoch::new(now);
    }

    fn update(&mut self, sample: &RateSample) {
        if self.in_startup() {
            self.phase = if law::ends_startup(&self.params, sample) {
                Phase::Steady
            } else {
                Phase::Startup
            };
        } else {
            self.phase = Phase::Steady;
        }
        let startup = self.in_startup();
        let aim = law::aim(&self.params, self.xt(), sample, startup);
        let rate = law::next_rate(&self.params, sample, aim);
        self.set_rate(rate, Some((*sample, aim)), startup);
    }

    /// Nothing came through for several probe timeouts (RFC 9002, section 7.6): what was measured
    /// is of another path, and what is sent is the minimum window per RTT. DEVIATION: the paper
    /// sends on.
    fn collapse(&mut self) {
        self.rtt.restart_minimum();
        let rate = bounds::restarted(self.rate, self.packet, self.rtt.smoothed());
        self.rates.restart();
        self.phase = Phase::Initial;
        self.set_rate(rate, None, false);
    }

    fn set_rate(&mut self, rate: Rate, measured: Option<(RateSample, f64)>, startup: bool) {
        let rate_before = self.rate;
        self.rate = self.bounded(rate);
        self.trace.keep(Update {
            number: self.trace.updates(),
            source: self.delays.source(),
            measured,
            startup,
            xt: self.xt(),
            rate_before,
            rate_after: self.rate,
            min_rtt: self.min_rtt(),
            window: self.window(),
        });
    }
}

impl Controller for Rrr {
    fn on_sent(&mut self, now: Time, size: Bytes) {
        self.rates.on_sent(now, size, self.rate);
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.trace.record(feedback);
        self.rtt.record(feedback);
        let newest = self.record_delays(feedback);
        let measured = self
            .rates
            .on_feedback(feedback, newest, self.least_packets());
        if self.persistent.record(feedback, &self.rtt) {
            self.collapse();
        } else if let Some(sample) = measured {
            self.update(&sample);
        } else if self.trace.updates() == 0 {
            self.rate = self.initial_rate();
        }
        self.end_epoch(feedback.now);
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.packet = size;
        self.trace.set_max_datagram_size(size);
        self.delays.set_max_datagram_size(size);
    }

    fn decision(&self) -> Decision {
        Decision {
            window: self.window(),
            pacing: self.rate,
            bandwidth: self.rate,
            burst: pacing::smooth(self.rate, self.rtt.is_known()),
            ecn: Ecn::NotEct,
        }
    }

    fn state(&self) -> &'static str {
        match self.phase {
            Phase::Initial => "initial",
            Phase::Startup => "startup",
            Phase::Steady => "steady",
        }
    }

    fn measured(&self) -> Measured {
        Measured {
            source: Some(self.delays.source()),
            ..Measured::default()
        }
    }

    fn estimate(&self, _now: Time) -> Estimate {
        let state = match self.phase {
            // Persistent congestion leads back there.
            Phase::Initial if self.trace.updates() > 0 => estimate::State::Interrupted,
            Phase::Initial | Phase::Startup => estimate::State::Startup,
            Phase::Steady => estimate::State::Steady,
        };
        plain_estimate(&self.decision(), self.rtt.above_minimum(), Some(state))
    }

    fn next_event(&mut self) -> Option<Event> {
        let set = |spec: &str, limits| parameters_set("rrr", spec, limits, self.params.values());
        self.trace.next_event(set, report::updated)
    }
}

#[cfg(test)]
mod tests;
