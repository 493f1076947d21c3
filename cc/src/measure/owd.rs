//! One-way delay of acknowledged packets, relative to its sliding minimum.

use std::time::Duration;

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
    /// Its size class, 0 to [`CLASSES`] - 1.
    pub class: usize,
    /// Where it comes from.
    pub source: Source,
    /// Whether a clock was set just before it, so that earlier ones of its source mean nothing.
    pub restarts: bool,
}

/// Smallest one-way delay of every size class.
pub type Minima = [Option<Owd>; CLASSES];

/// Sliding minima of one source.
///
/// Serialisation is part of the delay, so only packets of like size compare: at 1 Mbit/s an empty
/// packet is 10 ms faster than a full one. A larger packet is never faster than a smaller one, so a
/// class's minimum is also bounded by those of the larger classes.
#[derive(Debug, Clone)]
struct ClassMinima([WindowMin<Owd>; CLASSES]);

impl ClassMinima {
    fn new(window: Duration) -> Self {
        Self(std::array::from_fn(|_| WindowMin::new(window)))
    }

    fn advance(&mut self, now: Time) {
        self.0.iter_mut().for_each(|minimum| minimum.advance(now));
    }

    fn clear(&mut self) {
        self.0.iter_mut().for_each(WindowMin::clear);
    }

    fn get(&self) -> Minima {
        let mut minima = [None; CLASSES];
        let mut larger: Option<Owd> = None;
        for class in (0..CLASSES).rev() {
            larger = [self.0[class].get(), larger].into_iter().flatten().min();
            minima[class] = larger;
        }
        minima
    }
}

/// One-way delays of a path, from the best source that can be had and trusted.
///
/// Receive timestamps are used as soon as the peer sends them, until they stop or lose their
/// authority ([`super::trust`]); the samples from ACK arrivals are taken beside them all the time.
#[derive(Debug, Clone)]
pub struct OwdMeter {
    source: Source,
    trust: Trust,
    /// Whether receive times have come in this epoch.
    reported: bool,
    /// When the first sample came; the windows count from there.
    first: Option<Time>,
    by_ack: ClassMinima,
    by_timestamp: ClassMinima,
    rtt_full: WindowMin<Duration>,
    rtt_any: WindowMin<Duration>,
    max_datagram_size: Bytes,
}

impl OwdMeter {
    /// A meter whose minima hold for `window`.
    pub fn new(window: Duration, max_datagram_size: Bytes) -> Self {
        Self {
            source: Source::Ack,
            trust: Trust::default(),
            reported: false,
            first: None,
            by_ack: ClassMinima::new(window),
            by_timestamp: ClassMinima::new(window),
            rtt_full: WindowMin::new(window),
            rtt_any: WindowMin::new(window),
            max_datagram_size,
        }
    }

    /// The maximum datagram size has changed: sizes no longer compare, so the minima start anew.
    pub fn set_max_datagram_size(&mut self, size: Bytes) {
        if size != self.max_datagram_size {
            self.max_datagram_size = size;
            self.by_ack.clear();
            self.by_timestamp.clear();
        }
    }

    /// The source in use.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The smallest RTT of full-sized packets in the window, or else of any: the paper's L.
    pub fn min_rtt(&self) -> Option<Duration> {
        self.rtt_full.get().or_else(|| self.rtt_any.get())
    }

    /// The minima of a source.
    pub fn minima(&self, source: Source) -> Minima {
        match source {
            Source::Ack => self.by_ack.get(),
            Source::ReceiveTimestamps => self.by_timestamp.get(),
        }
    }

    /// Takes the samples of all sources out of `feedback` and hands each to `each`.
    pub fn record(&mut self, feedback: &Feedback<'_>, mut each: impl FnMut(Sample)) {
        if feedback.space != Space::Application {
            return;
        }
        let newest = feedback.acked.last().filter(|_| feedback.rtt_sampled);
        let now = self.advance(feedback.now, newest.is_some());
        let fall = self.rtt_fall(feedback);
        if let Some(newest) = newest {
            self.record_rtt(now, feedback.now.since(newest.sent), newest.size);
            let owd = ack_owd(feedback, newest);
            each(self.sample(now, newest, owd, Source::Ack));
        }
        if self.trust.is_lost() {
            return;
        }
        for packet in feedback.acked {
            if let Some(received) = packet.received {
                let sent = Duration::from_nanos(packet.sent.as_nanos());
                let owd = Owd::from(received) - Owd::from(sent);
                let worth = self.worth(packet, owd, feedback.now, fall);
                if worth != Plausibility::Implausible {
                    self.source = Source::ReceiveTimestamps;
                    self.reported = true;
                    let sample = self.sample(now, packet, owd, self.source);
                    let restarts = worth == Plausibility::ClockStep;
                    each(Sample { restarts, ..sample });
                }
            }
        }
    }

    /// An epoch has ended, and `evidence` says whether receive times can be believed.
    pub fn end_epoch(&mut self, evidence: &Evidence) {
        let reported = std::mem::take(&mut self.reported);
        if self.source != Source::ReceiveTimestamps {
            return;
        }
        self.trust.end_epoch(evidence);
        if self.trust.is_lost() || (!reported && evidence.acked > 0) {
            self.source = Source::Ack;
            self.by_timestamp.clear();
        }
    }

    /// What a packet's RTT has beyond the smallest that its size can have, ACK delay included.
    fn rtt_excess(&self, packet: &Acked, now: Time) -> Option<Owd> {
        let minimum = self.by_ack.get()[self.class_of(packet.size)]?;
        Some(Owd::from(now.since(packet.sent)) - minimum)
    }

    /// By how much the RTT of this ACK is below the smallest so far.
    fn rtt_fall(&self, feedback: &Feedback<'_>) -> Owd {
        let newest = feedback.acked.last();
        let excess = newest.and_then(|newest| self.rtt_excess(newest, feedback.now));
        Owd::ZERO - excess.unwrap_or(Owd::ZERO)
    }

    /// Whether `owd` is compatible with what was measured without the peer's help. If it is not time
    /// after time, a clock was set, and the minima start anew.
    fn worth(&mut self, packet: &Acked, owd: Owd, now: Time, fall: Owd) -> Plausibility {
        let Some(excess) = self.rtt_excess(packet, now) else {
            return Plausibility::Implausible;
        };
        let class = self.class_of(packet.size);
        let minima = self.by_timestamp.get();
        let known = (minima[class], minima.into_iter().flatten().min());
        let worth = self.trust.check(owd, known, excess, fall);
        if worth == Plausibility::ClockStep {
            self.by_timestamp.clear();
            // All of the excess counts as queueing until something lower is seen.
            let base = owd - excess.max(Owd::ZERO);
            let now = Time::from_origin(now.since(self.first.unwrap_or(now)));
            self.by_timestamp.0[class].insert(now, base);
        }
        worth
    }

    /// Moves the windows to `now`, which is returned as they count it.
    fn advance(&mut self, now: Time, sampled: bool) -> Time {
        if sampled {
            self.first.get_or_insert(now);
        }
        let now = Time::from_origin(now.since(self.first.unwrap_or(now)));
        self.by_ack.advance(now);
        self.by_timestamp.advance(now);
        self.rtt_full.advance(now);
        self.rtt_any.advance(now);
        now
    }

    fn record_rtt(&mut self, now: Time, rtt: Duration, size: Bytes) {
        self.rtt_any.insert(now, rtt);
        if self.class_of(size) == CLASSES - 1 {
            self.rtt_full.insert(now, rtt);
        }
    }

    fn sample(&mut self, now: Time, packet: &Acked, owd: Owd, source: Source) -> Sample {
        let class = self.class_of(packet.size);
        let minima = match source {
            Source::Ack => &mut self.by_ack,
            Source::ReceiveTimestamps => &mut self.by_timestamp,
        };
        minima.0[class].insert(now, owd);
        Sample {
            sent: packet.sent,
            owd,
            class,
            source,
            restarts: false,
        }
    }

    /// `ceil(4 * size / max_datagram_size)`, clamped to 1..=4, minus 1.
    fn class_of(&self, size: Bytes) -> usize {
        let quarters = (CLASSES as u64 * size.0).div_ceil(self.max_datagram_size.0.max(1));
        quarters.clamp(1, CLASSES as u64) as usize - 1
    }
}

/// The RTT without the reported ACK delay, which counts up to the peer's `max_ack_delay`
/// (RFC 9002, section 5.3) and not at all if it is longer than the RTT.
fn ack_owd(feedback: &Feedback<'_>, packet: &Acked) -> Owd {
    let rtt = feedback.now.since(packet.sent);
    let ack_delay = feedback.ack_delay.min(feedback.max_ack_delay);
    Owd::from(rtt.checked_sub(ack_delay).unwrap_or(rtt))
}

#[cfg(test)]
mod tests;
