//! What is counted, by controller where that makes a difference.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{exponential_buckets, Histogram};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

/// A controller with its options, as `--cc` and the rules name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByController {
    pub controller: String,
}

/// A controller, and the zone that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByZone {
    pub controller: String,
    pub zone: &'static str,
}

/// A controller, and what it takes relative one-way delays from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct BySource {
    pub controller: String,
    pub source: &'static str,
}

/// The status of a response.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByStatus {
    pub status: u32,
}

/// The limit at which a first packet was ignored or a request refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct ByLimit {
    pub limit: &'static str,
}

/// Seconds, counted in fractions.
type Seconds = Counter<f64, AtomicU64>;

/// How delays are sorted: from 0.1 ms to 6.6 s, in steps of a factor of two.
#[derive(Clone, Copy, Debug)]
pub struct Delays;

impl MetricConstructor<Histogram> for Delays {
    fn new_metric(&self) -> Histogram {
        Histogram::new(exponential_buckets(0.0001, 2.0, 17))
    }
}

/// How rates are sorted: from 62.5 kbit/s to 4.1 Gbit/s, in steps of a factor of two.
#[derive(Clone, Copy, Debug)]
pub struct Rates;

impl MetricConstructor<Histogram> for Rates {
    fn new_metric(&self) -> Histogram {
        Histogram::new(exponential_buckets(62_500.0, 2.0, 17))
    }
}

/// A histogram of delays for every set of labels.
type DelayFamily<Labels> = Family<Labels, Histogram, Delays>;

/// All figures. Clones count the same.
#[derive(Clone)]
pub struct Families {
    pub open_connections: Family<ByController, Gauge>,
    pub connections: Family<ByController, Counter>,
    pub half_open_connections: Gauge,
    pub sent_bytes: Family<ByController, Counter>,
    pub acknowledged_bytes: Family<ByController, Counter>,
    pub retransmitted_bytes: Family<ByController, Counter>,
    pub sent_packets: Family<ByController, Counter>,
    pub lost_packets: Family<ByController, Counter>,
    pub spuriously_lost_packets: Family<ByController, Counter>,
    pub rtt: DelayFamily<ByController>,
    pub queueing_delay: DelayFamily<ByController>,
    pub relative_delay: DelayFamily<BySource>,
    pub target_rate: Family<ByController, Histogram, Rates>,
    pub active: Family<ByController, Seconds>,
    pub zones: Family<ByZone, Seconds>,
    pub responses: Family<ByStatus, Counter>,
    pub retries: Counter,
    pub known_clients: Counter,
    pub abandoned: Counter,
    pub ignored: Family<ByLimit, Counter>,
    pub refused: Family<ByLimit, Counter>,
    pub response_memory: Gauge,
    pub misdirected: Counter,
}

impl Default for Families {
    fn default() -> Self {
        Self {
            open_connections: Family::default(),
            connections: Family::default(),
            half_open_connections: Gauge::default(),
            sent_bytes: Family::default(),
            acknowledged_bytes: Family::default(),
            retransmitted_bytes: Family::default(),
            sent_packets: Family::default(),
            lost_packets: Family::default(),
            spuriously_lost_packets: Family::default(),
            rtt: Family::new_with_constructor(Delays),
            queueing_delay: Family::new_with_constructor(Delays),
            relative_delay: Family::new_with_constructor(Delays),
            target_rate: Family::new_with_constructor(Rates),
            active: Family::default(),
            zones: Family::default(),
            responses: Family::default(),
            retries: Counter::default(),
            known_clients: Counter::default(),
            abandoned: Counter::default(),
            ignored: Family::default(),
            refused: Family::default(),
            response_memory: Gauge::default(),
            misdirected: Counter::default(),
        }
    }
}

impl Families {
    /// Makes all of them known, with what they mean.
    pub fn register(&self, registry: &mut Registry) {
        let version = vec![("version", env!("CARGO_PKG_VERSION"))];
        registry.register("build", "The program", Info::new(version));
        self.register_connections(registry);
        self.register_traffic(registry);
        self.register_delays(registry);
    }

    /// A response with this status has begun.
    pub fn on_response(&self, status: u16) {
        let status = status.into();
        self.responses.get_or_create(&ByStatus { status }).inc();
    }

    /// Counts the first packets that are ignored at this limit.
    pub fn ignored_at(&self, limit: &'static str) -> Counter {
        self.ignored.get_or_create(&ByLimit { limit }).clone()
    }

    /// Counts the requests that are refused at this limit.
    pub fn refused_for(&self, limit: &'static str) -> Counter {
        self.refused.get_or_create(&ByLimit { limit }).clone()
    }

    fn register_connections(&self, registry: &mut Registry) {
        registry.register(
            "open_connections",
            "Connections whose handshake is complete, now",
            self.open_connections.clone(),
        );
        registry.register(
            "connections",
            "Connections whose handshake was completed, counted a second later, or at their end if that is earlier",
            self.connections.clone(),
        );
        registry.register(
            "half_open_connections",
            "Connections whose clients have not validated their address yet, once per second",
            self.half_open_connections.clone(),
        );
        registry.register(
            "abandoned_connections",
            "Connections that ended before their clients validated their address",
            self.abandoned.clone(),
        );
        registry.register("retries", "Retry packets sent", self.retries.clone());
        registry.register(
            "known_clients",
            "Connections whose clients validated their address by the token of an earlier connection",
            self.known_clients.clone(),
        );
        registry.register(
            "ignored_initials",
            "Datagrams of new clients, repeated ones included, that were ignored at a limit: connections (--max-connections), or address \
             (--max-per-address, --max-per-network)",
            self.ignored.clone(),
        );
        registry.register(
            "misdirected_datagrams",
            "Datagrams that the kernel gave to another worker than theirs, and that were dropped",
            self.misdirected.clone(),
        );
        registry.register(
            "responses",
            "Responses begun, by HTTP status",
            self.responses.clone(),
        );
        registry.register(
            "refused_requests",
            "Requests refused with 503 at a limit: descriptors (ulimit -n), or memory (--response-memory)",
            self.refused.clone(),
        );
        registry.register_with_unit(
            "response_memory",
            "What bodies of responses take until clients acknowledge them, once per second",
            Unit::Bytes,
            self.response_memory.clone(),
        );
    }

    fn register_traffic(&self, registry: &mut Registry) {
        let bytes = || Unit::Bytes;
        registry.register_with_unit("sent", "UDP payload sent", bytes(), self.sent_bytes.clone());
        registry.register_with_unit(
            "acknowledged",
            "Bytes of acknowledged QUIC packets; their rate is what arrives",
            bytes(),
            self.acknowledged_bytes.clone(),
        );
        registry.register_with_unit(
            "retransmitted",
            "Data of streams that was sent again",
            bytes(),
            self.retransmitted_bytes.clone(),
        );
        registry.register(
            "sent_packets",
            "QUIC packets sent",
            self.sent_packets.clone(),
        );
        registry.register(
            "lost_packets",
            "QUIC packets declared lost",
            self.lost_packets.clone(),
        );
        registry.register(
            "spuriously_lost_packets",
            "QUIC packets declared lost that were acknowledged afterwards",
            self.spuriously_lost_packets.clone(),
        );
    }

    fn register_delays(&self, registry: &mut Registry) {
        let seconds = || Unit::Seconds;
        registry.register_with_unit(
            "rtt",
            "Smoothed RTT, once per second in which a connection sends, and at its end",
            seconds(),
            self.rtt.clone(),
        );
        registry.register_with_unit(
            "queueing_delay",
            "Smoothed RTT above the smallest RTT of the connection's path, as often; comparable between controllers",
            seconds(),
            self.queueing_delay.clone(),
        );
        registry.register_with_unit(
            "relative_one_way_delay",
            "Relative one-way delay that the controller measured, jitter included, as often, by what it is \
             taken from: ack or receive_timestamps",
            seconds(),
            self.relative_delay.clone(),
        );
        registry.register_with_unit(
            "target_rate",
            "What a source could have counted on, in bits per second, as often, where the controller knows it",
            Unit::Other("bits_per_second".to_owned()),
            self.target_rate.clone(),
        );
        registry.register_with_unit(
            "active",
            "Time in which connections sent something, to the second",
            seconds(),
            self.active.clone(),
        );
        registry.register_with_unit(
            "zone",
            "Time in which connections sent something, by zone of hybrid: free, filling, congested. Seconds \
             without a known zone are missing",
            seconds(),
            self.zones.clone(),
        );
    }
}

#[cfg(test)]
impl Families {
    /// What is told when every figure has been counted once.
    pub fn with_samples() -> String {
        let families = Self::default();
        let controller = || "hybrid".to_owned();
        let by_controller = || ByController {
            controller: controller(),
        };
        drop(families.open_connections.get_or_create(&by_controller()));
        for counter in [
            &families.connections,
            &families.sent_bytes,
            &families.acknowledged_bytes,
            &families.retransmitted_bytes,
            &families.sent_packets,
            &families.lost_packets,
            &families.spuriously_lost_packets,
        ] {
            drop(counter.get_or_create(&by_controller()));
        }
        for histogram in [&families.rtt, &families.queueing_delay] {
            drop(histogram.get_or_create(&by_controller()));
        }
        drop(families.relative_delay.get_or_create(&BySource {
            controller: controller(),
            source: "ack",
        }));
        drop(families.target_rate.get_or_create(&by_controller()));
        drop(families.active.get_or_create(&by_controller()));
        drop(families.zones.get_or_create(&ByZone {
            controller: controller(),
            zone: "free",
        }));
        families.on_response(200);
        families.ignored_at("address").inc();
        families.refused_for("memory").inc();
        let mut registry = Registry::with_prefix("cc_server");
        families.register(&mut registry);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).expect("memory takes text");
        text
    }
}
