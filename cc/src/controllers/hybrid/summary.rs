//! What an ended epoch has shown.

use std::time::Duration;

use super::law::Observed;
use super::update::Met;
use super::{Hybrid, Statistic};
use crate::measure::epoch::Epoch;
use crate::measure::owd::{Minima, Source};
use crate::measure::trend::{trend, Trend};
use crate::units::{Owd, Time};

/// An epoch that used less of its rate, because the application had no more, does not raise it.
const USED_SHARE: f64 = 0.8;
/// An epoch that began with the feedback that ends it lasts as long.
const SHORTEST: Duration = Duration::from_micros(1);

/// What it has shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary {
    pub source: Source,
    pub duration: Duration,
    pub trend: Trend,
    /// Mean delays by each source.
    pub by_ack: Option<Owd>,
    pub by_timestamp: Option<Owd>,
    /// What stands for its delays, if there were any.
    pub delta: Option<Owd>,
    pub seen: Option<Observed>,
    pub startup: bool,
    /// What start-up has met.
    pub met: Met,
    pub app_limited: bool,
    /// What of its duration counts for the rate of arrival: not the time in which the path stood still.
    pub arriving: Duration,
}

impl Summary {
    /// Whether nothing came back for long.
    pub fn stalled(&self) -> bool {
        self.arriving < self.duration
    }
}

impl Hybrid {
    /// What an epoch has shown.
    pub(super) fn summary(&mut self, epoch: &Epoch, now: Time) -> Summary {
        let source = self.meter.source();
        let minima = self.meter.minima(source);
        let duration = epoch.duration(now).max(SHORTEST);
        let trend = self.trend(epoch, &minima);
        let mean_by = |source| epoch.mean(source, &self.meter.minima(source));
        let (by_ack, by_timestamp) = (mean_by(Source::Ack), mean_by(Source::ReceiveTimestamps));
        let mean = match source {
            Source::Ack => by_ack,
            Source::ReceiveTimestamps => by_timestamp,
        };
        let delta = match self.params.delay {
            Statistic::Mean => mean,
            Statistic::Least => self.floors[source as usize].mean(),
        };
        let packets = epoch.lost + epoch.acked_packets;
        self.late.add(epoch.losses(), epoch.loss_reports);
        // Others fill the buffer to its end, so that losses say nothing of this flow's part.
        let competes = !self.standing.queue.is_zero();
        let overwhelmed = delta.is_some() && self.late.overwhelm(self.params.losscap, competes);
        Summary {
            source,
            duration,
            trend,
            by_ack,
            by_timestamp,
            delta,
            seen: delta.map(|delta| Observed {
                delta: self.queueing(delta),
                trend,
                lost: !competes && epoch.lost as f64 > 2.0 * self.background * packets as f64,
                overwhelmed,
            }),
            startup: self.in_startup(),
            met: self.met(now),
            app_limited: self.app_limited(epoch, duration),
            arriving: self.arriving(epoch, duration),
        }
    }

    /// What ACK arrivals show beyond the receive times, or what they last have shown.
    pub(super) fn return_delay_of(&self, summary: &Summary) -> Duration {
        if summary.source == Source::Ack {
            return Duration::ZERO;
        }
        match (summary.by_ack, summary.by_timestamp) {
            // Below zero are only delays from before the minima started anew or rose.
            (Some(by_ack), Some(by_timestamp)) => {
                (by_ack - by_timestamp.max(Owd::ZERO)).to_duration()
            }
            _ => self.return_delay,
        }
    }

    fn trend(&self, epoch: &Epoch, minima: &Minima) -> Trend {
        if !self.params.trend {
            return Trend::Unknown;
        }
        let delays = |range| epoch.course(range, minima);
        let floor = self.thresholds().d1 / 4;
        trend(epoch.course_length(), delays, floor)
    }

    /// Whether a good part of the rate was left unused, and not because the window was full. Loss recovery does not notice an
    /// application that has nothing at all to send. In start-up the rate is that of the epoch's end, which says nothing of it.
    fn app_limited(&self, epoch: &Epoch, duration: Duration) -> bool {
        let used = USED_SHARE * self.rate.over(duration);
        if epoch.app_limited {
            return (epoch.sent.0 as f64) < used;
        }
        // A packet more may have left a moment later.
        let one_more = epoch.sent + self.limits.max_datagram_size;
        !epoch.window_full && !self.in_startup() && (one_more.0 as f64) < used
    }
}
