//! A flow in the summary.

use std::time::Duration;

use quiche_cc_bottleneck::Time;
use serde::Serialize;

use crate::record::FlowRecord;
use crate::scenario::{FlowDecl, Transport};
use crate::stats::media::MediaStats;
use crate::stats::rate::{over_time, Counted};
use crate::stats::{millis, Distribution, FlowStats, Samples, Window};

/// Width of the bins of [`FlowSummary::goodput_1s_bps`].
const BIN: Duration = Duration::from_secs(1);

/// A flow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowSummary {
    /// Its name.
    pub name: String,
    /// Its controller; `None` if it is not QUIC.
    pub cc: Option<String>,
    /// Round-trip time of its idle path, serialisation left out.
    pub base_rtt_ms: f64,
    /// When its statistics begin, in seconds: with the flow or with the end of the warm-up. `None` if it is not active after the
    /// warm-up.
    pub from_s: Option<f64>,
    /// When they end, in seconds.
    pub to_s: Option<f64>,
    /// From its start until the server's handshake was complete.
    pub handshake_ms: Option<f64>,
    /// When and why the connection ended before its time.
    pub ended: Option<Ended>,
    /// Of the time in which it is measured.
    #[serde(flatten)]
    pub stats: Option<FlowStats>,
    /// Bit/s that the application read in each whole second of that.
    pub goodput_1s_bps: Option<Distribution>,
    /// Of live media whose encoder follows the rate.
    pub media: Option<MediaStats>,
    /// Packets that the sender took for lost over its whole life.
    pub declared_lost_packets: Option<u64>,
    /// Of these, the ones that arrived.
    pub spuriously_lost_packets: Option<u64>,
}

/// The end of a connection before its time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ended {
    /// When, in seconds.
    pub at_s: f64,
    /// Why.
    pub reason: String,
}

impl FlowSummary {
    /// Of this flow, `cc` being the controller under test.
    pub fn of(decl: &FlowDecl, flow: &FlowRecord, cc: &str, measured: Window) -> Self {
        let window = Window::of_flow(decl).and_then(|active| active.and(measured));
        let seconds = |at: Time| at.as_secs_f64();
        let last = flow.samples.last();
        Self {
            name: decl.name.clone(),
            cc: match &decl.transport {
                Transport::Quic(quic) => Some(quic.cc.as_deref().unwrap_or(cc).to_owned()),
                Transport::Udp => None,
            },
            base_rtt_ms: millis(decl.base_rtt),
            from_s: window.map(|window| seconds(window.from())),
            to_s: window.map(|window| seconds(window.to())),
            handshake_ms: flow.established.map(|at| millis(at.since(decl.start))),
            ended: flow.ended.as_ref().map(|(at, reason)| Ended {
                at_s: seconds(*at),
                reason: reason.clone(),
            }),
            stats: window.map(|window| FlowStats::of(flow, window)),
            goodput_1s_bps: window.and_then(|window| seconds_of(flow, window)),
            media: window.and_then(|window| MediaStats::of_flow(decl, flow, window)),
            declared_lost_packets: last.map(|sample| sample.declared_lost),
            spuriously_lost_packets: last.map(|sample| sample.spurious),
        }
    }
}

fn seconds_of(flow: &FlowRecord, window: Window) -> Option<Distribution> {
    let bins = over_time(flow, Counted::Goodput, window, BIN);
    Samples::of(bins.iter().map(|bin| bin.bps)).map(|samples| samples.distribution())
}
