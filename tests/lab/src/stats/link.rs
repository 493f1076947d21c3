//! What is said about a link in a window.

use std::time::Duration;

use quiche_cc_bottleneck::{Counters, Time};
use serde::Serialize;

use super::flow::{share, Lost};
use super::Window;
use crate::record::{LinkRecord, LinkSample};

/// Packets that wait, without the one in service; weighted by time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct QueueStats {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// The most.
    pub max: u32,
}

impl QueueStats {
    /// Of a queue that changed at these instants, in order, and was empty before.
    pub fn of(changes: &[(Time, u32)], window: Window) -> Self {
        let known = changes.partition_point(|(at, _)| *at <= window.from());
        let mut packets = known.checked_sub(1).map_or(0, |last| changes[last].1);
        let (mut at, mut max) = (window.from(), packets);
        let (mut first, mut second) = (0u128, 0u128);
        let mut pass = |span: Duration, packets: u32| {
            let area = span.as_nanos() * u128::from(packets);
            first += area;
            second += area * u128::from(packets);
        };
        for &(change, next) in changes[known..]
            .iter()
            .take_while(|(t, _)| *t < window.to())
        {
            pass(change.since(at), packets);
            (at, packets) = (change, next);
            max = max.max(packets);
        }
        pass(window.to().since(at), packets);
        let span = window.span().as_nanos() as f64;
        let mean = first as f64 / span;
        let variance = second as f64 / span - mean * mean;
        Self {
            mean,
            sd: variance.max(0.0).sqrt(),
            max,
        }
    }
}

/// A link in a window. Packets of all flows and both directions count.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkStats {
    /// Share of the time in which the link was sending (0 to 1).
    pub utilisation: Option<f64>,
    /// Bit/s that left it at its far end.
    pub throughput_bps: Option<f64>,
    /// Packets that waited.
    pub queue_packets: QueueStats,
    /// Packets that came.
    pub arrived_packets: u64,
    /// Packets that it lost.
    pub lost_packets: Lost,
    /// Of the packets that left it or were lost, the lost ones (0 to 1).
    pub loss_share: Option<f64>,
    /// Packets that it marked congestion experienced.
    pub marked_packets: u64,
}

impl LinkStats {
    /// Of `link` in `window`.
    ///
    /// The queue is known at every instant. Counters and the time spent sending are known where the link was sampled; in between,
    /// the time is interpolated and the counters are those of the last sample before. A window whose edges are multiples
    /// of the scenario's interval is exact.
    pub fn of(link: &LinkRecord, window: Window) -> Self {
        let [begin, end] = [window.from(), window.to()].map(|at| counters(&link.samples, at));
        let lost = Lost {
            overflow: end.lost_overflow.packets - begin.lost_overflow.packets,
            discipline: end.lost_discipline.packets - begin.lost_discipline.packets,
            wire: end.lost_wire.packets - begin.lost_wire.packets,
        };
        let delivered = end.delivered.packets - begin.delivered.packets;
        let bytes = end.delivered.bytes - begin.delivered.bytes;
        let seconds = window.span().as_secs_f64();
        let sampled = link.samples.len() > 1;
        Self {
            utilisation: sampled.then(|| utilisation(&link.samples, window)),
            throughput_bps: sampled.then(|| bytes as f64 * 8.0 / seconds),
            queue_packets: QueueStats::of(&link.queue, window),
            arrived_packets: end.arrived.packets - begin.arrived.packets,
            lost_packets: lost,
            loss_share: share(lost.all(), delivered + lost.all()),
            marked_packets: end.marked.packets - begin.marked.packets,
        }
    }
}

/// Totals at the last sample until `at`.
fn counters(samples: &[LinkSample], at: Time) -> Counters {
    let known = samples.partition_point(|sample| sample.at <= at);
    let last = known
        .checked_sub(1)
        .map(|last| samples[last].counters.clone());
    last.unwrap_or_default()
}

fn utilisation(samples: &[LinkSample], window: Window) -> f64 {
    let busy = busy_seconds(samples, window.to()) - busy_seconds(samples, window.from());
    busy / window.span().as_secs_f64()
}

/// Time spent sending until `at`, between samples on a straight line.
fn busy_seconds(samples: &[LinkSample], at: Time) -> f64 {
    let next = samples.partition_point(|sample| sample.at < at);
    let Some(before) = next.checked_sub(1).map(|last| &samples[last]) else {
        return 0.0;
    };
    let Some(after) = samples.get(next) else {
        return before.busy.as_secs_f64();
    };
    let way = at.since(before.at).as_secs_f64() / after.at.since(before.at).as_secs_f64();
    let (begin, end) = (before.busy.as_secs_f64(), after.busy.as_secs_f64());
    begin + (end - begin) * way
}
