//! From feedback to epochs, and at the end of each from what it has shown to the rate.

use std::cmp::Reverse;
use std::time::Duration;

use super::law::{zone, Observed, Zone};
use super::report::EpochReport;
use super::update::{self, Drain, Situation, Update};
use super::Hybrid;
use crate::controller::Measured;
use crate::feedback::{Feedback, Space};
use crate::measure::epoch::Epoch;
use crate::measure::loss::LossShare;
use crate::measure::owd::{Minima, Source};
use crate::measure::trend::{trend, Trend};
use crate::measure::trust::Evidence;
use crate::units::{Bytes, Owd, Rate, Time};

/// An epoch that used less of its rate, because the application had no more, does not raise it.
const USED_SHARE: f64 = 0.8;
/// Samples that show queueing in start-up.
const STARTUP_EVIDENCE: u32 = 3;

impl Hybrid {
    pub(super) fn collect(&mut self, feedback: &Feedback<'_>) {
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
        } else if self.in_startup() {
            self.grow(feedback);
        }
    }

    /// DEVIATION: in start-up every byte that comes back adds to the rate, unless the application limits it.
    fn grow(&mut self, feedback: &Feedback<'_>) {
        if self.epoch.as_ref().is_none_or(|epoch| epoch.app_limited) {
            return;
        }
        let acked = feedback.acked.iter().map(|packet| packet.size.0).sum();
        let growth = Bytes(acked).per(self.length()) * (self.params.startup - 1.0);
        self.rate = self.bounded(self.rate + growth);
    }

    /// After L, or in start-up as soon as queueing shows, for it grows fast.
    pub(super) fn is_over(&self, epoch: &Epoch, now: Time) -> bool {
        let duration = epoch.duration(now);
        if duration >= self.length() {
            return true;
        }
        let source = self.meter.source();
        if !self.in_startup() || epoch.samples(source) < STARTUP_EVIDENCE {
            return false;
        }
        let situation = self.situation(epoch, duration, false);
        let delta = epoch.mean(source, &self.meter.minima(source));
        delta.is_some_and(|delta| {
            update::ends_startup(&self.params, &situation, self.queueing(delta))
        })
    }

    pub(super) fn end_epoch(&mut self, now: Time) {
        let Some(epoch) = self.epoch.take() else {
            return;
        };
        let source = self.meter.source();
        let minima = self.meter.minima(source);
        let duration = epoch.duration(now);
        let trend = self.trend(&epoch, &minima);
        let delta = epoch.mean(source, &minima);
        self.losses
            .add(epoch.lost, epoch.lost + epoch.acked_packets);
        let seen = delta.map(|delta| Observed {
            delta: self.queueing(delta),
            trend,
            lost: epoch.lost > 0,
            overwhelmed: self.losses.exceeds(self.params.losscap),
        });
        let app_limited = epoch.app_limited && self.is_unused(epoch.sent, duration);
        if let Some(seen) = &seen {
            let began = *self.began.get_or_insert(epoch.start());
            self.longest.advance(now.counted_from(began));
            self.longest.insert(Reverse(seen.delta));
        }
        self.learn_share(epoch.acked.per(duration));
        let situation = self.situation(&epoch, duration, app_limited);
        let startup = self.in_startup();
        let update = seen.map(|seen| {
            if startup {
                update::startup(&self.params, &seen, &situation)
            } else {
                update::steady(&self.params, &seen, &situation)
            }
        });
        let zone = seen.map(|seen| zone(&situation.thresholds, &seen));
        if let Some(update) = &update {
            self.apply(update, &situation, now);
        }
        self.return_delay = self.return_delay_of(&epoch);
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
            arrived: situation.arrived,
            delta,
            transmission: self.transmission.get(),
            trend: if self.params.trend {
                trend.as_str()
            } else {
                "off"
            },
            thresholds: situation.thresholds,
            overwhelmed: seen.is_some_and(|seen| seen.overwhelmed),
            zone,
            startup,
            app_limited,
            undisturbed: situation.undisturbed,
            alpha: update.as_ref().and_then(|update| update.alpha),
            beta: update.as_ref().and_then(|update| update.beta),
            rate_before: situation.rate,
            rate_after: self.rate,
            share: self.drain.map(|drain| drain.share),
            return_delay: self.return_delay,
            window: self.window(),
        });
        self.begin_epoch(now, epoch);
    }

    fn situation(&self, epoch: &Epoch, duration: Duration, app_limited: bool) -> Situation {
        Situation {
            rate: self.rate,
            arrived: epoch.acked.per(duration),
            packet: self.limits.max_datagram_size,
            length: self.length(),
            transmission: self.transmission_time(),
            app_limited,
            thresholds: self.thresholds(),
            drain: self.drain,
            undisturbed: self.undisturbed,
        }
    }

    /// After start-up the share is what arrives while the queue drains.
    pub(super) fn learn_share(&mut self, arrived: Rate) {
        if let Some(Drain {
            share,
            ceiling: Some(ceiling),
        }) = &mut self.drain
        {
            *share = share.max(arrived.min(*ceiling));
        }
    }

    pub(super) fn apply(&mut self, update: &Update, from: &Situation, now: Time) {
        if update.beta.is_some() {
            self.last_decrease = Some(now);
            self.losses = LossShare::default();
        }
        let disturbed = update.alpha.is_none() || from.app_limited;
        self.undisturbed = if disturbed {
            Duration::ZERO
        } else {
            // Nothing was tried in time that passed without feedback.
            self.undisturbed + from.length
        };
        self.rate = self.bounded(update.rate);
        self.phase = update.phase;
        self.drain = update.drain;
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
        let floor = Owd::from(self.thresholds().d1 / 4);
        trend(epoch.course_length(), delays, floor)
    }

    /// Whether `sent` in `duration` leaves a good part of the rate unused.
    fn is_unused(&self, sent: Bytes, duration: Duration) -> bool {
        (sent.0 as f64) < USED_SHARE * self.rate.over(duration)
    }
}
