//! What an ended epoch has shown.

use std::time::Duration;

use super::law::Observed;
use super::update::Met;
use super::Hybrid;
use crate::measure::delays::Means;
use crate::measure::epoch::Epoch;
use crate::measure::owd::Source;
use crate::units::{Owd, Time};

/// An epoch that began with the feedback that ends it lasts as long.
const SHORTEST: Duration = Duration::from_micros(1);

/// What it has shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary {
    pub source: Source,
    pub duration: Duration,
    /// Mean delays by each source.
    pub means: Means,
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
        let duration = epoch.duration(now).max(SHORTEST);
        // DEVIATION: not the mean, which jitter and batches raise.
        let delta = self.floors[source as usize].mean();
        let packets = epoch.lost + epoch.acked_packets;
        self.late.add(epoch.losses(), epoch.loss_reports);
        // Others fill the buffer to its end, so that losses say nothing of this flow's part.
        let competes = self.holds();
        let overwhelmed = delta.is_some() && self.late.overwhelm(self.params.most_loss(), competes);
        Summary {
            source,
            duration,
            means: epoch.means(&self.meter),
            delta,
            seen: delta.map(|delta| Observed {
                delta: self.queueing(delta),
                lost: !competes && epoch.lost as f64 > 2.0 * self.background * packets as f64,
                overwhelmed,
            }),
            startup: self.in_startup(),
            met: self.met(now),
            app_limited: self.app_limited(epoch, duration),
            arriving: self.arriving(epoch, duration),
        }
    }

    /// Whether the application limits. In start-up the rate is that of the epoch's end, so that only what loss recovery has noticed
    /// says something.
    fn app_limited(&self, epoch: &Epoch, duration: Duration) -> bool {
        let tells = epoch.app_limited || !self.in_startup();
        tells && epoch.underuses(self.rate, duration, self.limits.max_datagram_size)
    }
}
