//! From feedback to epochs, and at the end of each from what it has shown to the rate.

use std::cmp::Reverse;
use std::time::Duration;

use super::contended::Verdict;
use super::dips;
use super::drain;
use super::law::{zone, Observed, Zone};
use super::report::EpochReport;
use super::standing::{Attempted, Outcome, Standing};
use super::summary::Summary;
use super::update::{self, Situation, Update};
use super::{Hybrid, Thresholds};
use crate::controller::{Controller, Measured};
use crate::feedback::{Feedback, Space};
use crate::measure::epoch::Epoch;
use crate::measure::floor::{Floor, Spans};
use crate::measure::owd::Source;
use crate::units::{Rate, Time};

/// Samples that show queueing in start-up.
const STARTUP_EVIDENCE: u32 = 3;
/// Packets that tell a rate: one more or less, where an epoch is cut, does not matter then.
const RATE_PACKETS: u64 = 16;

impl Hybrid {
    /// Whether the first packet has come back that was sent after a decrease. The epoch that waited for it is over then, and
    /// nothing in it counts: the next one has samples of its whole length, not only the few that came at its end.
    pub(super) fn shows_decrease(&self, feedback: &Feedback<'_>) -> bool {
        let shows = |since| feedback.acked.iter().any(|packet| packet.sent > since);
        self.awaits && feedback.space == Space::Application && self.last_decrease.is_some_and(shows)
    }

    /// Decides anew from when on packets count.
    pub(super) fn count(&mut self) {
        self.counts_from = match self.last_decrease {
            _ if self.awaits => Time::LAST,
            Some(since) => since + Duration::from_nanos(1),
            None => Time::default(),
        };
    }

    pub(super) fn collect(&mut self, feedback: &Feedback<'_>) {
        let from = self.counts_from;
        let counts = move |sent: Time| sent >= from;
        let first = self.epoch.is_none();
        debug_assert_eq!(self.spans, Spans::of(self.length()));
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(feedback.now));
        let span = self.spans.span(feedback.now.counted_from(epoch.start()));
        let [by_ack, by_timestamp] = &mut self.floors;
        let mut newest = [None; 2];
        let arrival = self.meter.record(feedback, |sample| {
            if sample.restarts {
                self.transmission.restart_clock();
                if counts(sample.sent) {
                    epoch.restart_clock();
                    by_timestamp.restart_clock();
                }
            }
            self.transmission.add(&sample);
            if counts(sample.sent) {
                epoch.add(&sample);
                by_timestamp.add(sample.above, span);
                newest[Source::ReceiveTimestamps as usize] = Some(sample.above);
            }
        });
        if let Some(sample) = arrival.filter(|sample| counts(sample.sent)) {
            epoch.add(&sample);
            by_ack.add(sample.above, span);
            newest[Source::Ack as usize] = Some(sample.above);
        }
        if feedback.space == Space::Application {
            epoch.window_full |= feedback.in_flight > self.room_up_to;
            if !feedback.lost.is_empty() {
                epoch.lost_total += feedback.lost.len() as u64;
                let lost = feedback.lost.iter().filter(|p| counts(p.sent)).count() as u64;
                epoch.lost += lost;
                epoch.loss_reports += lost.min(1);
            }
            if !feedback.acked.is_empty() {
                epoch.on_ack(feedback.now);
            }
            epoch.acked_packets += feedback.acked.len() as u64;
            epoch.acked = epoch.acked + feedback.acked_bytes();
        }
        if first {
            // The first epoch begins with the first sample.
            let sampled = epoch.samples(Source::Ack) + epoch.samples(Source::ReceiveTimestamps);
            self.epoch = self.epoch.take().filter(|_| sampled > 0);
            self.rate = self.initial_rate();
            self.decision = None;
        } else if self.in_startup() {
            self.grow(feedback);
            self.look_for_queue(feedback.now, newest[self.meter.source() as usize]);
        }
    }

    /// After L, or in start-up as soon as queueing shows, for it grows fast.
    pub(super) fn is_over(&self, epoch: &Epoch, now: Time) -> bool {
        if self.spans.are_over(now.counted_from(epoch.start())) {
            return true;
        }
        self.in_startup()
            && self.queues(now)
            && epoch.samples(self.meter.source()) >= STARTUP_EVIDENCE
    }

    /// Ends the epoch with this feedback.
    pub(super) fn finish_epoch(&mut self, feedback: &Feedback<'_>) {
        if let Some(mut epoch) = self.epoch.take() {
            epoch.overlaps = dips::overlaps(&epoch, feedback);
            self.end_epoch(epoch, feedback.now);
            self.blackout.next_epoch(feedback);
            self.follow_path();
        }
    }

    fn end_epoch(&mut self, epoch: Epoch, now: Time) {
        let summary = self.summary(&epoch, now);
        if let Some(seen) = &summary.seen {
            let began = *self.began.get_or_insert(epoch.start());
            self.longest.advance(now.counted_from(began));
            self.longest.insert(Reverse(seen.delta));
            if !summary.startup && !self.holds() {
                self.largest.advance(now.counted_from(began));
                self.largest.insert(Reverse(self.rate.bps() as u64));
            }
        }
        let interrupted = self.is_interrupted(&epoch, &summary);
        let thresholds = self.thresholds();
        if !interrupted {
            self.learn_background(&thresholds, &summary, &epoch);
        }
        let situation = self.situation_at_end(&epoch, &summary, thresholds);
        self.learn_gap(&epoch, summary.app_limited, situation.rate);
        let seen = summary.seen.filter(|_| !interrupted);
        let update = seen.map(|seen| match summary.startup {
            true => update::startup(&self.params, &seen, &situation, summary.met),
            false => update::steady(&self.params, &seen, &situation),
        });
        let verdict = match (update, seen) {
            (Some(update), Some(seen)) if !summary.startup => {
                self.beside_others(&update, &seen, &situation, now)
            }
            _ => Verdict::Free,
        };
        let update = update.map(|update| verdict.applied_to(update));
        if let Some(update) = &update {
            self.apply(update, &situation, now);
        }
        if summary.stalled() {
            // It is the path that stands, and nobody's queue.
            self.standing = Standing::default();
        }
        let outcome = if interrupted {
            Some(self.restart(now))
        } else if summary.startup {
            self.meet_path(&summary)
        } else if verdict != Verdict::Free {
            self.follow(verdict, now).map(Outcome::as_str)
        } else {
            let attempted = seen.map(|seen| self.attempted(&epoch, &seen, &situation, now));
            attempted.and_then(|attempted| self.find_others(&attempted).map(Outcome::as_str))
        };
        self.return_delay = (summary.means).return_delay(summary.source, self.return_delay);
        self.learn_noise(&summary);
        self.epochs += 1;
        self.decide();
        self.report(&epoch, &summary, &situation, update, outcome);
        if interrupted {
            self.transmission.restart();
        }
        self.begin_epoch(now, &epoch, &summary);
    }

    /// What the update starts from, with what the epoch shows of what the path carries.
    fn situation_at_end(
        &mut self,
        epoch: &Epoch,
        summary: &Summary,
        thresholds: Thresholds,
    ) -> Situation {
        let mut situation = self.situation(epoch, summary.duration, thresholds);
        situation.app_limited = summary.app_limited;
        situation.sent_little = summary.app_limited || self.limited_before;
        self.limited_before = summary.app_limited;
        situation.arrived = epoch.acked.per(summary.arriving);
        situation.believed = self.believe(situation.arrived, summary);
        self.add_arrivals(epoch.acked, summary.arriving);
        let tells = epoch.acked_packets >= RATE_PACKETS && !situation.sent_little;
        self.learn_share(situation.fully_arrived(), tells && summary.seen.is_none());
        situation.drain = self.drain;
        situation
    }

    /// The epoch as part of an attempt to drain a queue, after its update.
    fn attempted(&self, epoch: &Epoch, seen: &Observed, from: &Situation, now: Time) -> Attempted {
        Attempted {
            now,
            length: self.length(),
            transmission: self.transmission_time(),
            packet: from.packet,
            drain: self.params.drain_epochs,
            queue: self.params.target_packets,
            delta: seen.delta,
            short: from.thresholds.short,
            losses: epoch.losses(),
            background: self.background,
            rate: self.rate,
        }
    }

    /// What is lost although there is no queue is lost elsewhere.
    fn learn_background(&mut self, thresholds: &Thresholds, summary: &Summary, epoch: &Epoch) {
        let short = |seen: &Observed| update::is_short(thresholds, seen.delta);
        if summary.seen.as_ref().is_some_and(short) {
            let packets = (epoch.lost + epoch.acked_packets).max(1);
            let share = epoch.lost as f64 / packets as f64;
            self.background += (share - self.background) / 8.0;
        }
    }

    fn report(
        &mut self,
        epoch: &Epoch,
        summary: &Summary,
        from: &Situation,
        update: Option<Update>,
        outcome: Option<&'static str>,
    ) {
        let zone = summary.seen.map(|seen| zone(&from.thresholds, &seen));
        self.measured = Measured {
            rowd: summary.delta,
            source: Some(summary.source),
            zone: zone.map(Zone::number),
        };
        self.report = Some(EpochReport {
            number: self.epochs - 1,
            duration: summary.duration,
            length: self.length(),
            source: summary.source,
            samples: epoch.samples(summary.source),
            lost: epoch.lost,
            loss_reports: epoch.loss_reports,
            lost_total: epoch.lost_total,
            acked: epoch.acked_packets,
            delivery_rate: from.arrived,
            delta: summary.delta,
            jitter: from.noise,
            ack_gap: from.gap,
            background: from.background,
            transmission: self.transmission.get(),
            skew: self.meter.skew_ppm(),
            thresholds: from.thresholds,
            excessive_loss: summary.seen.is_some_and(|seen| seen.overwhelmed),
            stalled: summary.stalled(),
            variability: from.varies,
            zone,
            state: from.state,
            app_limited: summary.app_limited,
            since_decrease: from.undisturbed,
            alpha: update.and_then(|update| update.alpha),
            beta: update.and_then(|update| update.beta),
            rate_before: from.rate,
            rate_after: self.rate,
            return_rate: self.drain.map(|drain| drain.share),
            competing_queue: from.standing,
            held_rate: self.contended.map(|others| others.held()),
            outcome,
            return_delay: self.return_delay,
            window: self.decision().window,
        });
    }

    pub(super) fn situation(
        &self,
        epoch: &Epoch,
        duration: Duration,
        thresholds: Thresholds,
    ) -> Situation {
        Situation {
            state: self.doing(),
            rate: self.rate,
            arrived: epoch.acked.per(duration),
            believed: Rate::default(),
            background: self.background,
            noise: self.noise,
            gap: self.gap,
            uncertain: drain::uncertain(self.noise, duration),
            packet: self.limits.max_datagram_size,
            length: self.length(),
            transmission: self.transmission_time(),
            app_limited: false,
            sent_little: false,
            thresholds,
            drain: self.drain,
            standing: self.others_queue().to_duration(),
            varies: self.dips.varies(),
            undisturbed: self.undisturbed,
        }
    }

    pub(super) fn apply(&mut self, update: &Update, from: &Situation, now: Time) {
        if update.beta.is_some() {
            self.expect(now);
            self.learn_dip(from);
        }
        let disturbed = update.alpha.is_none() || from.app_limited;
        self.undisturbed = if disturbed {
            self.dips.head_start(from.growth_period(&self.params))
        } else {
            // Nothing was tried in time that passed without feedback.
            self.undisturbed + from.length
        };
        self.rate = self.bounded(update.rate);
        self.phase = update.phase;
        self.drain = update.drain;
    }

    /// From now on only what is sent at the new rate counts.
    pub(super) fn expect(&mut self, now: Time) {
        self.last_decrease = Some(now);
        self.awaits = true;
        self.count();
        self.late.forget();
    }

    fn begin_epoch(&mut self, now: Time, last: &Epoch, summary: &Summary) {
        self.meter.end_epoch(&last.evidence(summary.means));
        self.floors.iter_mut().for_each(Floor::next_epoch);
        self.epoch = Some(Epoch::new(now));
    }
}
