//! What is known of the path, in components that each have one thing to know.

pub mod ack_gap;
pub mod counting;
pub mod delay;
pub mod delivery;
pub mod excessive;
pub mod link;
pub mod loss;
pub mod observe;
pub mod seen;

use std::cmp::Reverse;
use std::time::Duration;

use self::ack_gap::AckGap;
use self::counting::Counting;
use self::delay::Delay;
use self::delivery::Delivery;
use self::link::Link;
use self::loss::Losses;
use self::seen::Seen;
use super::params::Params;
use super::thresholds::Thresholds;
use crate::controller::Start;
use crate::controllers::bounds::{self, bounded};
use crate::feedback::{Feedback, Space};
use crate::measure::batch::Batch;
use crate::measure::epoch::Epoch;
use crate::measure::owd::Source;
use crate::measure::persistent::Blackout;
use crate::measure::spans::Spans;
use crate::measure::train::Trains;
use crate::measure::transmission::TransmissionTime;
use crate::measure::window_min::WindowMin;
use crate::units::{Bytes, Owd, Rate, Time};

/// Times T: jitter that is longer could have made it. Less of it is the queue of competing flows,
/// which moves between spans, too.
const SPOILT: u32 = 8;

/// The model of one path.
#[derive(Debug)]
pub struct Model {
    pub delay: Delay,
    pub delivery: Delivery,
    pub losses: Losses,
    pub ack_gap: AckGap,
    transmission: TransmissionTime,
    blackout: Blackout,
    /// The epoch under way.
    epoch: Option<Epoch>,
    counting: Counting,
    batch: Batch,
    trains: Trains,
    /// When the first epoch began.
    began: Option<Time>,
    /// The largest rate that was used in the last seconds in which nobody else kept a queue: the
    /// sliding minimum of its `Reverse`, in bit/s.
    largest_used: WindowMin<Reverse<u64>>,
    /// The longest L since the first epoch, or since the path was last found interrupted, new or
    /// longer.
    longest_length: Duration,
    /// Whether the application limited the epoch before.
    limited_before: bool,
    packet: Bytes,
    initial_rtt: Duration,
    basis: Basis,
    /// Those of the epoch under way, of length L as of `basis`.
    spans: Spans,
}

/// What L and the decision depend on. It rarely changes within an epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Basis {
    rtt: Owd,
    /// What is known of T.
    transmission: u32,
    source: Option<Source>,
}

impl Model {
    /// Of a path of which nothing is known yet.
    pub fn new(params: &Params, start: Start) -> Self {
        let mut model = Self {
            delay: Delay::new(params, start.max_datagram_size),
            delivery: Delivery::default(),
            losses: Losses::default(),
            ack_gap: AckGap::default(),
            transmission: TransmissionTime::default(),
            blackout: Blackout::new(start.initial_rtt),
            epoch: None,
            counting: Counting::default(),
            batch: Batch::default(),
            trains: Trains::default(),
            began: None,
            largest_used: WindowMin::new(params.base_delay_window),
            longest_length: Duration::ZERO,
            limited_before: false,
            packet: start.max_datagram_size,
            initial_rtt: start.initial_rtt,
            basis: Basis::default(),
            spans: Spans::of(start.initial_rtt),
        };
        model.follow();
        model
    }

    /// L: the smallest RTT of full-sized packets, and before any the best guess.
    pub fn length(&self) -> Duration {
        bounds::round_trip(self.delay.min_rtt(), self.initial_rtt)
    }

    /// Size of a full packet.
    pub fn packet(&self) -> Bytes {
        self.packet
    }

    /// The epoch under way.
    pub fn epoch(&self) -> Option<&Epoch> {
        self.epoch.as_ref()
    }

    /// The slowest link, as far as it can be believed. The receiver may lie about it: L contains
    /// the transmission of a full packet, so it is no more than that. What receive timestamps have
    /// shown does not count once they are not used, nor where jitter could have shown it.
    pub fn link(&self) -> Link {
        let transmission = self.transmission.get().min(self.length());
        let known = self.delay.source() == Source::ReceiveTimestamps
            && self.delay.jitter() <= transmission * SPOILT;
        Link::new(
            self.packet,
            if known { transmission } else { Duration::ZERO },
            self.transmission.is_dispersed(),
        )
    }

    /// What the slowest link carries, if at least one packet train has shown it.
    pub fn shown_rate(&self) -> Option<Rate> {
        let shown = self.transmission.is_shown();
        shown.then(|| self.link().rate()).flatten()
    }

    /// T as it was measured; zero while unknown.
    pub fn transmission(&self) -> Duration {
        self.transmission.get()
    }

    /// The thresholds of a flow with this rate.
    #[inline]
    pub fn thresholds(&self, params: &Params, rate: Rate) -> Thresholds {
        Thresholds::new(params, rate, self.packet, self.delay.longest())
    }

    /// The largest rate that was recently used while nobody else kept a queue.
    pub fn used_rate(&self) -> Rate {
        let largest = self.largest_used.get();
        Rate::from_bps(largest.map_or(0, |Reverse(bps)| bps) as f64)
    }

    /// Whether there was persistent congestion in the epoch under way, or before the first.
    pub fn has_blackout(&self) -> bool {
        self.blackout.seen()
    }

    /// Ack-eliciting bytes have left.
    pub fn on_sent(&mut self, size: Bytes) {
        if let Some(epoch) = &mut self.epoch {
            epoch.sent = epoch.sent + size;
        }
    }

    /// The application has nothing to send.
    pub fn on_app_limited(&mut self) {
        if let Some(epoch) = &mut self.epoch {
            epoch.app_limited = true;
        }
    }

    /// Whether it had not enough in the epoch before.
    pub fn was_app_limited(&self) -> bool {
        self.limited_before
    }

    /// Packets have another size: what depends on sizes is unknown.
    pub fn on_max_datagram_size(&mut self, size: Bytes) {
        if size == self.packet {
            return;
        }
        self.packet = size;
        self.delay.set_max_datagram_size(size);
        self.transmission.restart();
    }

    /// Takes in what has changed of the path, and tells whether something has.
    #[inline]
    pub fn follow(&mut self) -> bool {
        let basis = Basis {
            rtt: self.delay.least_rtt(),
            transmission: self.transmission.version(),
            source: Some(self.delay.source()),
        };
        let changed = basis != self.basis;
        if changed {
            self.basis = basis;
            self.spans.cut(self.length());
        }
        changed
    }

    /// Takes in a feedback while packets leave at `rate`; the window had room for another packet up
    /// to so many bytes in flight. Called from one place, with every ACK.
    #[inline(always)]
    pub fn record(&mut self, feedback: &Feedback<'_>, rate: Rate, room_up_to: Bytes) {
        self.blackout.record(feedback);
        debug_assert!(self.spans.fit(self.length()));
        let first = self.epoch.is_none();
        if first {
            self.spans.begin(feedback.now);
        }
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(feedback.now));
        epoch.begin_feedback();
        // Losses alone bring no delay that could belong to another span.
        let another_span = !feedback.acked.is_empty() && self.spans.change(feedback.now);
        let from = self.counting.from();
        let waits = self.counting.waits_beyond(feedback);
        let transmission = &mut self.transmission;
        self.delay
            .record(feedback, another_span, (from, waits), epoch, transmission);
        if feedback.space == Space::Application {
            let acked = feedback.acked_bytes();
            if let Some(marks) = self.batch.record(feedback, acked) {
                let bounds = (self.packet, self.spans.length());
                self.trains.record(marks, acked, rate, bounds);
            }
            epoch.arrived = epoch.arrived + acked;
            count(epoch, feedback, from, room_up_to);
            if let Some(oldest) = feedback.acked.first() {
                let round_trip = feedback.now.counted_from(oldest.sent);
                epoch.on_ack(feedback.now, || self.spans.exceeded_by(round_trip));
            }
        }
        if first {
            // The first epoch begins with the first sample.
            let sampled = epoch.samples(Source::Ack) + epoch.samples(Source::ReceiveTimestamps);
            if sampled == 0 {
                (self.epoch, self.trains) = Default::default();
            }
        }
    }

    /// Whether this feedback is the first that shows what has become of a decrease.
    pub fn shows_decrease(&self, feedback: &Feedback<'_>) -> bool {
        self.counting.ends_with(feedback)
    }

    /// The samples of packets that were sent before the decrease are over.
    pub fn end_waiting(&mut self) {
        self.counting.end();
    }

    /// Whether the epoch under way is as long as L.
    pub fn is_epoch_over(&self, now: Time) -> bool {
        self.spans.are_over(now)
    }

    /// Only what is sent from now on says something about the rate.
    pub fn expect(&mut self, now: Time) {
        self.counting.begin(now);
        self.forget_samples();
        self.delay.wait();
        self.losses.forget_recent();
    }

    /// What the latest feedback, with which the epoch under way began, has shown of the delay says
    /// nothing.
    fn forget_samples(&mut self) {
        if let Some(epoch) = &mut self.epoch {
            epoch.forget_samples();
        }
    }

    /// This epoch is over, and what follows from it is known.
    pub fn next_epoch(&mut self, epoch: &Epoch, seen: &Seen, feedback: &Feedback<'_>) {
        if seen.interrupted {
            self.transmission.restart();
        }
        self.delay.next_epoch(epoch, seen.means);
        self.blackout.next_epoch(feedback);
    }

    /// What the delays of an epoch have shown of jitter and of the return path.
    pub fn learn_delay(&mut self, seen: &Seen) {
        self.delay.learn(seen.source, seen.means);
    }

    /// The nearest rate within the bounds of this path.
    pub fn bounded(&self, rate: Rate) -> Rate {
        bounded(rate, self.packet, self.length())
    }

    /// What the epoch that has ended took for a queue is the path's.
    pub fn take_queue_for_path(&mut self) {
        self.longest_length = Duration::ZERO;
        self.delay.take_for_path();
        self.forget_samples();
    }

    /// What the flow used says nothing of what the link carries now.
    pub fn forget_rates(&mut self) {
        self.largest_used.clear();
    }

    /// What the flow had before competing flows kept a queue. They may still do so where the path
    /// was interrupted for this flow only.
    pub fn remember_used(&mut self, had: Option<Rate>, now: Time) {
        if let Some((had, began)) = had.zip(self.began) {
            self.largest_used.advance(now.counted_from(began));
            self.largest_used.insert(Reverse(had.bps() as u64));
        }
    }

    /// The path may be another one. The base delay stays, and is looked at anew; so do the return
    /// delay and how packets and ACKs come in batches. T goes with the next epoch.
    pub fn forget_path(&mut self) {
        self.forget_rates();
        self.longest_length = Duration::ZERO;
        self.delivery = Delivery::default();
        self.losses = Losses::default();
        self.ack_gap = AckGap::default();
        self.delay.forget();
    }
}

fn count(epoch: &mut Epoch, feedback: &Feedback<'_>, from: Time, room_up_to: Bytes) {
    epoch.window_full |= feedback.in_flight > room_up_to;
    if !feedback.lost.is_empty() {
        epoch.lost_total += feedback.lost.len() as u64;
        let lost = feedback.lost.iter().filter(|p| p.sent >= from).count() as u64;
        epoch.lost += lost;
        epoch.loss_reports += lost.min(1);
    }
    epoch.acked_packets += feedback.acked.len() as u64;
}
