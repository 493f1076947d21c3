use std::time::Duration;

use proptest::prelude::*;

use super::law::{alpha, beta, zone, Observed};
use super::*;
use crate::controller::{Controller, Value};
use crate::feedback::{Acked, Feedback, Lost, Space};
use crate::measure::trend::{trend, Trend};

mod additions;
mod dips;
mod interruption;
mod skew;
mod standing;
mod vectors;

const MILLI: Duration = Duration::from_millis(1);
const SIZE: Bytes = Bytes(1250);

fn delay(millis: f64) -> Owd {
    Owd::from_nanos((millis * 1e6).round() as i64)
}

fn millis(ms: f64) -> Duration {
    delay(ms).to_duration()
}

fn seen(delta_ms: f64, trend: Trend, lost: bool) -> Observed {
    Observed {
        delta: delay(delta_ms),
        trend,
        lost,
        overwhelmed: false,
    }
}

/// The paper's thresholds, which depend on nothing.
fn paper_thresholds() -> Thresholds {
    Thresholds::new(&Params::paper(), Rate::from_bps(1e6), SIZE, None)
}

fn paper_alpha(delta: Owd) -> Rate {
    let (amin, amax) = Params::paper().increase(SIZE, 100 * MILLI);
    alpha(&paper_thresholds(), amin, amax, delta)
}

fn paper_beta(seen: &Observed) -> Option<f64> {
    beta(&Params::paper(), &paper_thresholds(), seen)
}

#[test]
fn growth_has_a_shorter_period_only_where_both_the_path_and_packets_are_short() {
    let micro = Duration::from_micros;
    for (length, mbps, period) in [
        (micro(200_000), 100.0, micro(200_000)),
        (micro(20_000), 100.0, micro(40_000)),
        (micro(2_500), 100.0, micro(40_000)),
        (micro(1_000), 100.0, micro(16_000)),
        (micro(25), 1_000.0, micro(400)),
        (micro(25), 10.0, micro(12_800)),
        (micro(25), 1.0, micro(40_000)),
    ] {
        let rate = Rate::from_bps(mbps * 1e6);
        let found = Params::default().growth_period(Bytes(1000), rate, length);
        let found = Duration::from_secs_f64(found);
        assert_eq!(found, period, "L = {length:?} at {mbps} Mbit/s");
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn the_papers_operating_points() {
    assert!(close(paper_alpha(Owd::ZERO).bps(), 40_000.0));
    assert!(close(paper_alpha(delay(12.0)).bps(), 800.0));
    // At 6 ms: 800 * 40000 * 12 / (40000 * 6 + 800 * 6).
    assert!(close(paper_alpha(delay(6.0)).bps(), 384e6 / 244.8e3));
    let beta_at = |ms, trend, lost| paper_beta(&seen(ms, trend, lost)).unwrap();
    assert!(close(beta_at(18.0, Trend::Unknown, false), 0.29));
    assert!(close(beta_at(24.0, Trend::Unknown, false), 0.33));
    assert!(close(beta_at(36.0, Trend::Unknown, false), 0.415));
    assert!(close(beta_at(48.001, Trend::Unknown, false), 0.5));
    assert!(close(beta_at(24.0, Trend::Increasing, false), 0.375));
    assert!(close(beta_at(12.001, Trend::Unknown, true), 0.5));
    assert_eq!(paper_beta(&seen(12.0, Trend::Unknown, true)), None);
}

proptest! {
    #[test]
    fn alpha_falls_with_delay_and_stays_between_its_ends(a in 0.0..12.0f64, b in 0.0..12.0f64) {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let (at_low, at_high) = (paper_alpha(delay(low)).bps(), paper_alpha(delay(high)).bps());
        prop_assert!(at_low >= at_high - 1e-6);
        prop_assert!((800.0 - 1e-6..=40_000.0 + 1e-6).contains(&at_low));
    }

    #[test]
    fn beta_rises_with_delay_without_a_jump(at in 12.01..60.0f64, trend in 0usize..2) {
        let trend = [Trend::Unknown, Trend::Increasing][trend];
        let beta_at = |ms| paper_beta(&seen(ms, trend, false)).unwrap();
        let step = beta_at(at + 0.001) - beta_at(at);
        prop_assert!((-1e-12..1e-4).contains(&step), "{step} at {at} ms");
        prop_assert!((0.25 - 1e-9..=0.5).contains(&beta_at(at)));
    }

    #[test]
    fn whatever_comes_back_rate_and_window_stay_sane(
        spec in prop::sample::select(vec!["", "paper", "gamma=0", "startup=4,react=epoch"]),
        steps in prop::collection::vec((0u64..400, 0u64..3_000, 1u64..1500, 0usize..3, 0usize..3), 1..300),
    ) {
        let mut hybrid = hybrid(spec);
        let mut now = Time::default() + 10_000 * MILLI;
        for (wait, age, size, acked, lost) in steps {
            now = now + MILLI * wait as u32;
            let sent = Time::from_origin(Duration::from_nanos(now.as_nanos()).saturating_sub(MILLI * age as u32));
            let acked = vec![Acked { sent, size: Bytes(size), received: None }; acked];
            let lost = vec![Lost { sent, size: Bytes(size) }; lost];
            hybrid.on_sent(now, Bytes(size));
            hybrid.on_feedback(&Feedback { lost: &lost, ..feedback(now, &acked) });
            let decision = hybrid.decision();
            prop_assert!(decision.window.0 >= 2 * SIZE.0);
            prop_assert!(decision.window.0.is_multiple_of(SIZE.0));
            prop_assert!(decision.bandwidth.bps() > 0.0 && decision.bandwidth.bps() <= 10e9);
            prop_assert!(decision.pacing.bps() >= decision.bandwidth.bps());
            while hybrid.next_event().is_some() {}
        }
    }
}

fn start() -> Start {
    Start {
        initial_window_packets: 10,
        max_datagram_size: SIZE,
        initial_rtt: 333 * MILLI,
    }
}

fn hybrid(options: &str) -> Hybrid {
    Hybrid::new(Params::parse(options).unwrap(), "hybrid", start())
}

fn feedback(now: Time, acked: &[Acked]) -> Feedback<'_> {
    Feedback {
        now,
        space: Space::Application,
        acked,
        lost: &[],
        in_flight: Bytes(u64::MAX),
        rtt_sampled: !acked.is_empty(),
        ack_delay: Duration::ZERO,
        max_ack_delay: 25 * MILLI,
        min_rtt: None,
        ecn_ect: 0,
        ecn_ce: 0,
    }
}

/// A path of 100 ms with a controller on it that always has something to send.
struct Path {
    hybrid: Hybrid,
    now: Time,
    /// Between ACKs.
    every: Duration,
}

impl Path {
    fn new(options: &str) -> Self {
        let mut path = Self {
            hybrid: hybrid(options),
            now: Time::default() + 1000 * MILLI,
            every: 10 * MILLI,
        };
        path.ack(0.0, 0);
        path
    }

    /// A full packet comes back that met `queue_ms` of queue, and `lost` others are lost.
    fn ack(&mut self, queue_ms: f64, lost: usize) {
        self.now = self.now + self.every;
        let rtt = 100 * MILLI + Duration::from_nanos((queue_ms * 1e6) as u64);
        let sent = Time::from_origin(Duration::from_nanos(self.now.as_nanos()) - rtt);
        let acked = [Acked {
            sent,
            size: SIZE,
            received: None,
        }];
        let lost = vec![Lost { sent, size: SIZE }; lost];
        self.hybrid.on_sent(self.now, SIZE);
        self.hybrid.on_feedback(&Feedback {
            lost: &lost,
            ..feedback(self.now, &acked)
        });
    }

    /// One epoch of 100 ms with this queue; gives the factor by which R has changed.
    fn epoch(&mut self, queue_ms: f64, lost: usize) -> f64 {
        let before = self.rate();
        (0..10).for_each(|i| self.ack(queue_ms, if i == 0 { lost } else { 0 }));
        self.rate() / before
    }

    fn rate(&self) -> f64 {
        self.hybrid.decision().bandwidth.bps()
    }
}

#[test]
fn the_first_sample_sets_the_rate_to_the_initial_window_per_rtt() {
    let path = Path::new("paper");
    assert!(close(path.rate(), 10.0 * 1250.0 * 8.0 / 0.1));
    assert_eq!(path.hybrid.decision().window, Bytes(12_500));
    assert!(close(Path::new("paper,r0=800kbps").rate(), 800e3));
}

#[test]
fn one_update_an_epoch_follows_the_zones() {
    let mut path = Path::new("paper");
    let first = path.rate();
    path.epoch(0.0, 0);
    assert!(close(path.rate(), first + 40e3));
    assert_eq!(path.hybrid.state(), "zone1");
    assert!(close(path.epoch(18.0, 0), 1.0 - 0.29));
    assert_eq!(path.hybrid.state(), "zone2");
    assert!(close(path.epoch(36.0, 0), 1.0 - 0.415));
    assert_eq!(path.hybrid.state(), "zone3");
}

#[test]
fn loss_counts_only_with_delay() {
    let mut path = Path::new("paper");
    assert!(path.epoch(6.0, 3) > 1.0);
    assert!(close(path.epoch(13.0, 1), 0.5));
}

#[test]
fn with_react_once_a_queue_is_answered_once() {
    let mut literal = Path::new("paper");
    let mut once = Path::new("paper,react=once");
    for path in [&mut literal, &mut once] {
        path.epoch(0.0, 0);
        assert!(close(path.epoch(18.0, 0), 0.71));
    }
    // What comes back in the next epoch was sent before the decrease.
    assert!(close(literal.epoch(18.0, 0), 0.71));
    assert_eq!(once.epoch(18.0, 1), 1.0);
    let change = once.epoch(18.0, 0);
    assert!(close(change, 0.71), "{change}");
}

#[test]
fn an_application_that_uses_little_does_not_raise_the_rate() {
    let mut path = Path::new("paper");
    path.epoch(0.0, 0);
    let before = path.rate();
    // 10 packets of 12 an epoch would be enough; two are not.
    path.hybrid.on_app_limited();
    for _ in 0..2 {
        path.now = path.now + 40 * MILLI;
        path.ack(0.0, 0);
    }
    assert_eq!(path.rate(), before);
    assert_eq!(path.epoch(18.0, 0), 0.71);
}

#[test]
fn what_arrives_after_an_application_had_little_to_send_is_not_what_the_path_carries() {
    let mut path = Path::new("startup=off,r0=8Mbps,dip=off");
    path.hybrid.on_app_limited();
    path.epoch(0.0, 0);
    let before = path.rate();
    path.epoch(5.0, 0);
    assert!(path.rate() > 0.97 * before, "{}", path.rate());
}

#[test]
fn an_epoch_without_acknowledgements_changes_nothing() {
    let mut path = Path::new("paper");
    path.epoch(0.0, 0);
    let before = path.hybrid.decision();
    path.now = path.now + 5_000 * MILLI;
    let lost = [Lost {
        sent: path.now,
        size: SIZE,
    }];
    path.hybrid.on_feedback(&Feedback {
        lost: &lost,
        ..feedback(path.now, &[])
    });
    assert_eq!(path.hybrid.decision(), before);
}

#[test]
fn the_pacing_factor_and_the_window_follow_section_ii_c() {
    let decision = |options| Path::new(options).hybrid.decision();
    assert!(close(decision("paper,gamma=0.5").pacing.bps(), 2e6));
    assert_eq!(decision("paper,gamma=0").pacing, Rate::INFINITE);
    // W = R (L + wextra), in whole packets.
    assert_eq!(decision("paper,wextra=24ms").window, Bytes(13 * 1250));
    assert_eq!(decision("paper,r0=1kbps").window, Bytes(2 * 1250));
    assert_eq!(decision("").burst.after_idle, 0);
    assert_eq!(hybrid("").decision().burst.after_idle, 3);
}

#[test]
fn the_parameters_are_reported_with_the_first_feedback_and_every_epoch_at_its_end() {
    assert_eq!(hybrid("paper").next_event(), None);
    let mut path = Path::new("paper");
    let parameters = path.hybrid.next_event().unwrap();
    assert_eq!(parameters.name, "parameters_set");
    assert_eq!(path.hybrid.next_event(), None);
    path.epoch(18.0, 2);
    let epoch = path.hybrid.next_event().unwrap();
    assert_eq!(epoch.name, "hybrid_epoch_updated");
    let field = |name| {
        epoch
            .fields
            .iter()
            .find(|(field, _)| *field == name)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(field("epoch"), Value::Count(0));
    assert_eq!(field("zone"), Value::Count(3));
    assert_eq!(field("lost"), Value::Count(2));
    assert_eq!(field("samples"), Value::Count(11));
    assert_eq!(field("beta"), Value::Number(0.5));
    assert_eq!(field("trend"), Value::Text("unknown".into()));
    // Statistics tell it, too, whether or not a trace is written.
    let measured = path.hybrid.measured();
    assert_eq!(measured.zone, Some(3));
    let delta = measured.rowd.unwrap().as_millis();
    assert_eq!(field("delta"), Value::Number(delta));
    assert_eq!(
        field("source"),
        Value::Text(measured.source.unwrap().as_str().into())
    );
    assert_eq!(path.hybrid.next_event(), None);
}
