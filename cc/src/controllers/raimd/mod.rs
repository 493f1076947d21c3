//! `raimd`: a rate that increases additively per round trip and decreases multiplicatively at a
//! loss.
//!
//! Ö. B. Akan, "On the throughput analysis of rate-based and window-based congestion control
//! schemes", Computer Networks 44 (2004). Our reading, with every decision and deviation, is
//! `docs/papers/raimd.md`; section and equation numbers here are the paper's.
//!
//! The model: S packets per second leave, and
//!
//! ```text
//!     S += alpha   per round trip R           S *= beta   at a loss, at most once per round trip
//! ```
//!
//! which makes a throughput that falls with the square root of R, where a window's falls with R
//! (12). Solved for alpha (13), that gives any wanted throughput B, from measured R and p.

mod params;
mod report;

use std::time::Duration;

pub use self::params::{Params, Target, PARAMETERS, PROFILES};

use self::report::{Cause, Report, Update};
use super::pacing;
use super::report::parameters_set;
use super::trace::Trace;
use crate::controller::{
    plain_estimate, Controller, Decision, Ecn, Event, Start, MIN_WINDOW_PACKETS,
};
use crate::estimate::{self, Estimate};
use crate::feedback::Feedback;
use crate::measure::loss::LossIntervals;
use crate::measure::pause::Pauses;
use crate::measure::persistent::PersistentCongestion;
use crate::measure::round::Round;
use crate::measure::rtt::Rtt;
use crate::measure::sent::SentLog;
use crate::measure::used::Used;
use crate::models::aimd::{self, Path};
use crate::models::tcp::Pftk;
use crate::units::{Bytes, PacketRate, Rate, Time};

/// The rate is never lower than a packet in this many round trips.
const MIN_RATE_RTTS: f64 = 8.0;
/// Round trips that one ACK may end. Where packets are further apart than round trips, several pass
/// between ACKs.
const MOST_ROUNDS: u32 = 16;
/// An ACK comes this many packets after the one before at the latest, where the path carries them:
/// two that an ACK covers.
const PACKETS_PER_ACK: f64 = 2.0;

/// The controller of one path.
#[derive(Debug)]
pub struct Raimd {
    params: Params,
    start: Start,
    /// S.
    rate: PacketRate,
    in_startup: bool,
    /// Since persistent congestion nothing has come back.
    collapsed: bool,
    rtt: Rtt,
    sent: SentLog,
    /// When the round trip began.
    round: Option<Time>,
    used: Used,
    pauses: Pauses,
    /// Since the last decrease.
    cycle: Round,
    /// Packets sent until then, and until the newest that was acknowledged.
    interval: (u64, u64),
    losses: LossIntervals,
    persistent: PersistentCongestion,
    packet: Bytes,
    trace: Trace<Report>,
}

impl Raimd {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        let mut raimd = Self {
            in_startup: params.startup,
            collapsed: false,
            losses: LossIntervals::new(params.history),
            params,
            start,
            rate: PacketRate::default(),
            rtt: Rtt::new(start.initial_rtt),
            sent: SentLog::default(),
            round: None,
            used: Used::default(),
            pauses: Pauses::default(),
            cycle: Round::default(),
            interval: (0, 0),
            persistent: PersistentCongestion::default(),
            packet: start.max_datagram_size,
            trace: Trace::new(spec, start),
        };
        raimd.rate = raimd.initial_rate();
        raimd
    }

    /// The initial window (RFC 9002, section 7.2) in one RTT, if nothing else was asked for.
    fn initial_rate(&self) -> PacketRate {
        let window = self.start.initial_window_packets as f64;
        let auto = PacketRate::from_per_sec(window / self.rtt.smoothed().as_secs_f64());
        self.bounded(
            self.params
                .initial_rate
                .map_or(auto, |rate| rate.in_packets(self.packet)),
        )
    }

    fn bounded(&self, rate: PacketRate) -> PacketRate {
        let floor = 1.0 / (MIN_RATE_RTTS * self.rtt.smoothed().as_secs_f64());
        let most = self.params.cmax.in_packets(self.packet).per_sec();
        PacketRate::from_per_sec(rate.per_sec().max(floor).min(most))
    }

    /// DEVIATION: the paper's sender has no window. While nothing comes back no more than this
    /// leaves.
    fn window(&self) -> Bytes {
        let held = self.rate.per_sec() * self.rtt.smoothed().as_secs_f64() * self.params.wgain;
        let least = if self.collapsed {
            MIN_WINDOW_PACKETS
        } else {
            self.start.initial_window_packets
        };
        self.packet * (held.ceil() as u64).max(least).max(MIN_WINDOW_PACKETS)
    }

    /// Packets since the last loss event that have come back without another.
    fn open(&self) -> u64 {
        self.interval.1.saturating_sub(self.interval.0)
    }

    /// R and p as measured.
    fn path(&self) -> Path {
        Path {
            rtt: self.rtt.smoothed(),
            loss: self.losses.rate(self.open()),
        }
    }

    /// B. What TCP would reach can be told once a packet was lost.
    fn target(&self) -> Option<PacketRate> {
        let path = self.path();
        match self.params.target {
            Target::Off => None,
            Target::Rate(rate) => Some(rate.in_packets(self.packet)),
            Target::Tcp if self.losses.any() => Some(Pftk::tfrc(path.rtt).throughput(path.loss)),
            Target::Tcp => None,
        }
    }

    /// Increase per round trip: alpha, or by (13) for the target; the rate at most doubles then
    /// (decision).
    fn increase(&self, target: Option<PacketRate>) -> PacketRate {
        target.map_or(self.params.alpha, |target| {
            let wanted = aimd::increase_for(target, self.params.beta, &self.path());
            PacketRate::from_per_sec(wanted.per_sec().min(self.rate.per_sec()))
        })
    }

    /// The first round trip begins with the first RTT sample, at the initial rate; from then on
    /// losses count.
    fn begin_if_known(&mut self, now: Time) {
        if self.round.is_none() && self.rtt.is_known() {
            self.rate = self.initial_rate();
            self.round = Some(now);
        }
    }

    /// Round trips in which nothing was in flight are none, but for what the pacer waits.
    fn leave_out_pause(&mut self, feedback: &Feedback<'_>) {
        if let Some(resumed) = self.pauses.resumed(feedback) {
            self.begin_round_after(resumed, self.apart());
        }
    }

    /// The longest time between two ACKs of a flow that does not pause.
    fn apart(&self) -> Duration {
        Duration::from_secs_f64(PACKETS_PER_ACK / self.rate.per_sec())
    }

    /// The round trip began no longer than `ago` before `time`.
    fn begin_round_after(&mut self, time: Time, ago: Duration) {
        let least = Duration::from_nanos(time.as_nanos()).saturating_sub(ago);
        self.round = self.round.map(|began| began.max(Time::from_origin(least)));
    }

    /// Ends the round trips that are over since `began`, and increases the rate once for each.
    fn end_rounds(&mut self, began: Time, now: Time) {
        let (elapsed, rtt) = (now.since(began), self.rtt.smoothed());
        let rounds = elapsed.as_nanos() / rtt.as_nanos();
        if rounds == 0 {
            return;
        }
        let counted = rounds.min(u128::from(MOST_ROUNDS)) as u32;
        // What one began late the next ends early; after a silence they begin anew.
        let next = if rounds > u128::from(MOST_ROUNDS) {
            now
        } else {
            began + rtt.saturating_mul(counted)
        };
        self.round = Some(next);
        self.collapsed = false;
        let update = self.update_for(counted);
        self.apply(update);
    }

    /// S R, in bytes: what is in flight if the rate is used.
    fn held(&self) -> f64 {
        self.rate.of(self.packet).over(self.rtt.smoothed())
    }

    fn update_for(&self, rounds: u32) -> Update {
        let target = self.target();
        let starting = self.in_startup && target.is_none_or(|target| self.rate < target);
        let used = if starting {
            self.used.may_double(self.held())
        } else {
            self.used.may_grow(self.held(), self.packet.0 as f64)
        };
        let (cause, alpha) = if !used {
            (Cause::Unused, PacketRate::default())
        } else if starting {
            return Update {
                rounds,
                target,
                ..Update::because(Cause::Startup)
            };
        } else {
            (Cause::Increase, self.increase(target))
        };
        Update {
            rounds,
            target,
            alpha: Some(alpha),
            ..Update::because(cause)
        }
    }

    /// A loss event, at the packet sent at `lost`: n packets since the last one, of which (10)
    /// takes the mean for 1 / p.
    fn end_cycle(&mut self, now: Time, lost: Time) {
        let interval = self
            .sent
            .at(lost)
            .packets
            .saturating_sub(self.interval.0)
            .max(1);
        self.losses.close(interval);
        self.restart(now);
        self.forget_silence(now);
        self.in_startup = false;
        self.apply(Update {
            interval: Some(interval),
            ..Update::because(Cause::Loss)
        });
    }

    /// DEVIATION: in a silence longer than ACKs are apart the path carried nothing, and a loss
    /// tells of no more since. Without this the ACK after an interruption makes up for the
    /// increases of all its round trips, and undoes the answer to the loss.
    fn forget_silence(&mut self, now: Time) {
        let heard = self.rtt.smoothed().saturating_add(self.apart());
        self.begin_round_after(now, heard);
    }

    fn restart(&mut self, now: Time) {
        self.cycle.begin(now);
        self.interval.0 = self.sent.last().packets;
    }

    /// The largest rate that counts as used. DEVIATION: losses are those of what was sent, so that
    /// S falls from there. Without this a rate of which a fifth is used stays above what the path
    /// carries for many losses (RFC 7661, section 4.4.1).
    fn used_rate(&self) -> f64 {
        let packet = self.packet.0 as f64;
        self.used.most_grown(packet) / packet / self.rtt.smoothed().as_secs_f64()
    }

    /// Nothing came through for several probe timeouts. DEVIATION: to the paper that is a loss like
    /// any other.
    fn collapse(&mut self, now: Time) {
        self.restart(now);
        self.round = Some(now);
        self.in_startup = self.params.startup;
        self.collapsed = true;
        self.apply(Update::because(Cause::PersistentCongestion));
    }

    fn apply(&mut self, update: Update) {
        let before = self.rate.per_sec();
        let after = match update.cause {
            Cause::Increase | Cause::Unused => {
                before + f64::from(update.rounds) * update.alpha.unwrap_or_default().per_sec()
            }
            Cause::Startup => 2.0 * before,
            Cause::Loss => self.params.beta * before.min(self.used_rate()),
            Cause::PersistentCongestion => {
                before.min(MIN_WINDOW_PACKETS as f64 / self.rtt.smoothed().as_secs_f64())
            }
        };
        let rate_before = self.rate;
        self.rate = self.bounded(PacketRate::from_per_sec(after));
        self.trace.keep(Report {
            number: self.trace.updates(),
            update,
            rtt: self.rtt.smoothed(),
            open: self.open(),
            loss: self.path().loss,
            rate_before,
            rate_after: self.rate,
            window: self.window(),
        });
    }

    /// Remembers what has come back, and forgets what need no longer be known of what was sent.
    fn note_acked(&mut self, feedback: &Feedback<'_>) {
        if let Some(newest) = feedback.acked.last() {
            self.interval.1 = self.interval.1.max(self.sent.at(newest.sent).packets);
            let since_origin = Duration::from_nanos(newest.sent.as_nanos());
            let old = since_origin.saturating_sub(self.rtt.smoothed().saturating_mul(2));
            self.sent.forget_before(Time::from_origin(old));
        }
    }
}

impl Controller for Raimd {
    fn on_sent(&mut self, now: Time, size: Bytes) {
        self.sent.record(now, size, self.rate.of(self.packet));
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.trace.record(feedback);
        self.rtt.record(feedback);
        self.used.record(feedback);
        self.begin_if_known(feedback.now);
        self.leave_out_pause(feedback);
        let event = feedback
            .lost
            .iter()
            .find(|packet| self.round.is_some() && self.cycle.shows(packet.sent));
        if self.persistent.record(feedback, &self.rtt) {
            self.collapse(feedback.now);
        } else if let Some(lost) = event {
            self.end_cycle(feedback.now, lost.sent);
        } else if let Some(began) = self.round {
            self.end_rounds(began, feedback.now);
        }
        self.note_acked(feedback);
    }

    /// What the path carries are bits: their rate stays, so that of packets does not.
    fn on_max_datagram_size(&mut self, size: Bytes) {
        let rate = self.rate.of(self.packet);
        self.packet = size;
        self.trace.set_max_datagram_size(size);
        self.rate = self.bounded(rate.in_packets(size));
    }

    fn decision(&self) -> Decision {
        let rate: Rate = self.rate.of(self.packet);
        Decision {
            window: self.window(),
            pacing: rate,
            bandwidth: rate,
            burst: pacing::smooth(rate, self.rtt.is_known()),
            ecn: Ecn::NotEct,
        }
    }

    fn state(&self) -> &'static str {
        match (self.round, self.in_startup) {
            (None, _) => "initial",
            (Some(_), true) => "startup",
            (Some(_), false) => "steady",
        }
    }

    fn estimate(&self, _now: Time) -> Estimate {
        let state = match (self.collapsed, self.in_startup) {
            (true, _) => estimate::State::Interrupted,
            (false, true) => estimate::State::Startup,
            (false, false) => estimate::State::Steady,
        };
        plain_estimate(&self.decision(), self.rtt.above_minimum(), Some(state))
    }

    fn next_event(&mut self) -> Option<Event> {
        let set = |spec: &str, limits| parameters_set("raimd", spec, limits, self.params.values());
        self.trace.next_event(set, report::updated)
    }
}

#[cfg(test)]
mod tests;
