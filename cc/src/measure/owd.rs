//! One-way delay of acknowledged packets, relative to its sliding minimum.

use std::time::Duration;

use super::window_min::WindowMin;
use crate::controller::{Acked, Feedback, Space};
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
}

/// Smallest one-way delay of each size class.
///
/// Serialisation is part of the delay, so only packets of like size compare: at 1 Mbit/s an empty packet is 10 ms
/// faster than a full one. A larger packet is never faster than a smaller one, so a class's minimum is
/// also bounded by those of the larger classes.
#[derive(Debug, Clone)]
pub struct OwdMeter {
    source: Source,
    /// When the first sample came; the windows count from there.
    first: Option<Time>,
    minima: [WindowMin<Owd>; CLASSES],
    rtt_full: WindowMin<Duration>,
    rtt_any: WindowMin<Duration>,
    max_datagram_size: Bytes,
}

impl OwdMeter {
    /// A meter whose minima hold for `window`.
    pub fn new(window: Duration, max_datagram_size: Bytes) -> Self {
        Self {
            source: Source::Ack,
            first: None,
            minima: std::array::from_fn(|_| WindowMin::new(window)),
            rtt_full: WindowMin::new(window),
            rtt_any: WindowMin::new(window),
            max_datagram_size,
        }
    }

    /// The maximum datagram size has changed: sizes no longer compare, so the minima start anew.
    pub fn set_max_datagram_size(&mut self, size: Bytes) {
        if size != self.max_datagram_size {
            self.max_datagram_size = size;
            self.minima.iter_mut().for_each(WindowMin::clear);
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

    /// The smallest one-way delay of every class, with what larger classes say about it.
    pub fn minima(&self) -> [Option<Owd>; CLASSES] {
        let mut minima = [None; CLASSES];
        let mut larger: Option<Owd> = None;
        for class in (0..CLASSES).rev() {
            let own = self.minima[class].get();
            larger = [own, larger].into_iter().flatten().min();
            minima[class] = larger;
        }
        minima
    }

    /// Takes the samples out of `feedback` and hands each to `each`.
    pub fn record(&mut self, feedback: &Feedback<'_>, mut each: impl FnMut(Sample)) {
        if feedback.space != Space::Application {
            return;
        }
        let newest = feedback
            .rtt_sampled
            .then(|| feedback.acked.last())
            .flatten();
        let now = self.advance(feedback.now, newest.is_some());
        if let Some(newest) = newest {
            self.record_rtt(now, feedback.now.since(newest.sent), newest.size);
        }
        if feedback
            .acked
            .iter()
            .any(|packet| packet.received.is_some())
        {
            self.switch_to(Source::ReceiveTimestamps);
            for packet in feedback.acked {
                if let Some(received) = packet.received {
                    let sent = Duration::from_nanos(packet.sent.as_nanos());
                    let owd = Owd::from(received) - Owd::from(sent);
                    each(self.sample(now, packet, owd));
                }
            }
        } else if let (Source::Ack, Some(newest)) = (self.source, newest) {
            let owd = ack_owd(feedback, newest);
            each(self.sample(now, newest, owd));
        }
    }

    /// No receive times came although packets were acknowledged: go back to ACK arrivals.
    pub fn give_up_timestamps(&mut self) {
        self.switch_to(Source::Ack);
    }

    fn switch_to(&mut self, source: Source) {
        if source != self.source {
            self.source = source;
            // The offset of the clocks differs, so the old minima mean nothing.
            self.minima.iter_mut().for_each(WindowMin::clear);
        }
    }

    /// Moves the windows to `now`, which is returned as they count it.
    fn advance(&mut self, now: Time, sampled: bool) -> Time {
        if sampled {
            self.first.get_or_insert(now);
        }
        let now = Time::from_origin(now.since(self.first.unwrap_or(now)));
        self.minima
            .iter_mut()
            .for_each(|minimum| minimum.advance(now));
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

    fn sample(&mut self, now: Time, packet: &Acked, owd: Owd) -> Sample {
        let class = self.class_of(packet.size);
        self.minima[class].insert(now, owd);
        Sample {
            sent: packet.sent,
            owd,
            class,
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
