//! The delay: what the path has without a queue, its jitter, and what is left for the queue.

use std::cmp::Reverse;
use std::time::Duration;

use super::super::mechanism::Mechanism;
use super::super::params::Params;
use crate::feedback::Feedback;
use crate::measure::delays::Means;
use crate::measure::epoch::Epoch;
use crate::measure::floor::Floor;
use crate::measure::owd::{OwdMeter, Sample, Source};
use crate::measure::transmission::TransmissionTime;
use crate::measure::window_min::WindowMin;
use crate::units::{Bytes, Owd, Time};

/// What is known of the delay.
#[derive(Debug)]
pub struct Delay {
    meter: OwdMeter,
    /// The delay under the jitter in this epoch, by ACK arrivals and by receive timestamps.
    floors: [Floor; 2],
    /// Whether delays are those of packets that say nothing of the present rate, as long as no
    /// other ones come back.
    waits: bool,
    jitter: Duration,
    ack_jitter: Duration,
    /// Queueing of the return path, where the source can tell.
    return_delay: Duration,
    /// The longest recent queue: the sliding minimum of its `Reverse`.
    longest: WindowMin<Reverse<Owd>>,
    /// RTT to work with before there is a sample: the smallest that loss recovery knows.
    recovery_rtt: Option<Duration>,
}

impl Delay {
    /// Of a path of which nothing is known yet.
    pub fn new(params: &Params, max_datagram_size: Bytes) -> Self {
        let window = params.base_delay_window;
        let meter = OwdMeter::new(window, max_datagram_size);
        Self {
            meter: match params.has(Mechanism::ClockSkew) {
                true => meter.following_skew(),
                false => meter,
            },
            floors: Default::default(),
            waits: false,
            jitter: Duration::ZERO,
            ack_jitter: Duration::ZERO,
            return_delay: Duration::ZERO,
            longest: WindowMin::new(window),
            recovery_rtt: None,
        }
    }

    /// The smallest RTT of the window, or that loss recovery knows.
    #[inline]
    pub fn min_rtt(&self) -> Option<Duration> {
        self.meter.min_rtt().or(self.recovery_rtt)
    }

    /// The same as a delay, which is compared more easily; the longest of all before there is one.
    pub fn least_rtt(&self) -> Owd {
        match self.meter.least_rtt() {
            Owd::LONGEST => self.recovery_rtt.map_or(Owd::LONGEST, Owd::from),
            known => known,
        }
    }

    /// Where one-way delays come from.
    pub fn source(&self) -> Source {
        self.meter.source()
    }

    /// By how much the peer's clock is taken to be fast, in ppm.
    pub fn skew_ppm(&self) -> Option<f64> {
        self.meter.skew_ppm()
    }

    /// J: what delays have above their minimum although there is no queue.
    pub fn jitter(&self) -> Duration {
        self.jitter
    }

    /// That of ACK arrivals, whichever source is in use: rates are those at which ACKs arrive.
    pub fn ack_jitter(&self) -> Duration {
        self.ack_jitter
    }

    /// Queueing of the return path.
    pub fn return_delay(&self) -> Duration {
        self.return_delay
    }

    /// The longest recent queue.
    pub fn longest(&self) -> Option<Owd> {
        self.longest.get().map(|Reverse(longest)| longest)
    }

    /// What of a delay is a queue.
    pub fn queue_of(&self, delta: Owd) -> Owd {
        (delta - Owd::from(self.jitter)).max(Owd::ZERO)
    }

    /// Takes in the smallest RTT that loss recovery knows, and tells whether it is all that is
    /// known.
    #[inline]
    pub fn follow_recovery(&mut self, feedback: &Feedback<'_>) -> bool {
        if feedback.min_rtt.is_some() {
            self.recovery_rtt = feedback.min_rtt;
        }
        self.meter.min_rtt().is_none()
    }

    /// Takes in the delays of a feedback, which may come in `another_span` than the one before.
    /// Those of packets count that were sent `from` then on. While the epoch `waits` for the first
    /// of them, the others show jitter.
    #[inline]
    pub fn record(
        &mut self,
        feedback: &Feedback<'_>,
        another_span: bool,
        (from, waits): (Time, bool),
        epoch: &mut Epoch,
        transmission: &mut TransmissionTime,
    ) {
        self.floors.iter_mut().for_each(Floor::begin_feedback);
        if another_span {
            self.close_spans();
        }
        if self.waits && !waits {
            self.end_waiting();
        }
        let [by_ack, by_timestamp] = &mut self.floors;
        let add = |sample: &Sample, floor: &mut Floor, epoch: &mut Epoch| {
            let counts = sample.sent >= from;
            if counts {
                epoch.add(sample);
            }
            if counts || waits {
                floor.add(sample.above);
            }
        };
        if let Some(sample) = self.meter.record_arrival(feedback) {
            add(&sample, by_ack, epoch);
        }
        self.meter.record_received(feedback, |sample| {
            if sample.restarts {
                transmission.restart_clock();
                epoch.restart_clock();
                by_timestamp.restart_clock();
            }
            transmission.add(&sample);
            add(&sample, by_timestamp, epoch);
        });
    }

    fn close_spans(&mut self) {
        let counts = !self.waits;
        self.floors.iter_mut().for_each(|floor| floor.close(counts));
    }

    /// From now on delays count again. They do not follow those of before: a queue that has grown
    /// begins to drain, and such a bend is no jitter.
    #[cold]
    fn end_waiting(&mut self) {
        self.close_spans();
        self.floors.iter_mut().for_each(Floor::interrupt);
        self.waits = false;
    }

    /// What has come back so far, the latest feedback included, does not count, and nothing will
    /// before something sent from now on is acknowledged.
    pub fn wait(&mut self) {
        self.waits = true;
    }

    /// The newest delay of the latest feedback that counts, by the source in use.
    pub fn newest(&self) -> Option<Owd> {
        let newest = self.floors[self.source() as usize].last();
        newest.filter(|_| !self.waits)
    }

    /// The delay of the epoch under way. DEVIATION: not the mean, which jitter and batches raise.
    pub fn of_epoch(&self, source: Source) -> Option<Owd> {
        let mean = self.floors[source as usize].mean();
        mean.filter(|_| !self.waits)
    }

    /// The mean delays of an epoch.
    pub fn means(&self, epoch: &Epoch) -> Means {
        epoch.means(&self.meter)
    }

    /// Takes in the queue of an epoch that ends at this time since the first one began.
    pub fn add_queue(&mut self, queue: Owd, at: Time) {
        self.longest.advance(at);
        self.longest.insert(Reverse(queue));
    }

    /// What this epoch has shown of a queue is propagation delay: the base delay rises by it.
    pub fn take_for_path(&mut self) {
        let [by_ack, by_timestamp] = &self.floors;
        self.meter.raise(by_ack.mean(), by_timestamp.mean());
        self.close_spans();
        for floor in &mut self.floors {
            floor.interrupt();
            floor.forget_newest();
        }
    }

    /// Whether competing flows keep a queue: no delay is the path's own then, and the minima are
    /// not to be forgotten.
    pub fn pause(&mut self, paused: bool, now: Time) {
        self.meter.pause(paused, now);
    }

    /// Takes in the jitter of an epoch that is over.
    pub fn learn(&mut self, source: Source, means: Means) {
        self.return_delay = means.return_delay(source, self.return_delay);
        self.close_spans();
        self.jitter = self.floors[source as usize].jitter();
        self.ack_jitter = self.floors[Source::Ack as usize].jitter();
    }

    /// Another epoch begins.
    pub fn next_epoch(&mut self, last: &Epoch, means: Means) {
        self.meter.end_epoch(&last.evidence(means));
        self.floors.iter_mut().for_each(Floor::next_epoch);
    }

    /// The path may be another one.
    pub fn forget(&mut self) {
        self.longest.clear();
        self.floors = Default::default();
        (self.jitter, self.ack_jitter) = (Duration::ZERO, Duration::ZERO);
    }

    /// Sizes no longer compare.
    pub fn set_max_datagram_size(&mut self, size: Bytes) {
        self.meter.set_max_datagram_size(size);
        self.floors.iter_mut().for_each(Floor::interrupt);
    }
}
