//! Metrics of a record.

use std::time::Duration;

use super::metric::{link, Metric, Of};
use super::quantity::{Quantity, Reduction};
use crate::record::{FlowRecord, LinkRecord, Record};
use crate::scenario::Scenario;
use crate::stats::fairness::{convergence_time, jain, shares, Party};
use crate::stats::media::MediaStats;
use crate::stats::rate::{bps, Counted};
use crate::stats::{LinkStats, Samples, Window};

/// A run with what happened in it.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// What was run.
    pub scenario: &'a Scenario,
    /// What happened.
    pub record: &'a Record,
}

impl Run<'_> {
    /// The metric in each of its windows, in base units; `None` where nothing was there to be measured.
    ///
    /// # Panics
    /// If the metric does not fit the scenario, see [`Metric::check`].
    pub fn measure(&self, metric: &Metric) -> Vec<Option<f64>> {
        self.windows(metric)
            .into_iter()
            .map(|window| self.in_window(metric, window))
            .collect()
    }

    /// The metric in each bin of its first window, in base units, at the middle of the bin in seconds. The gap of a bin
    /// without anything to measure is not a number.
    pub fn over_time(&self, metric: &Metric, every: Duration) -> Vec<(f64, f64)> {
        let window = self.windows(metric).into_iter().next();
        let bins = window.into_iter().flat_map(|window| window.bins(every));
        bins.map(|bin| {
            let middle = bin.from() + bin.span() / 2;
            let value = self.in_window(metric, bin);
            (middle.as_secs_f64(), value.unwrap_or(f64::NAN))
        })
        .collect()
    }

    /// The distribution function of the quantity's samples in the first window: steps of half a percent.
    pub fn distribution(&self, metric: &Metric) -> Vec<(f64, f64)> {
        let window = self.windows(metric).into_iter().next();
        let Some(samples) = window.and_then(|window| self.samples(metric, window)) else {
            return Vec::new();
        };
        let steps = (0..=200).map(|step| f64::from(step) / 2.0);
        steps
            .map(|percent| (samples.percentile(percent), percent / 100.0))
            .collect()
    }

    fn windows(&self, metric: &Metric) -> Vec<Window> {
        metric
            .windows(self.scenario)
            .expect("the metric was checked")
    }

    fn in_window(&self, metric: &Metric, window: Window) -> Option<f64> {
        if let Of::Link(name) = &metric.of {
            let place = link(self.scenario, name).expect("the metric was checked");
            return of_link(metric, &self.record.links[place], window);
        }
        match metric.quantity {
            quantity if quantity.is_of_shares() && metric.reduction.is_none() => {
                self.fairness(metric, window)
            }
            Quantity::ConvergenceTime => {
                let parties = self.parties(metric);
                convergence_time(&parties, window, &metric.equality())
                    .map(|span| span.as_secs_f64())
            }
            Quantity::SettlingTime => self.settling_time(metric, window),
            Quantity::Loss | Quantity::Losses | Quantity::Marks => self.packets(metric, window),
            Quantity::Silence => Some(self.silence(metric, window)),
            Quantity::FrozenShare | Quantity::EncodedRate => self.media(metric, window),
            Quantity::Goodput | Quantity::Throughput | Quantity::SendingRate
                if metric.reduction.is_none() =>
            {
                let window = self.own_time(metric, window)?;
                Some(self.rate(metric, window))
            }
            _ => reduce(&self.samples(metric, window)?, metric.reduction?),
        }
    }

    fn flows(&self, metric: &Metric) -> Vec<&FlowRecord> {
        let places = metric.flows(self.scenario).expect("the metric was checked");
        places
            .into_iter()
            .map(|place| &self.record.flows[place])
            .collect()
    }

    fn parties(&self, metric: &Metric) -> Vec<Party<'_>> {
        let places = metric.flows(self.scenario).expect("the metric was checked");
        let party = |place: usize| {
            let active = Window::of_flow(&self.scenario.flows[place])?;
            let record = &self.record.flows[place];
            Some(Party { record, active })
        };
        places.into_iter().filter_map(party).collect()
    }

    /// The part of `window` in which any of the flows is meant to be active.
    fn own_time(&self, metric: &Metric, window: Window) -> Option<Window> {
        let parties = self.parties(metric);
        let from = parties.iter().map(|party| party.active.from()).min()?;
        let to = parties.iter().map(|party| party.active.to()).max()?;
        window.and(Window::new(from, to)?)
    }

    fn rate(&self, metric: &Metric, window: Window) -> f64 {
        let counted = counted(metric.quantity);
        self.flows(metric)
            .into_iter()
            .map(|flow| bps(flow, counted, window))
            .sum()
    }

    fn fairness(&self, metric: &Metric, window: Window) -> Option<f64> {
        let shares = shares(&self.parties(metric), window)?;
        match metric.quantity {
            Quantity::Jain => jain(&shares),
            Quantity::SmallestShare => shares.into_iter().reduce(f64::min),
            Quantity::ShareRatio => {
                let smallest = shares.iter().copied().reduce(f64::min)?;
                Some(shares.into_iter().reduce(f64::max)? / smallest)
            }
            _ => shares.into_iter().reduce(f64::max),
        }
    }

    /// The rate has settled where it stays, until the end of the window, within the tolerance of its mean over the last
    /// quarter.
    fn settling_time(&self, metric: &Metric, window: Window) -> Option<f64> {
        let last = window.last(window.span() / 4);
        let wanted = self.rate(
            &Metric {
                quantity: Quantity::Throughput,
                ..metric.clone()
            },
            last,
        );
        let near = |bin: &Window| {
            let rate: f64 = self
                .flows(metric)
                .iter()
                .map(|flow| bps(flow, Counted::Throughput, *bin))
                .sum();
            (rate - wanted).abs() <= metric.tolerance * wanted
        };
        let bins: Vec<Window> = window.bins(metric.every).collect();
        let settled = bins.iter().rev().take_while(|bin| near(bin)).last()?;
        Some(settled.from().since(window.from()).as_secs_f64())
    }

    fn packets(&self, metric: &Metric, window: Window) -> Option<f64> {
        let (mut arrived, mut lost, mut marked) = (0usize, 0usize, 0usize);
        for flow in self.flows(metric) {
            let deliveries = window.cut(&flow.deliveries, |delivery| delivery.at);
            arrived += deliveries.len();
            marked += deliveries.iter().filter(|delivery| delivery.ce).count();
            lost += window.cut(&flow.losses, |loss| loss.at).len();
        }
        match metric.quantity {
            Quantity::Losses => Some(lost as f64),
            Quantity::Loss => share(lost, arrived + lost),
            _ => share(marked, arrived),
        }
    }

    /// The mean of all flows of live media.
    fn media(&self, metric: &Metric, window: Window) -> Option<f64> {
        let places = metric.flows(self.scenario).expect("the metric was checked");
        let number = |place: usize| {
            let (decl, flow) = (&self.scenario.flows[place], &self.record.flows[place]);
            let stats = MediaStats::of_flow(decl, flow, window)?;
            match metric.quantity {
                Quantity::FrozenShare => Some(stats.frozen_share),
                _ => stats.encoded_bps,
            }
        };
        Some(Samples::of(places.into_iter().filter_map(number))?.mean())
    }

    /// From one arrival to the next, the ends of the window counting as arrivals.
    fn silence(&self, metric: &Metric, window: Window) -> f64 {
        let flows = self.flows(metric);
        let arrivals = |flow: &&FlowRecord| {
            let deliveries = window.cut(&flow.deliveries, |delivery| delivery.at);
            deliveries.iter().map(|d| d.at).collect::<Vec<_>>()
        };
        let mut at: Vec<_> = flows.iter().flat_map(arrivals).collect();
        at.extend([window.from(), window.to()]);
        at.sort_unstable();
        let gaps = at.windows(2).map(|pair| pair[1].since(pair[0]));
        gaps.max().unwrap_or_default().as_secs_f64()
    }

    /// The samples of all flows together. Times are in seconds.
    fn samples(&self, metric: &Metric, window: Window) -> Option<Samples> {
        let flows = self.flows(metric);
        let deliveries = || {
            flows
                .iter()
                .flat_map(|flow| window.cut(&flow.deliveries, |d| d.at))
        };
        let states = || {
            flows
                .iter()
                .flat_map(|flow| window.cut(&flow.samples, |s| s.at))
        };
        match metric.quantity {
            Quantity::QueueingDelay => Samples::of(deliveries().map(|d| d.queueing.as_secs_f64())),
            Quantity::OneWayDelay => Samples::of(deliveries().map(|d| d.one_way.as_secs_f64())),
            Quantity::Rtt => Samples::of(states().map(|state| state.rtt.as_secs_f64())),
            Quantity::Window => Samples::of(states().map(|state| state.window as f64)),
            Quantity::WindowPackets => {
                let full = f64::from(self.scenario.datagram);
                Samples::of(states().map(|state| state.window as f64 / full))
            }
            Quantity::WindowRate => {
                let known = states().filter(|state| !state.rtt.is_zero());
                Samples::of(known.map(|state| state.window as f64 * 8.0 / state.rtt.as_secs_f64()))
            }
            Quantity::CompletionTime => {
                let pages = flows
                    .iter()
                    .flat_map(|flow| window.cut(&flow.completions, |page| page.1));
                Samples::of(pages.map(|(begin, end)| end.since(*begin).as_secs_f64()))
            }
            Quantity::AudioDelay => {
                let media = flows.iter().filter_map(|flow| flow.media.as_ref());
                let heard = media.flat_map(|media| window.cut(&media.heard, |unit| unit.done));
                Samples::of(heard.map(|unit| unit.done.since(unit.made).as_secs_f64()))
            }
            quantity if quantity.is_of_shares() => {
                let bins = window.bins(metric.every);
                Samples::of(bins.filter_map(|bin| self.fairness(metric, bin)))
            }
            _ => {
                let window = self.own_time(metric, window)?;
                Samples::of(window.bins(metric.every).map(|bin| self.rate(metric, bin)))
            }
        }
    }
}

fn of_link(metric: &Metric, link: &LinkRecord, window: Window) -> Option<f64> {
    if let (Quantity::Throughput, Some(reduction)) = (metric.quantity, metric.reduction) {
        let bins = window.bins(metric.every);
        let rates = Samples::of(bins.filter_map(|bin| LinkStats::of(link, bin).throughput_bps));
        return reduce(&rates?, reduction);
    }
    let stats = LinkStats::of(link, window);
    match metric.quantity {
        Quantity::Utilisation => stats.utilisation,
        Quantity::Throughput => stats.throughput_bps,
        Quantity::Loss => stats.loss_share,
        Quantity::Losses => Some(stats.lost_packets.all() as f64),
        Quantity::Marks => share(
            stats.marked_packets as usize,
            stats.arrived_packets as usize,
        ),
        Quantity::Queue => match metric.reduction? {
            Reduction::Mean => Some(stats.queue_packets.mean),
            Reduction::Sd => Some(stats.queue_packets.sd),
            _ => Some(stats.queue_packets.max.into()),
        },
        _ => None,
    }
}

fn reduce(samples: &Samples, reduction: Reduction) -> Option<f64> {
    Some(match reduction {
        Reduction::Mean => samples.mean(),
        Reduction::Sd => samples.sd(),
        Reduction::Min => samples.percentile(0.0),
        Reduction::Max => samples.percentile(100.0),
        Reduction::Percentile(percent) => samples.percentile(percent),
    })
}

fn counted(quantity: Quantity) -> Counted {
    match quantity {
        Quantity::Goodput => Counted::Goodput,
        Quantity::SendingRate => Counted::Sending,
        _ => Counted::Throughput,
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
