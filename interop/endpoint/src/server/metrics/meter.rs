//! What one connection adds to the figures.

use std::time::{Duration, Instant};

use quiche::Stats;
use quiche_cc::controller::Measured;
use quiche_cc::measure::owd::Source;

use super::families::{ByController, BySource, ByZone, Families};
use crate::connection::Connection;

/// Between two looks at a connection that sends.
const PERIOD: Duration = Duration::from_secs(1);

/// More than this of the time since the last look was none in which the connection sent.
const LONGEST: Duration = Duration::from_secs(2);

/// Zones of hybrid, from 1 on.
const ZONES: [&str; 3] = ["free", "filling", "congested"];

/// What of a connection is counted already.
#[derive(Debug, Default)]
pub struct Meter {
    counted: Option<Counted>,
}

#[derive(Debug)]
struct Counted {
    /// The controller under which it is open.
    labels: ByController,
    at: Instant,
    totals: Totals,
}

/// What only grows.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    sent_bytes: u64,
    acknowledged_bytes: u64,
    retransmitted_bytes: u64,
    sent_packets: u64,
    lost_packets: u64,
    spuriously_lost_packets: u64,
}

impl From<Stats> for Totals {
    fn from(stats: Stats) -> Self {
        Self {
            sent_bytes: stats.sent_bytes,
            acknowledged_bytes: stats.acked_bytes,
            retransmitted_bytes: stats.stream_retrans_bytes,
            sent_packets: stats.sent as u64,
            lost_packets: stats.lost as u64,
            spuriously_lost_packets: stats.spurious_lost as u64,
        }
    }
}

impl Meter {
    /// Looks at the connection, which has this controller, if the last look was a while ago.
    pub fn observe(&mut self, families: &Families, conn: &Connection, cc: &str, now: Instant) {
        let due = |counted: &Counted| now.duration_since(counted.at) >= PERIOD;
        match &self.counted {
            None if conn.is_established() => self.enter(families, cc, now),
            Some(counted) if due(counted) => self.count(families, conn, cc, now),
            _ => {}
        }
    }

    /// The connection has ended.
    pub fn finish(&mut self, families: &Families, conn: &Connection, cc: &str) {
        self.count(families, conn, cc, Instant::now());
        if let Some(counted) = self.counted.take() {
            families
                .open_connections
                .get_or_create(&counted.labels)
                .dec();
        }
    }

    fn enter(&mut self, families: &Families, cc: &str, now: Instant) {
        let labels = ByController {
            controller: cc.to_owned(),
        };
        families.open_connections.get_or_create(&labels).inc();
        self.counted = Some(Counted {
            labels,
            at: now,
            totals: Totals::default(),
        });
    }

    fn count(&mut self, families: &Families, conn: &Connection, cc: &str, now: Instant) {
        let Some(counted) = &mut self.counted else {
            return;
        };
        if counted.labels.controller != cc {
            // Its first request has changed it.
            families
                .open_connections
                .get_or_create(&counted.labels)
                .dec();
            counted.labels.controller = cc.to_owned();
            families
                .open_connections
                .get_or_create(&counted.labels)
                .inc();
        }
        if counted.totals.sent_packets == 0 {
            // Only now, as its first request may change the controller.
            families.connections.get_or_create(&counted.labels).inc();
        }
        let totals = Totals::from(conn.stats());
        let sends = totals.sent_packets > counted.totals.sent_packets;
        add_totals(families, &counted.labels, &counted.totals, &totals);
        let time = now.duration_since(counted.at).min(LONGEST);
        (counted.totals, counted.at) = (totals, now);
        if sends {
            add_sample(families, &counted.labels, conn, time);
        }
    }
}

fn add_totals(families: &Families, labels: &ByController, before: &Totals, after: &Totals) {
    let pairs = [
        (&families.sent_bytes, before.sent_bytes, after.sent_bytes),
        (
            &families.acknowledged_bytes,
            before.acknowledged_bytes,
            after.acknowledged_bytes,
        ),
        (
            &families.retransmitted_bytes,
            before.retransmitted_bytes,
            after.retransmitted_bytes,
        ),
        (
            &families.sent_packets,
            before.sent_packets,
            after.sent_packets,
        ),
        (
            &families.lost_packets,
            before.lost_packets,
            after.lost_packets,
        ),
        (
            &families.spuriously_lost_packets,
            before.spuriously_lost_packets,
            after.spuriously_lost_packets,
        ),
    ];
    for (family, before, after) in pairs {
        family
            .get_or_create(labels)
            .inc_by(after.saturating_sub(before));
    }
}

/// Delays, target and zone as they are now, which stand for the `time` before.
fn add_sample(families: &Families, labels: &ByController, conn: &Connection, time: Duration) {
    families
        .active
        .get_or_create(labels)
        .inc_by(time.as_secs_f64());
    let path = conn.path_stats().find(|path| path.active);
    if let Some((rtt, min_rtt)) = path.and_then(|path| Some((path.rtt, path.min_rtt?))) {
        let queueing = rtt.saturating_sub(min_rtt);
        families
            .rtt
            .get_or_create(labels)
            .observe(rtt.as_secs_f64());
        let family = &families.queueing_delay;
        family.get_or_create(labels).observe(queueing.as_secs_f64());
    }
    if let Some(target) = quiche_cc::estimate(conn, Instant::now()).target {
        let family = &families.target_rate;
        family.get_or_create(labels).observe(target.bps());
    }
    if let Some(controller) = quiche_cc::plugin::controller(conn) {
        add_measured(families, labels, &controller.measured(), time);
    }
}

fn add_measured(families: &Families, labels: &ByController, measured: &Measured, time: Duration) {
    let controller = &labels.controller;
    if let (Some(delay), Some(source)) = (measured.rowd, measured.source) {
        let by_source = BySource {
            controller: controller.clone(),
            source: match source {
                Source::Ack => "ack",
                Source::ReceiveTimestamps => "receive_timestamps",
            },
        };
        let family = &families.relative_delay;
        family.get_or_create(&by_source).observe(delay.as_secs());
    }
    let number = measured.zone.and_then(|zone| usize::try_from(zone).ok());
    let zone = number.and_then(|zone| ZONES.get(zone.checked_sub(1)?));
    if let Some(now) = zone {
        // The others as well, so that their first rise can be seen.
        for zone in ZONES {
            let by_zone = ByZone {
                controller: controller.clone(),
                zone,
            };
            let seconds = if zone == *now {
                time.as_secs_f64()
            } else {
                0.0
            };
            families.zones.get_or_create(&by_zone).inc_by(seconds);
        }
    }
}
