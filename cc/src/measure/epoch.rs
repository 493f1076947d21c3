//! What happened in one epoch: mean delay, losses, bytes.

use std::time::Duration;

use super::delays::{Delays, Means};
use super::loss_count::LossCount;
use super::owd::{OwdMeter, Sample, Source};
use super::trust::Evidence;
use crate::units::{Bytes, Rate, Time};

/// An epoch that used less of its rate, because the application had no more, says nothing about
/// that rate.
const USED_SHARE: f64 = 0.8;

/// One epoch, under way. Its memory does not grow with the number of packets.
#[derive(Debug, Clone)]
pub struct Epoch {
    start: Time,
    by_ack: Delays,
    by_timestamp: Delays,
    /// Losses that count.
    pub lost: u64,
    /// Feedbacks that told of them.
    pub loss_reports: u64,
    /// All losses.
    pub lost_total: u64,
    /// Ack-eliciting bytes sent.
    pub sent: Bytes,
    /// Packets acknowledged.
    pub acked_packets: u64,
    /// Bytes that came back; once it is over, in whole batches of ACKs, as nearly as can be.
    pub arrived: Bytes,
    /// Feedbacks that acknowledged something, when the last one came, and the longest time between
    /// two.
    pub acks: u64,
    last_ack: Time,
    gap: Time,
    /// Whether the window was full.
    pub window_full: bool,
    /// Whether the application left the window unused, as far as loss recovery has noticed.
    pub app_limited: bool,
}

impl Epoch {
    /// An epoch that begins at `start`.
    pub fn new(start: Time) -> Self {
        Self {
            start,
            by_ack: Delays::default(),
            by_timestamp: Delays::default(),
            lost: 0,
            loss_reports: 0,
            lost_total: 0,
            sent: Bytes(0),
            acked_packets: 0,
            arrived: Bytes(0),
            acks: 0,
            last_ack: start,
            gap: Time::default(),
            window_full: false,
            app_limited: false,
        }
    }

    /// Ends it with the latest feedback, whose delays are the first of the next one. What the batch
    /// of that feedback had acknowledged before goes over to the next one.
    pub fn end(&mut self, now: Time, batch: Bytes) -> Self {
        self.arrived = Bytes(self.arrived.0.saturating_sub(batch.0));
        Self {
            by_ack: self.by_ack.take_newest(),
            by_timestamp: self.by_timestamp.take_newest(),
            arrived: batch,
            ..Self::new(now)
        }
    }

    /// What comes is of another feedback.
    #[inline]
    pub fn begin_feedback(&mut self) {
        self.by_ack.begin_feedback();
        self.by_timestamp.begin_feedback();
    }

    /// What delays it has shown says nothing.
    pub fn forget_samples(&mut self) {
        (self.by_ack, self.by_timestamp) = Default::default();
    }

    /// When it began.
    pub fn start(&self) -> Time {
        self.start
    }

    /// Its losses that count, of the packets of which it is known.
    pub fn losses(&self) -> LossCount {
        LossCount::new(self.lost, self.acked_packets)
    }

    /// Something was acknowledged, the oldest of which has `waited` so long. What was not in
    /// flight, because the source had nothing to send, was not held back.
    #[inline]
    pub fn on_ack(&mut self, now: Time, waited: impl FnOnce() -> Time) {
        let gap = now.counted_from(self.last_ack);
        if gap > self.gap {
            self.gap = self.gap.max(gap.min(waited()));
        }
        self.acks += 1;
        self.last_ack = now;
    }

    /// The longest time without anything being acknowledged, the first one since the epoch began.
    pub fn gap(&self) -> Duration {
        Duration::from_nanos(self.gap.as_nanos())
    }

    /// How long it has lasted.
    pub fn duration(&self, now: Time) -> Duration {
        now.since(self.start)
    }

    /// Samples from `source` in it.
    pub fn samples(&self, source: Source) -> u32 {
        self.delays(source).count()
    }

    /// The same without those of the latest feedback, with which the next epoch may begin.
    pub fn samples_before(&self, source: Source) -> u32 {
        self.delays(source).count_before()
    }

    fn delays(&self, source: Source) -> &Delays {
        match source {
            Source::Ack => &self.by_ack,
            Source::ReceiveTimestamps => &self.by_timestamp,
        }
    }

    /// The clock of receive timestamps was set: earlier samples mean nothing.
    #[cold]
    pub fn restart_clock(&mut self) {
        self.by_timestamp = Delays::default();
    }

    /// Adds a sample.
    #[inline]
    pub fn add(&mut self, sample: &Sample) {
        match sample.source {
            Source::Ack => self.by_ack.add(sample),
            Source::ReceiveTimestamps => self.by_timestamp.add(sample),
        }
    }

    /// Its mean delays, relative to the minima of `meter`.
    pub fn means(&self, meter: &OwdMeter) -> Means {
        Means {
            by_ack: self.by_ack.mean(&meter.minima(Source::Ack)),
            by_timestamp: (self.by_timestamp).mean(&meter.minima(Source::ReceiveTimestamps)),
        }
    }

    /// What it says about the receive timestamps, with its mean delays.
    pub fn evidence(&self, means: Means) -> Evidence {
        Evidence {
            acked: self.acked_packets,
            lost: self.lost,
            by_timestamp: means.by_timestamp,
            by_ack: means.by_ack,
        }
    }

    /// Whether it left a good part of `rate` unused in `duration`, and not because the window was
    /// full. Loss recovery does not notice an application that has nothing at all to send. A packet
    /// more may have left a moment later.
    pub fn underuses(&self, rate: Rate, duration: Duration, packet: Bytes) -> bool {
        let used = USED_SHARE * rate.over(duration);
        if self.app_limited {
            return (self.sent.0 as f64) < used;
        }
        !self.window_full && ((self.sent + packet).0 as f64) < used
    }
}

#[cfg(test)]
mod tests {
    use super::super::delays::tests::sample;
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_origin(Duration::from_millis(millis))
    }

    /// The gap of an epoch in which ACKs come at these times, whose oldest packets have waited so
    /// long, in ms.
    fn gap(acks: &[(u64, u64)]) -> u64 {
        let mut epoch = Epoch::new(at(0));
        for &(now, waited) in acks {
            epoch.on_ack(at(now), || at(waited));
        }
        epoch.gap().as_millis() as u64
    }

    #[test]
    fn an_ack_that_comes_late_leaves_a_gap() {
        assert_eq!(gap(&[(10, 10), (90, 80), (100, 10)]), 80);
    }

    #[test]
    fn a_pause_of_the_source_is_no_gap() {
        assert_eq!(gap(&[(10, 10), (90, 0), (100, 10)]), 10);
    }

    #[test]
    fn a_packet_that_waited_longer_has_held_no_ack_back() {
        // Lost time is counted once: another packet was acknowledged in between.
        assert_eq!(gap(&[(10, 10), (20, 80)]), 10);
    }

    #[test]
    fn a_batch_of_acks_belongs_to_the_epoch_that_begins_amid_it() {
        let mut epoch = Epoch::new(at(0));
        // Three batches of ten packets, the last of which is cut after four.
        epoch.arrived = Bytes(24);
        let mut next = epoch.end(at(60), Bytes(4));
        assert_eq!(epoch.arrived, Bytes(20));
        next.arrived = next.arrived + Bytes(6 + 20);
        next.end(at(120), Bytes(0));
        assert_eq!(next.arrived, Bytes(30));
        // It may have begun before both.
        let mut short = Epoch::new(at(60));
        short.arrived = Bytes(1);
        short.end(at(60), Bytes(4));
        assert_eq!(short.arrived, Bytes(0));
    }

    #[test]
    fn the_delays_of_the_feedback_that_ends_an_epoch_are_the_first_of_the_next_one() {
        for source in [Source::Ack, Source::ReceiveTimestamps] {
            let mut epoch = Epoch::new(at(0));
            epoch.begin_feedback();
            epoch.add(&sample(1, 3, source));
            epoch.begin_feedback();
            (2..4).for_each(|owd| epoch.add(&sample(owd, 3, source)));
            let next = epoch.end(at(60), Bytes(0));
            assert_eq!((epoch.samples(source), next.samples(source)), (1, 2));
        }
    }

    #[test]
    fn an_application_that_uses_less_than_four_fifths_limits_unless_the_window_is_full() {
        let underuses = |sent, window_full, app_limited| {
            let epoch = Epoch {
                sent: Bytes(sent),
                window_full,
                app_limited,
                ..Epoch::new(at(0))
            };
            // 12,500 bytes, of which 10,000 are enough.
            let duration = Duration::from_millis(100);
            epoch.underuses(Rate::from_bps(1e6), duration, Bytes(1_250))
        };
        // A packet more may have left a moment later.
        assert!(underuses(8_749, false, false));
        assert!(!underuses(8_750, false, false));
        assert!(!underuses(0, true, false));
        // Loss recovery knows better.
        assert!(underuses(9_999, true, true));
        assert!(!underuses(10_000, false, true));
    }
}
