//! What is measured in an epoch, and what its end makes of the rate.

use std::time::Duration;

use super::law::{alpha, beta, zone, Observed, Thresholds, Zone};
use super::report::{EpochReport, INTERRUPTED};
use super::HybridPaper;
use crate::controller::Measured;
use crate::controllers::bounds::{restarted, SHORTEST};
use crate::feedback::{Feedback, Space};
use crate::measure::delays::Means;
use crate::measure::epoch::Epoch;
use crate::measure::owd::Source;
use crate::measure::trend::{trend, Trend};
use crate::units::{Bytes, Owd, Rate, Time};

/// A rise of the delay by no more than d1 divided by this is noise.
const RISE_DIVISOR: u32 = 4;

/// What an epoch has shown.
struct Summary {
    duration: Duration,
    source: Source,
    means: Means,
    trend: Trend,
    /// None without samples, and so is the zone.
    seen: Option<Observed>,
    zone: Option<Zone>,
    app_limited: bool,
}

/// What became of the rate: the increase or the decrease, if there was one.
#[derive(Default)]
struct Change {
    alpha: Option<Rate>,
    beta: Option<f64>,
    outcome: Option<&'static str>,
}

impl HybridPaper {
    /// Takes in a feedback. With more in flight than `room` the window was full. The first epoch
    /// begins with the first sample.
    pub(super) fn collect(&mut self, feedback: &Feedback<'_>, room: Bytes) {
        let begun = self.epoch.take();
        let first = begun.is_none();
        let mut epoch = begun.unwrap_or_else(|| Epoch::new(feedback.now));
        let course = &mut self.course;
        let by_ack = self.meter.record(feedback, |sample| {
            if sample.restarts {
                epoch.restart_clock();
            }
            epoch.add(&sample);
            course.add(&sample);
        });
        if let Some(sample) = &by_ack {
            epoch.add(sample);
            course.add(sample);
        }
        if feedback.space == Space::Application {
            epoch.window_full |= feedback.in_flight > room;
            epoch.lost += feedback.lost.len() as u64;
            epoch.acked_packets += feedback.acked.len() as u64;
        }
        let samples = epoch.samples(Source::Ack) + epoch.samples(Source::ReceiveTimestamps);
        self.epoch = Some(epoch).filter(|_| !first || samples > 0);
    }

    /// Ends the epoch with this feedback if it has lasted for L.
    pub(super) fn end_if_over(&mut self, feedback: &Feedback<'_>) {
        let length = self.length();
        let over = |epoch: &mut Epoch| epoch.duration(feedback.now) >= length;
        let Some(epoch) = self.epoch.take_if(over) else {
            return;
        };
        let summary = self.summary(&epoch, feedback.now);
        let rate_before = self.rate;
        let change = if self.blackout.seen() {
            self.answer_blackout()
        } else {
            self.update(&summary)
        };
        self.zone = summary.zone.or(self.zone);
        self.return_delay = (summary.means).return_delay(summary.source, self.return_delay);
        self.tell(&epoch, &summary, &change, rate_before);
        self.meter.end_epoch(&epoch.evidence(summary.means));
        self.blackout.next_epoch(feedback);
        self.course.restart();
        self.epoch = Some(Epoch::new(feedback.now));
    }

    fn summary(&self, epoch: &Epoch, now: Time) -> Summary {
        let source = self.meter.source();
        let duration = epoch.duration(now).max(SHORTEST);
        let means = epoch.means(&self.meter);
        let trend = self.trend(source);
        let seen = means.of(source).map(|delta| Observed {
            delta: delta.max(Owd::ZERO),
            trend,
            lost: epoch.lost > 0,
        });
        Summary {
            duration,
            source,
            means,
            trend,
            seen,
            zone: seen.map(|seen| zone(&self.thresholds(), &seen)),
            app_limited: epoch.underuses(self.rate, duration, self.packet),
        }
    }

    /// Whether delays rise (section II-A).
    fn trend(&self, source: Source) -> Trend {
        let minima = self.meter.minima(source);
        let delays = |range| self.course.above(range, &minima);
        let noise = self.thresholds().d1 / RISE_DIVISOR;
        trend(self.course.values(), delays, noise)
    }

    /// Equation (2). An epoch without samples changes nothing, and a rate that is not used does not
    /// grow.
    fn update(&mut self, summary: &Summary) -> Change {
        let Some(seen) = &summary.seen else {
            return Change::default();
        };
        let before = self.rate;
        if let Some(beta) = beta(&self.params, seen) {
            self.rate = self.bounded(before * (1.0 - beta));
            return Change {
                beta: Some(beta),
                ..Change::default()
            };
        }
        let after = match summary.app_limited {
            true => before,
            false => before + self.increase(seen.delta),
        };
        self.rate = self.bounded(after);
        Change {
            alpha: Some(Rate::from_bps(after.bps() - before.bps())),
            ..Change::default()
        }
    }

    fn thresholds(&self) -> Thresholds {
        (&self.params).into()
    }

    fn increase(&self, delta: Owd) -> Rate {
        let Thresholds { d0, d1, .. } = self.thresholds();
        alpha((d0, d1), (self.params.amin, self.params.amax), delta)
    }

    /// After persistent congestion the window is the least (RFC 9002, section 7.6.2).
    fn answer_blackout(&mut self) -> Change {
        self.rate = restarted(self.rate, self.packet, self.length());
        Change {
            outcome: Some(INTERRUPTED),
            ..Change::default()
        }
    }

    fn tell(&mut self, epoch: &Epoch, summary: &Summary, change: &Change, rate_before: Rate) {
        let delta = summary.means.of(summary.source);
        self.measured = Measured {
            rowd: delta,
            source: Some(summary.source),
            zone: summary.zone.map(Zone::number),
        };
        self.trace.keep(EpochReport {
            number: self.trace.updates(),
            duration: summary.duration,
            length: self.length(),
            source: summary.source,
            samples: epoch.samples(summary.source),
            lost: epoch.lost,
            acked: epoch.acked_packets,
            delta,
            trend: summary.trend,
            thresholds: self.thresholds(),
            zone: summary.zone,
            app_limited: summary.app_limited,
            alpha: change.alpha,
            beta: change.beta,
            rate_before,
            rate_after: self.rate,
            outcome: change.outcome,
            window: self.window(),
        });
    }
}
