//! One-way delay of acknowledged packets, relative to its sliding minimum.

mod minima;
mod window_time;

use std::time::Duration;

pub use self::minima::Minima;
use self::minima::{raise, ClassMinima};
use self::window_time::WindowTime;
use super::skew::Skew;
use super::trust::{Evidence, Plausibility, Trust};
use super::window_min::WindowMin;
use crate::feedback::{Acked, Feedback, Space};
use crate::units::{Bytes, Owd, Time};

/// Size classes: quarters of the maximum datagram size.
pub const CLASSES: usize = 4;

/// Where one-way delays come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// ACK arrival - send time - reported ACK delay. Contains the queue of the return path.
    Ack,
    /// Receive time that the peer reported - send time.
    ReceiveTimestamps,
}

impl Source {
    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Source::Ack => "ack",
            Source::ReceiveTimestamps => "receive_timestamps",
        }
    }
}

/// One one-way delay of one acknowledged packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// When the packet was sent.
    pub sent: Time,
    /// Its one-way delay, with an arbitrary offset.
    pub owd: Owd,
    /// The same, less the minimum of its class and the larger ones, this sample included.
    pub above: Owd,
    /// Its size class, 0 to [`CLASSES`] - 1.
    pub class: usize,
    /// Where it comes from.
    pub source: Source,
    /// Whether a clock was set just before it, so that earlier ones of its source mean nothing.
    pub restarts: bool,
}

/// An acknowledged packet, as far as the receiver cannot lie about it.
#[derive(Debug, Clone, Copy)]
struct Returned {
    sent: Time,
    /// ACK delay included.
    rtt: Owd,
    class: usize,
}

/// One-way delays of a path, from the best source that can be had and trusted.
///
/// Receive timestamps are used as soon as the peer sends them, until they stop or lose their
/// authority ([`super::trust`]); the samples from ACK arrivals are taken beside them all the time.
#[derive(Debug, Clone)]
pub struct OwdMeter {
    source: Source,
    trust: Trust,
    /// Whether receive timestamps have come in this epoch.
    reported: bool,
    time: WindowTime,
    by_ack: ClassMinima,
    by_timestamp: ClassMinima,
    /// By how much the RTT of the latest ACK was below the smallest of its size.
    fall: Owd,
    /// RTTs of packets in the largest class, and of all others.
    rtt_full: WindowMin<Owd>,
    rtt_smaller: WindowMin<Owd>,
    /// How the peer's clock runs, if the minima follow that.
    skew: Option<Skew>,
    min_rtt: Option<Duration>,
    /// The same as a delay, beyond any while there is none.
    least_rtt: Owd,
    /// The largest packet of each class but the last.
    largest: [Bytes; CLASSES - 1],
}

impl OwdMeter {
    /// A meter whose minima hold for `window`.
    pub fn new(window: Duration, max_datagram_size: Bytes) -> Self {
        Self {
            source: Source::Ack,
            trust: Trust::default(),
            reported: false,
            time: WindowTime::default(),
            by_ack: ClassMinima::new(window),
            by_timestamp: ClassMinima::new(window),
            fall: Owd::ZERO,
            rtt_full: WindowMin::new(window),
            rtt_smaller: WindowMin::new(window),
            skew: None,
            min_rtt: None,
            least_rtt: Owd::LONGEST,
            largest: largest(max_datagram_size),
        }
    }

    /// The same, whose minima by receive timestamps follow the skew of the peer's clock.
    pub fn following_skew(self) -> Self {
        let skew = Skew::new(self.rtt_full.part());
        Self {
            skew: Some(skew),
            ..self
        }
    }

    /// The maximum datagram size has changed. The minima stay: those of other sizes differ by less
    /// than a packet takes on the slowest link, and a queue may stand that new ones would contain.
    pub fn set_max_datagram_size(&mut self, size: Bytes) {
        self.largest = largest(size);
    }

    /// The path has become longer: delays that were queueing so far are not. So much of those by
    /// ACK arrivals, and of those by receive timestamps; unknown is a reason to start anew.
    pub fn raise(&mut self, by_ack: Option<Owd>, by_timestamp: Option<Owd>) {
        self.by_ack.raise(by_ack);
        self.by_timestamp.raise(by_timestamp);
        self.restart_skew();
        if by_ack.is_some() {
            raise(&mut self.rtt_full, by_ack);
            raise(&mut self.rtt_smaller, by_ack);
            self.update_min_rtt();
        }
    }

    /// Whether the windows pause from now on: no delay is that of the path alone, so the minima are
    /// not to be forgotten.
    pub fn pause(&mut self, paused: bool, now: Time) {
        if self.time.pause(paused, now) {
            // Parts of the windows are not as far apart as their numbers.
            self.restart_skew();
        }
    }

    /// The source in use.
    pub fn source(&self) -> Source {
        self.source
    }

    /// By how much the peer's clock is taken to be fast, in ppm, if the minima follow that.
    pub fn skew_ppm(&self) -> Option<f64> {
        self.skew.as_ref().map(Skew::ppm)
    }

    /// The smallest RTT of full-sized packets in the window, or else of any: the paper's L.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt
    }

    /// The same as a delay, which is compared more easily; the longest of all before there is one.
    pub fn least_rtt(&self) -> Owd {
        self.least_rtt
    }

    /// The minima of a source.
    pub fn minima(&self, source: Source) -> Minima {
        match source {
            Source::Ack => self.by_ack.all(),
            Source::ReceiveTimestamps => self.by_timestamp.all(),
        }
    }

    /// Takes the samples of all sources out of `feedback`: returns that of the ACK's arrival, and
    /// hands those of receive timestamps to `each`, in the order of packets.
    #[inline]
    pub fn record(&mut self, feedback: &Feedback<'_>, each: impl FnMut(Sample)) -> Option<Sample> {
        let by_ack = self.record_arrival(feedback);
        self.record_received(feedback, each);
        by_ack
    }

    /// The first half of that: the sample of the ACK's arrival.
    #[inline]
    pub fn record_arrival(&mut self, feedback: &Feedback<'_>) -> Option<Sample> {
        if feedback.space != Space::Application {
            return None;
        }
        let sampled = feedback.rtt_sampled && !feedback.acked.is_empty();
        if self.time.is_due(feedback.now) {
            self.advance(feedback.now, sampled);
        }
        let newest = self.returned(feedback.acked.last()?, feedback.now);
        self.fall = Owd::ZERO - self.excess(&newest).unwrap_or(Owd::ZERO);
        sampled.then(|| {
            self.record_rtt(&newest);
            let owd = self.without_ack_delay(feedback, newest.rtt);
            self.sample(&newest, owd, Source::Ack, false)
        })
    }

    /// The second half: hands the samples of receive timestamps to `each`, in the order of packets.
    #[inline]
    pub fn record_received(&mut self, feedback: &Feedback<'_>, mut each: impl FnMut(Sample)) {
        if feedback.space != Space::Application || self.trust.is_lost() {
            return;
        }
        for packet in feedback.acked {
            let Some(received) = packet.received else {
                continue;
            };
            let owd = Owd::from(received) - Owd::from(packet.sent);
            let packet = self.returned(packet, feedback.now);
            let worth = self.worth(&packet, owd);
            if worth != Plausibility::Implausible {
                self.source = Source::ReceiveTimestamps;
                self.reported = true;
                let restarts = worth == Plausibility::ClockStep;
                each(self.sample(&packet, owd, Source::ReceiveTimestamps, restarts));
            }
        }
    }

    /// An epoch has ended, and `evidence` says whether receive timestamps can be believed. Their
    /// minima outlast a peer's silence: its clock goes on, and a queue may stand.
    pub fn end_epoch(&mut self, evidence: &Evidence) {
        let reported = std::mem::take(&mut self.reported);
        if self.source != Source::ReceiveTimestamps {
            return;
        }
        self.trust.end_epoch(evidence);
        if self.trust.is_lost() || (!reported && evidence.acked > 0) {
            self.source = Source::Ack;
        }
    }

    /// Moves the windows to `now`, if that begins a new part of them, and lets the minima follow
    /// the peer's clock.
    #[cold]
    fn advance(&mut self, now: Time, sampled: bool) {
        if sampled {
            self.time.begin(now);
        }
        let part = self.rtt_full.latest_part();
        let seen = (
            self.by_timestamp.latest_minimum(),
            self.by_ack.latest_minimum(),
        );
        self.follow_skew(self.time.real(now));
        // All windows have the same length, so they move together.
        let now = self.time.of_windows(now);
        if let Some(now) = now.filter(|now| self.rtt_full.advance(*now)) {
            self.rtt_smaller.advance(now);
            self.by_ack.advance(now);
            self.by_timestamp.advance(now);
            self.update_skew(part, seen);
            self.update_min_rtt();
        }
        let follows = self.skew.as_ref().and_then(Skew::next);
        self.time.schedule(self.rtt_full.ends(), follows);
    }

    fn follow_skew(&mut self, now: Time) {
        if let Some(gained) = self.skew.as_mut().and_then(|skew| skew.gained(now)) {
            self.by_timestamp.age(|_| gained);
        }
    }

    /// Part `number` is over, in which the least of full packets by receive timestamps and by the
    /// ACKs' arrival was `seen`.
    fn update_skew(&mut self, number: u64, seen: (Option<Owd>, Option<Owd>)) {
        if let Some(skew) = &mut self.skew {
            if let Some(more) = skew.part_over(number, seen) {
                self.by_timestamp.age(|ago| more.since(ago));
            }
        }
    }

    fn restart_skew(&mut self) {
        if let Some(skew) = &mut self.skew {
            skew.restart();
        }
    }

    #[cold]
    fn update_min_rtt(&mut self) {
        let smallest = self.rtt_full.get().or(self.rtt_smaller.get());
        self.min_rtt = smallest.map(Owd::to_duration);
        self.least_rtt = smallest.unwrap_or(Owd::LONGEST);
    }

    fn returned(&self, packet: &Acked, now: Time) -> Returned {
        Returned {
            sent: packet.sent,
            rtt: now.delay_since(packet.sent),
            class: self.class_of(packet.size),
        }
    }

    /// What a packet's RTT has beyond the smallest that its size can have.
    fn excess(&self, packet: &Returned) -> Option<Owd> {
        let minimum = self.by_ack.of(packet.class);
        minimum.map(|minimum| packet.rtt - minimum)
    }

    /// Whether `owd` is compatible with what was measured without the peer's help.
    #[inline]
    fn worth(&mut self, packet: &Returned, owd: Owd) -> Plausibility {
        let Some(excess) = self.excess(packet) else {
            return Plausibility::Implausible;
        };
        let above = self.by_timestamp.above(packet.class, owd);
        match self.trust.agrees(above, excess) {
            true => Plausibility::Plausible,
            false => self.look_closely(packet.class, owd, excess),
        }
    }

    /// If a delay is not compatible time after time, a clock was set, and the minima start anew.
    #[cold]
    fn look_closely(&mut self, class: usize, owd: Owd, excess: Owd) -> Plausibility {
        let known = (self.by_timestamp.of(class), self.by_timestamp.of(0));
        let worth = self.trust.check(owd, known, excess, self.fall);
        if worth == Plausibility::ClockStep {
            // All of the excess counts as queueing until something lower is seen.
            let base = owd - excess.max(Owd::ZERO);
            self.by_timestamp.start_anew(class, base);
            self.restart_skew();
        }
        worth
    }

    /// An RTT less the reported ACK delay, which counts up to the peer's `max_ack_delay` and takes
    /// no RTT below the smallest (RFC 9002, section 5.3): one wrong report must not lower the base
    /// delay for the whole window.
    #[inline(always)]
    fn without_ack_delay(&self, feedback: &Feedback<'_>, rtt: Owd) -> Owd {
        let delay = Owd::from(feedback.ack_delay).min(feedback.max_ack_delay.into());
        (rtt - delay).max(rtt.min(self.least_rtt))
    }

    fn record_rtt(&mut self, packet: &Returned) {
        let lowest = match packet.class == CLASSES - 1 {
            true => self.rtt_full.insert(packet.rtt),
            false => self.rtt_smaller.insert(packet.rtt),
        };
        if lowest {
            self.update_min_rtt();
        }
    }

    #[inline]
    fn sample(&mut self, packet: &Returned, owd: Owd, source: Source, restarts: bool) -> Sample {
        let minima = match source {
            Source::Ack => &mut self.by_ack,
            Source::ReceiveTimestamps => &mut self.by_timestamp,
        };
        Sample {
            sent: packet.sent,
            owd,
            above: minima.insert(packet.class, owd),
            class: packet.class,
            source,
            restarts,
        }
    }

    /// `ceil(4 * size / max_datagram_size)`, clamped to 1..=4, minus 1.
    fn class_of(&self, size: Bytes) -> usize {
        let below = self.largest.iter().rposition(|largest| size > *largest);
        below.map_or(0, |class| class + 1)
    }
}

/// The largest packet of each class but the last.
fn largest(max_datagram_size: Bytes) -> [Bytes; CLASSES - 1] {
    let quarters = |class| (class as u64 + 1) * max_datagram_size.0 / CLASSES as u64;
    std::array::from_fn(|class| Bytes(quarters(class)))
}

#[cfg(test)]
mod tests;
