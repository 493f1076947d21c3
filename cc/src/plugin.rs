//! The only module that names quiche: its congestion control trait, implemented once for any
//! [`Controller`].

use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use quiche::congestion_control::{
    self, Bandwidth, BurstAllowance, CongestionControl, CongestionControlFactory, CongestionEvent,
    Epoch, InitialState, QlogEvent, QlogValue, RecoveryStats, RttStats,
};
use quiche::EcnCodepoint;

use crate::catalogue::{self, Build, CATALOGUE};
use crate::controller::{Controller, Decision, Ecn, Event, Start, Value};
use crate::estimate::Estimate;
use crate::feedback::{Acked, Feedback, Lost, Space};
use crate::spec::SpecError;
use crate::units::{Bytes, Rate, Time};

/// Identifies the schema of the events in namespace `cc` (`docs/qlog.md`).
pub const QLOG_SCHEMA: &str = "https://quiche-cc.example/qlog/112026/cc";

/// Makes every controller of the catalogue known to quiche by its name, and every one that was
/// [added](catalogue::add). To be called again after adding one; what is known already stays as it
/// is.
///
/// # Panics
///
/// If somebody else has taken one of the names; then every call does, until the process ends.
pub fn register() {
    static KNOWN: Mutex<Known> = Mutex::new(Known(BTreeSet::new()));
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let mut taken = Vec::new();
    for entry in CATALOGUE {
        let made = known.make(entry.name, |options| entry.configure(options));
        taken.extend(made.err());
    }
    for added in catalogue::added() {
        let made = known.make(&added.name, |options| added.configure(options));
        taken.extend(made.err());
    }
    if let Some(first) = taken.first() {
        panic!("{first}");
    }
}

/// The names that quiche has from here.
struct Known(BTreeSet<&'static str>);

impl Known {
    /// Makes a name known if it is not. One that quiche refuses is not.
    fn make(
        &mut self,
        name: &'static str,
        configure: impl Fn(&str) -> Result<Arc<Build>, SpecError> + Send + Sync + 'static,
    ) -> Result<(), SpecError> {
        if !self.0.contains(name) {
            make_known(name, configure)?;
            self.0.insert(name);
        }
        Ok(())
    }
}

fn make_known(
    name: &str,
    configure: impl Fn(&str) -> Result<Arc<Build>, SpecError> + Send + Sync + 'static,
) -> Result<(), SpecError> {
    let configure = move |options: &str| {
        let build = configure(options).map_err(|_| quiche::Error::CongestionControl)?;
        Ok(Arc::new(Factory(build)) as Arc<dyn CongestionControlFactory>)
    };
    congestion_control::register(name, Box::new(configure)).map_err(|_| {
        SpecError::new(format!(
            "quiche already has a congestion controller \"{name}\""
        ))
    })
}

/// The controller of the connection's active path, if it is one of the catalogue.
pub fn controller<F: quiche::BufFactory>(
    connection: &quiche::Connection<F>,
) -> Option<&dyn Controller> {
    Plugin::of(connection).map(|plugin| &*plugin.controller)
}

struct Factory(Arc<Build>);

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("quiche_cc::Factory")
    }
}

impl CongestionControlFactory for Factory {
    fn build(&self, initial: &InitialState) -> Box<dyn CongestionControl> {
        let max_datagram_size = Bytes(initial.max_datagram_size as u64);
        let controller = (self.0)(Start {
            initial_window_packets: initial.initial_window_packets as u64,
            max_datagram_size,
            initial_rtt: initial.initial_rtt,
        });
        let decision = controller.decision();
        Box::new(Plugin {
            controller,
            pacing: bandwidth(decision.pacing),
            bandwidth: bandwidth(decision.bandwidth),
            window: Window::of(decision.window, usize::MAX, max_datagram_size),
            decision,
            clock: None,
            max_datagram_size,
            window_limit: usize::MAX,
            acked: Vec::new(),
            lost: Vec::new(),
            latest: Time::default(),
            told: Estimate::default(),
        })
    }
}

/// A [`Controller`] behind quiche's trait.
#[derive(Debug)]
struct Plugin {
    controller: Box<dyn Controller>,
    /// Its latest, and what is in it as quiche has it: it asks for parts several times per packet.
    decision: Decision,
    window: Window,
    pacing: Bandwidth,
    bandwidth: Bandwidth,
    clock: Option<Clock>,
    max_datagram_size: Bytes,
    window_limit: usize,
    /// Reused from call to call.
    acked: Vec<Acked>,
    lost: Vec<Lost>,
    /// When the latest feedback came, and the estimate that the trace has.
    latest: Time,
    told: Estimate,
}

impl Plugin {
    fn of<F: quiche::BufFactory>(connection: &quiche::Connection<F>) -> Option<&Self> {
        let plugin: &dyn Any = connection.congestion_control()?;
        plugin.downcast_ref()
    }

    /// When a packet leaves. That is told twice, and packets may leave together.
    #[inline]
    fn departure(&mut self, instant: Instant) -> Time {
        let kept = (self.clock.as_ref()).and_then(|clock| clock.kept(instant));
        kept.unwrap_or_else(|| self.translate(instant))
    }

    /// An instant by the controller's clock, which begins with the first that quiche tells. Apart,
    /// so that what is done for a departure that was told already stays short.
    #[inline(never)]
    fn translate(&mut self, instant: Instant) -> Time {
        self.clock
            .get_or_insert_with(|| Clock::new(instant))
            .keep(instant)
    }

    fn take_packets(
        &mut self,
        acked: &[congestion_control::Acked],
        lost: &[congestion_control::Lost],
    ) {
        self.acked.clear();
        self.acked.extend(acked.iter().map(|packet| Acked {
            sent: Time::from_nanos(packet.packet_state),
            size: Bytes(packet.bytes_acked as u64),
            received: packet.receive_timestamp,
        }));
        self.lost.clear();
        if !lost.is_empty() {
            self.take_lost(lost);
        }
    }

    /// Apart, as most ACKs tell of no loss.
    #[cold]
    fn take_lost(&mut self, lost: &[congestion_control::Lost]) {
        self.lost.extend(lost.iter().map(|packet| Lost {
            sent: Time::from_nanos(packet.packet_state),
            size: Bytes(packet.bytes_lost as u64),
        }));
    }

    fn take_decision(&mut self) {
        let decision = self.controller.decision();
        if decision.pacing != self.decision.pacing {
            self.pacing = bandwidth(decision.pacing);
        }
        if decision.bandwidth != self.decision.bandwidth {
            self.bandwidth = bandwidth(decision.bandwidth);
        }
        self.decision = decision;
        self.take_window();
    }

    fn take_window(&mut self) {
        self.window = Window::of(
            self.decision.window,
            self.window_limit,
            self.max_datagram_size,
        );
    }
}

fn space(epoch: Epoch) -> Space {
    match epoch {
        Epoch::Initial => Space::Initial,
        Epoch::Handshake => Space::Handshake,
        Epoch::Application => Space::Application,
    }
}

fn bandwidth(rate: Rate) -> Bandwidth {
    if rate == Rate::INFINITE {
        Bandwidth::infinite()
    } else {
        // quiche reads zero as "no limit", counts bits in 64 bits, and takes the largest of these
        // for infinite.
        let bytes = (rate.bps() / 8.0).round() as u64;
        Bandwidth::from_bytes_per_second(bytes.clamp(1, MOST_BYTES_PER_SECOND))
    }
}

/// A rate is multiplied by 8 and by gains of up to 4; no link is as fast.
const MOST_BYTES_PER_SECOND: u64 = u64::MAX / 64;

impl CongestionControl for Plugin {
    fn state_str(&self) -> &'static str {
        self.controller.state()
    }

    fn get_congestion_window(&self) -> usize {
        self.window.bytes
    }

    fn get_congestion_window_in_packets(&self) -> usize {
        self.window.packets
    }

    fn can_send(&self, bytes_in_flight: usize) -> bool {
        bytes_in_flight < self.get_congestion_window()
    }

    fn on_packet_sent(
        &mut self,
        sent_time: Instant,
        _bytes_in_flight: usize,
        _packet_number: u64,
        bytes: usize,
        _is_retransmissible: bool,
    ) {
        let now = self.departure(sent_time);
        self.controller.on_sent(now, Bytes(bytes as u64));
    }

    /// Its departure by the controller's clock.
    fn packet_state(&mut self, sent_time: Instant) -> u64 {
        self.departure(sent_time).as_nanos()
    }

    fn on_congestion_event(
        &mut self,
        event: &CongestionEvent<'_>,
        _recovery_stats: &mut RecoveryStats,
    ) {
        self.take_packets(event.acked_packets, event.lost_packets);
        // The RTT is what has passed since the newest packet left; to sum costs less than to
        // subtract instants.
        let now = match self.acked.last() {
            Some(newest) if event.rtt_updated => newest.sent + event.rtt_stats.latest_rtt(),
            _ => self.translate(event.event_time),
        };
        self.latest = now;
        self.controller.on_feedback(&Feedback {
            now,
            space: space(event.epoch),
            acked: &self.acked,
            lost: &self.lost,
            in_flight: Bytes(event.prior_in_flight as u64),
            rtt_sampled: event.rtt_updated,
            ack_delay: event.ack_delay,
            max_ack_delay: event.rtt_stats.max_ack_delay(),
            min_rtt: event.rtt_stats.min_rtt(),
            ecn_ect: event.num_ect,
            ecn_ce: event.num_ce,
        });
        if self.controller.has_decided() {
            self.take_decision();
        }
    }

    fn on_retransmission_timeout(&mut self, _packets_retransmitted: bool) {}

    fn on_connection_migration(&mut self) {}

    fn limit_cwnd(&mut self, max_cwnd: usize) {
        self.window_limit = max_cwnd;
        self.take_window();
    }

    fn is_in_recovery(&self) -> bool {
        false
    }

    fn is_cwnd_limited(&self, bytes_in_flight: usize) -> bool {
        bytes_in_flight >= self.get_congestion_window()
    }

    fn pacing_rate(&self, _bytes_in_flight: usize, _rtt_stats: &RttStats) -> Bandwidth {
        self.pacing
    }

    fn bandwidth_estimate(&self, _rtt_stats: &RttStats) -> Bandwidth {
        self.bandwidth
    }

    fn max_bandwidth(&self) -> Bandwidth {
        self.bandwidth
    }

    fn update_mss(&mut self, new_mss: usize) {
        self.max_datagram_size = Bytes(new_mss as u64);
        self.controller.on_max_datagram_size(self.max_datagram_size);
        self.take_decision();
    }

    fn on_app_limited(&mut self, bytes_in_flight: usize) {
        if bytes_in_flight < self.get_congestion_window() {
            self.controller.on_app_limited();
            self.take_decision();
        }
    }

    fn burst_allowance(&self) -> BurstAllowance {
        let burst = self.decision.burst;
        let mut allowance = BurstAllowance::default();
        allowance.quiescence = burst.after_idle;
        allowance.paced = burst.together;
        allowance.catch_up = burst.catch_up;
        allowance
    }

    fn ecn_codepoint(&self) -> EcnCodepoint {
        match self.decision.ecn {
            Ecn::NotEct => EcnCodepoint::NotEct,
            Ecn::Ect0 => EcnCodepoint::Ect0,
            Ecn::Ect1 => EcnCodepoint::Ect1,
        }
    }

    fn qlog_event_schema(&self) -> Option<&'static str> {
        Some(QLOG_SCHEMA)
    }

    fn next_qlog_event(&mut self) -> Option<QlogEvent> {
        let event = self.controller.next_event();
        event.or_else(|| self.estimate_event()).map(qlog_event)
    }
}

fn qlog_event(event: Event) -> QlogEvent {
    QlogEvent::new(format!("cc:{}", event.name), qlog_values(event.fields))
}

fn qlog_values(fields: Vec<(&'static str, Value)>) -> Vec<(&'static str, QlogValue)> {
    let converted = |(name, value)| (name, qlog_value(value));
    fields.into_iter().map(converted).collect()
}

fn qlog_value(value: Value) -> QlogValue {
    match value {
        Value::Count(count) => QlogValue::Count(count),
        // Six digits after the point: nanoseconds, or a millionth of a bit per second.
        Value::Number(number) => QlogValue::Number((number * 1e6).round() / 1e6),
        Value::Flag(flag) => QlogValue::Flag(flag),
        Value::Text(text) => QlogValue::Text(text),
        Value::Null => QlogValue::Null,
        Value::Map(fields) => QlogValue::Map(qlog_values(fields)),
    }
}

mod clock;
mod estimate;
mod window;

use self::clock::Clock;
pub use self::estimate::estimate;
use self::window::Window;

#[cfg(test)]
mod tests;
