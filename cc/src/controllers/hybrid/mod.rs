//! `hybrid`: a rate and a window, driven by relative one-way delay in three zones.
//!
//! S. Mehrotra, J. Li, S. Sengupta, M. Jain, S. Sen, "Hybrid window and rate based congestion
//! control for delay sensitive applications". Our reading, with every decision and deviation, is
//! `docs/papers/hybrid.md`; section and equation numbers here are the paper's.
//!
//! This is the profile `default`; the paper's own controller is [`super::hybrid_paper`]. Its skeleton is the paper's: once per epoch
//! of length L, the smallest RTT, the relative one-way delay `delta` of the packets acknowledged in it decides between
//!
//! ```text
//!     zone 1            | zone 2                | zone 3
//!     delta <= d1       | d1 < delta <= d2      | delta > d2, or loss with delay
//!     R += alpha(delta) | drain the queue       | drain the queue
//! ```
//!
//! and packets leave at least `P / R` apart with a window of `R L` and a little more. Delay therefore stays near d1, below what fills
//! a buffer, and loss without delay is not congestion. What makes it fit every path stands in a file each: start-up, draining,
//! thresholds that follow the flow's own rate, competing with queues of others, varying capacity, interruptions.

mod contended;
mod dips;
mod drain;
mod epochs;
mod interface;
mod interruption;
mod late;
mod law;
mod mechanism;
mod params;
mod report;
mod standing;
mod startup;
mod summary;
mod thresholds;
mod update;
mod variation;

use std::cmp::Reverse;
use std::time::Duration;

pub use self::params::{Params, PARAMETERS};

use self::contended::Contended;
use self::dips::Dips;
use self::drain::Drain;
use self::interface::Basis;
use self::late::LatePackets;
use self::mechanism::Mechanism;
use self::report::EpochReport;
use self::standing::Standing;
use self::thresholds::Thresholds;
use self::update::Phase;
use crate::controller::{Decision, Measured, Start, MIN_WINDOW_PACKETS};
use crate::controllers::bounds::bounded;
use crate::controllers::report::PathLimits;
use crate::measure::epoch::Epoch;
use crate::measure::floor::{Floor, Spans};
use crate::measure::owd::{OwdMeter, Source};
use crate::measure::persistent::Blackout;
use crate::measure::transmission::TransmissionTime;
use crate::measure::used::Used;
use crate::measure::window_min::WindowMin;
use crate::units::{Bytes, Owd, Rate, Time};

/// The controller of one path.
#[derive(Debug)]
pub struct Hybrid {
    params: Params,
    spec: String,
    start: Start,
    meter: OwdMeter,
    transmission: TransmissionTime,
    rate: Rate,
    phase: Phase,
    epoch: Option<Epoch>,
    epochs: u64,
    /// When the first epoch began.
    began: Option<Time>,
    /// N: what delays have above their minimum although there is no queue.
    noise: Duration,
    /// G: for how long nothing is acknowledged, beyond what is usual.
    gap: Duration,
    /// Queueing of the return path, where the source can tell.
    return_delay: Duration,
    /// When the rate was last lowered. DEVIATION: only packets sent since say something about the present rate; the paper counts all.
    last_decrease: Option<Time>,
    /// Whether nothing has come back yet that was sent after it.
    awaits: bool,
    /// Packets sent from here on count.
    counts_from: Time,
    /// The queue that a decrease lets drain.
    drain: Option<Drain>,
    /// What a queue does that should drain.
    standing: Standing,
    /// Whether others keep a queue.
    contended: Option<Contended>,
    /// The largest R of the last seconds in which nobody did: the sliding minimum of what it is turned round, in bit/s.
    largest: WindowMin<Reverse<u64>>,
    /// Whether the path was interrupted, and nothing is known of it since.
    path_is_new: bool,
    blackout: Blackout,
    /// How much of R start-up uses.
    used: Used,
    /// How long there has been no decrease, nor a limit by the application.
    undisturbed: Duration,
    late: LatePackets,
    /// Whether the application limited the epoch before.
    limited_before: bool,
    /// How steady the path is.
    dips: Dips,
    /// The share of packets that is lost without a queue, smoothed.
    background: f64,
    /// The delay under the jitter in this epoch, by ACK arrivals and by receive times.
    floors: [Floor; 2],
    /// Since when every sample of start-up has met a queue.
    queueing_since: Option<Time>,
    /// The longest queue of late: the sliding minimum of what it is turned round.
    longest: WindowMin<Reverse<Owd>>,
    /// RTT to work with before there is a sample: that of the handshake, once known.
    handshake_rtt: Option<Duration>,
    basis: Basis,
    /// Those of an epoch of length L, as of `basis`.
    spans: Spans,
    /// The latest, or none where something has changed that it depends on.
    decision: Option<Decision>,
    /// With more in flight no packet fits into its window.
    room_up_to: Bytes,
    limits: PathLimits,
    told_limits: Option<PathLimits>,
    report: Option<EpochReport>,
    measured: Measured,
}

impl Hybrid {
    /// A controller for a new path. `spec` is the name with options under which traces show it.
    pub fn new(params: Params, spec: &str, start: Start) -> Self {
        let (max_datagram_size, window) = (start.max_datagram_size, params.base_delay_window);
        let meter = OwdMeter::new(window, max_datagram_size);
        let mut hybrid = Self {
            meter: if params.has(Mechanism::ClockSkew) {
                meter.following_skew()
            } else {
                meter
            },
            transmission: TransmissionTime::default(),
            params,
            spec: spec.to_owned(),
            start,
            rate: Rate::default(),
            phase: Phase::Initial,
            epoch: None,
            epochs: 0,
            began: None,
            noise: Duration::ZERO,
            gap: Duration::ZERO,
            return_delay: Duration::ZERO,
            last_decrease: None,
            awaits: false,
            counts_from: Time::default(),
            drain: None,
            standing: Standing::default(),
            contended: None,
            largest: WindowMin::new(window),
            path_is_new: false,
            blackout: Blackout::new(start.initial_rtt),
            used: Used::default(),
            undisturbed: Duration::ZERO,
            late: LatePackets::default(),
            limited_before: false,
            dips: Dips::default(),
            background: 0.0,
            floors: Default::default(),
            queueing_since: None,
            longest: WindowMin::new(window),
            handshake_rtt: None,
            basis: Basis::default(),
            spans: Spans::of(start.initial_rtt),
            decision: None,
            room_up_to: Bytes(0),
            limits: PathLimits::new(start),
            told_limits: None,
            report: None,
            measured: Measured::default(),
        };
        hybrid.follow_path();
        hybrid.rate = hybrid.initial_rate();
        hybrid
    }

    fn known_rtt(&self) -> Option<Duration> {
        self.meter.min_rtt().or(self.handshake_rtt)
    }

    /// L: the smallest RTT of full-sized packets, and before any the best guess.
    fn length(&self) -> Duration {
        self.known_rtt()
            .unwrap_or(self.start.initial_rtt)
            .max(Duration::from_micros(1))
    }

    /// The initial window (RFC 9002, section 7.2) in one RTT, if nothing else was asked for.
    fn initial_rate(&self) -> Rate {
        let window = self.limits.max_datagram_size * self.start.initial_window_packets;
        self.bounded(
            self.params
                .initial_rate
                .unwrap_or_else(|| window.per(self.length())),
        )
    }

    fn bounded(&self, rate: Rate) -> Rate {
        bounded(rate, self.limits.max_datagram_size, self.length())
    }

    /// `W = R L` (section II-C), in whole packets: quiche sends while F + P <= W and the paper while F < W, which agree if W is
    /// rounded up. DEVIATION: a queue of d3 is in flight as well, so that the window does not hold back the rate that the zones ask
    /// for; and what queues on the return path, waits for an ACK or is held up is no congestion.
    fn window(&self) -> Bytes {
        let size = self.limits.max_datagram_size.0.max(1);
        let extra = (self.thresholds().d3 + self.others_queue()).max(Owd::from(self.gap) * 2)
            + Owd::from(self.noise) / 2
            + Owd::from(self.return_delay);
        let bytes = self.rate.over(self.length() + extra.to_duration());
        let packets = (bytes / size as f64).ceil() as u64;
        Bytes(size) * packets.max(MIN_WINDOW_PACKETS)
    }

    /// T, as far as it can be believed; zero while unknown. The receiver may lie about it: L contains the transmission of a full
    /// packet, so it is no more than that; and what receive times have shown does not count once they are not used.
    fn transmission_time(&self) -> Duration {
        match self.meter.source() {
            Source::Ack => Duration::ZERO,
            Source::ReceiveTimestamps => self.transmission.get().min(self.length()),
        }
    }

    /// What the zones take for queueing.
    fn queueing(&self, delta: Owd) -> Owd {
        (delta - Owd::from(self.noise)).max(Owd::ZERO)
    }

    #[inline]
    fn thresholds(&self) -> Thresholds {
        let longest = self.longest.get().map(|Reverse(longest)| longest);
        let size = self.limits.max_datagram_size;
        Thresholds::new(&self.params, self.rate, size, longest)
    }
}

#[cfg(test)]
mod tests;
