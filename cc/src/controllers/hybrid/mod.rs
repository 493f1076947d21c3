//! `hybrid`: a rate and a window, driven by relative one-way delay in three zones.
//!
//! S. Mehrotra, J. Li, S. Sengupta, M. Jain, S. Sen, "Hybrid window and rate based congestion
//! control for delay sensitive applications". Our reading, with every decision and deviation, is
//! `docs/papers/hybrid.md`; section and equation numbers here are the paper's.
//!
//! The model: once per epoch of length L, the smallest RTT, the mean relative one-way delay `delta`
//! of the packets acknowledged in it decides between
//!
//! ```text
//!     zone 1            | zone 2                | zone 3
//!     delta <= d1       | d1 < delta <= d2      | delta > d2, or delay rises, or loss with delay
//!     R += alpha(delta) | R *= 1 - beta(delta)  | R *= 1 - beta(delta)
//! ```
//!
//! and packets leave at least `P / R` apart with at most `W = R L` bytes in flight. Delay therefore
//! stays near d1 to d2, below what fills a buffer, and loss without delay is not congestion.

mod interface;
mod law;
mod params;
mod report;
mod update;

use std::time::Duration;

pub use self::params::{Params, React, PARAMETERS, PROFILES};

use self::interface::Basis;
use self::law::{zone, Observed, Zone};
use self::report::EpochReport;
use self::update::{Phase, Situation, Update};
use crate::controller::{Decision, Measured, Start};
use crate::controllers::report::PathLimits;
use crate::feedback::{Feedback, Space};
use crate::measure::epoch::Epoch;
use crate::measure::owd::{Minima, OwdMeter, Source};
use crate::measure::transmission::TransmissionTime;
use crate::measure::trend::{trend, Trend};
use crate::measure::trust::Evidence;
use crate::units::{Bytes, Owd, Rate, Time};

/// RFC 9002 section 7.2 names two packets as the minimum window.
const MIN_WINDOW_PACKETS: u64 = 2;
/// The rate is never lower than a packet in this many epochs.
const MIN_RATE_EPOCHS: u32 = 4;
/// The rate is never higher.
const MAX_RATE_BPS: f64 = 10e9;
/// An epoch that used less of its rate, because the application had no more, does not raise it.
const USED_SHARE: f64 = 0.8;
/// Fewer losses in an epoch are ignored as the paper has it, whatever share they are.
const OVERWHELMING_LOSSES: u64 = 4;
/// Samples that show queueing in start-up.
const STARTUP_EVIDENCE: u32 = 3;

/// The controller of one path.
#[derive(Debug)]
pub struct Hybrid {
    params: Params,
    spec: String,
    start: Start,
    meter: OwdMeter,
    transmission: TransmissionTime,
    rate: Rate,
    phase: Phase,
    epoch: Option<Epoch>,
    epochs: u64,
    /// Queueing of the return path, where the source can tell.
    return_delay: Duration,
    /// When the rate was last lowered, or multiplied in start-up.
    last_step: Option<Time>,
    /// RTT to work with before there is a sample: that of the handshake, once known.
    handshake_rtt: Option<Duration>,
    basis: Basis,
    decision: Option<Decision>,
    limits: PathLimits,
    told_limits: Option<PathLimits>,
    report: Option<EpochReport>,
    measured: Measured,
}

impl Hybrid {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        let max_datagram_size = start.max_datagram_size;
        let mut hybrid = Self {
            meter: OwdMeter::new(params.owdwin, max_datagram_size),
            transmission: TransmissionTime::default(),
            params,
            spec: spec.to_owned(),
            start,
            rate: Rate::default(),
            phase: Phase::Initial,
            epoch: None,
            epochs: 0,
            return_delay: Duration::ZERO,
            last_step: None,
            handshake_rtt: None,
            basis: Basis::default(),
            decision: None,
            limits: PathLimits::new(start),
            told_limits: None,
            report: None,
            measured: Measured::default(),
        };
        hybrid.rate = hybrid.initial_rate();
        hybrid
    }

    fn known_rtt(&self) -> Option<Duration> {
        self.meter.min_rtt().or(self.handshake_rtt)
    }

    /// L: the smallest RTT of full-sized packets, and before any the best guess.
    fn length(&self) -> Duration {
        self.known_rtt()
            .unwrap_or(self.start.initial_rtt)
            .max(Duration::from_micros(1))
    }

    /// The initial window (RFC 9002, section 7.2) in one RTT, if nothing else was asked for.
    fn initial_rate(&self) -> Rate {
        let window = self.limits.max_datagram_size * self.start.initial_window_packets;
        self.bounded(self.params.r0.unwrap_or_else(|| window.per(self.length())))
    }

    fn bounded(&self, rate: Rate) -> Rate {
        let floor = self
            .limits
            .max_datagram_size
            .per(self.length() * MIN_RATE_EPOCHS);
        rate.clamp(floor, Rate::from_bps(MAX_RATE_BPS))
    }

    /// `W = R (L + wextra)` (section II-C, with `wextra` ours), in whole packets: quiche sends while
    /// F + P <= W and the paper while F < W, which agree if W is rounded up. DEVIATION: what
    /// queues on the return path or is on the line is in flight as well, but is no congestion.
    fn window(&self) -> Bytes {
        let size = self.limits.max_datagram_size.0.max(1);
        let extra = self.return_delay + self.params.window_extra() + self.on_the_line();
        let bytes = self.rate.over(self.length() + extra);
        let packets = (bytes / size as f64).ceil() as u64;
        Bytes(size) * packets.max(MIN_WINDOW_PACKETS)
    }

    /// DEVIATION: waiting for the packet that is on the line when one comes is no queueing, however long that takes.
    /// The receiver may lie about it: L contains the transmission of a full packet, so it is no more than that; and what
    /// receive times have shown does not count once they are not used.
    fn on_the_line(&self) -> Duration {
        let transmission = match self.meter.source() {
            Source::Ack => Duration::ZERO,
            Source::ReceiveTimestamps => self.transmission.get().min(self.length()),
        };
        transmission.mul_f64(self.params.packet)
    }

    /// What the zones take for queueing.
    fn queueing(&self, delta: Owd) -> Owd {
        (delta - Owd::from(self.on_the_line())).max(Owd::ZERO)
    }

    /// Only packets sent after this say something about the present rate. DEVIATION: the paper
    /// counts all.
    fn counts_since(&self) -> Option<Time> {
        let once = self.in_startup() || self.params.react == React::Once;
        self.last_step.filter(|_| once)
    }

    fn collect(&mut self, feedback: &Feedback<'_>) {
        let since = self.counts_since();
        let counts = |sent: Time| since.is_none_or(|since| sent > since);
        let first = self.epoch.is_none();
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(feedback.now));
        self.meter.record(feedback, |sample| {
            self.transmission.add(&sample);
            if counts(sample.sent) {
                epoch.add(&sample);
            }
        });
        if feedback.space == Space::Application {
            epoch.lost += feedback.lost.iter().filter(|p| counts(p.sent)).count() as u64;
            epoch.acked_packets += feedback.acked.len() as u64;
            for packet in feedback.acked {
                epoch.acked = epoch.acked + packet.size;
            }
        }
        if first {
            // The first epoch begins with the first sample.
            let sampled = epoch.samples(Source::Ack) + epoch.samples(Source::ReceiveTimestamps);
            self.epoch = self.epoch.take().filter(|_| sampled > 0);
            self.rate = self.initial_rate();
        }
    }

    /// After L. In start-up after 2 L, as nothing of what is sent since the last step comes back in the first, or as soon as
    /// queueing shows, for it grows fast.
    fn is_over(&self, epoch: &Epoch, now: Time) -> bool {
        if !self.in_startup() {
            return epoch.duration(now) >= self.length();
        }
        let source = self.meter.source();
        let queueing = || {
            let delta = epoch.mean(source, &self.meter.minima(source));
            delta.is_some_and(|delta| update::ends_startup(&self.params, self.queueing(delta)))
        };
        epoch.duration(now) >= 2 * self.length()
            || (epoch.samples(source) >= STARTUP_EVIDENCE && queueing())
    }

    fn end_epoch(&mut self, now: Time) {
        let Some(epoch) = self.epoch.take() else {
            return;
        };
        let source = self.meter.source();
        let minima = self.meter.minima(source);
        let duration = epoch.duration(now);
        let trend = self.trend(&epoch, &minima);
        let lost = epoch.lost > 0;
        let delta = epoch.mean(source, &minima);
        let overwhelmed = self.is_overwhelmed(&epoch);
        let seen = delta.map(|delta| Observed {
            delta: self.queueing(delta),
            trend,
            lost,
            overwhelmed,
        });
        let app_limited = epoch.app_limited && self.is_unused(epoch.sent, duration);
        let update = seen.map(|seen| self.update(&seen, &epoch, now, app_limited));

        let startup = self.in_startup();
        let rate_before = self.rate;
        if let Some(update) = &update {
            self.apply(update, now);
        }
        self.return_delay = self.return_delay_of(&epoch);
        let zone = seen.map(|seen| zone(&self.params, &seen));
        self.measured = Measured {
            rowd: delta,
            source: Some(source),
            zone: zone.map(Zone::number),
        };
        self.report = Some(EpochReport {
            number: self.epochs,
            duration,
            length: self.length(),
            source,
            samples: epoch.samples(source),
            lost: epoch.lost,
            acked: epoch.acked_packets,
            delta,
            transmission: self.transmission.get(),
            trend: if self.params.trend {
                trend.as_str()
            } else {
                "off"
            },
            zone,
            startup,
            app_limited,
            alpha: update.as_ref().and_then(|update| update.alpha),
            beta: update.as_ref().and_then(|update| update.beta),
            rate_before,
            rate_after: self.rate,
            return_delay: self.return_delay,
            window: self.window(),
        });
        self.begin_epoch(now, epoch);
    }

    fn mean_by(&self, source: Source, epoch: &Epoch) -> Option<Owd> {
        epoch.mean(source, &self.meter.minima(source))
    }

    /// What ACK arrivals show beyond the receive times, or what they last have shown.
    fn return_delay_of(&self, epoch: &Epoch) -> Duration {
        if self.meter.source() == Source::Ack {
            return Duration::ZERO;
        }
        let by_timestamp = self.mean_by(Source::ReceiveTimestamps, epoch);
        match (self.mean_by(Source::Ack, epoch), by_timestamp) {
            // Below zero are only delays from before the minima started anew.
            (Some(by_ack), Some(by_timestamp)) => {
                (by_ack - by_timestamp.max(Owd::ZERO)).to_duration()
            }
            _ => self.return_delay,
        }
    }

    fn begin_epoch(&mut self, now: Time, mut last: Epoch) {
        let evidence = Evidence {
            acked: last.acked_packets,
            lost: last.lost,
            by_timestamp: self.mean_by(Source::ReceiveTimestamps, &last),
            by_ack: self.mean_by(Source::Ack, &last),
        };
        self.meter.end_epoch(&evidence);
        self.epochs += 1;
        last.restart(now);
        self.epoch = Some(last);
    }

    fn trend(&self, epoch: &Epoch, minima: &Minima) -> Trend {
        if !self.params.trend {
            return Trend::Unknown;
        }
        let delays = |range| epoch.course(range, minima);
        let floor = Owd::from(self.params.d1 / 4);
        trend(epoch.course_length(), delays, floor)
    }

    /// Whether more was lost than `losscap` allows, in more than a handful of packets.
    fn is_overwhelmed(&self, epoch: &Epoch) -> bool {
        let packets = (epoch.lost + epoch.acked_packets) as f64;
        epoch.lost >= OVERWHELMING_LOSSES && epoch.lost as f64 > self.params.losscap * packets
    }

    /// Whether `sent` in `duration` leaves a good part of the rate unused.
    fn is_unused(&self, sent: Bytes, duration: Duration) -> bool {
        (sent.0 as f64) < USED_SHARE * self.rate.over(duration)
    }

    fn in_startup(&self) -> bool {
        self.params.startup > 1.0 && !matches!(self.phase, Phase::Steady(_))
    }

    fn update(&self, seen: &Observed, epoch: &Epoch, now: Time, app_limited: bool) -> Update {
        let situation = Situation {
            rate: self.rate,
            arrived: epoch.acked.per(epoch.duration(now)),
            packet: self.limits.max_datagram_size,
            length: self.length(),
            app_limited,
        };
        if self.in_startup() {
            update::startup(&self.params, seen, &situation)
        } else {
            update::steady(&self.params, seen, &situation)
        }
    }

    fn apply(&mut self, update: &Update, now: Time) {
        if update.beta.is_some() || self.in_startup() {
            self.last_step = Some(now);
        }
        self.rate = self.bounded(update.rate);
        self.phase = update.phase;
    }
}

#[cfg(test)]
mod tests;
