use proptest::prelude::*;

use super::law::{alpha, beta, zone, Observed, Thresholds};
use super::*;
use crate::controller::Value;
use crate::controllers::testing::{self, close, delay, field, start, MILLI, SIZE};
use crate::feedback::Lost;
use crate::measure::trend::{trend, Trend};
use crate::units::Owd;

mod vectors;

type Path = testing::Path<HybridPaper>;

impl Path {
    fn new(options: &str) -> Self {
        Self::with(paper(options))
    }
}

fn paper(options: &str) -> HybridPaper {
    HybridPaper::new(Params::parse(options).unwrap(), "hybrid:paper", start())
}

fn thresholds() -> Thresholds {
    Thresholds::from(&Params::default())
}

fn seen(delta_ms: f64, trend: Trend, lost: bool) -> Observed {
    Observed {
        delta: delay(delta_ms),
        trend,
        lost,
    }
}

fn paper_alpha(delta: Owd) -> Rate {
    let (params, of) = (Params::default(), thresholds());
    alpha((of.d0, of.d1), (params.amin, params.amax), delta)
}

fn paper_beta(seen: &Observed) -> Option<f64> {
    beta(&Params::default(), seen)
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
        spec in prop::sample::select(vec!["", "gamma=0", "amax=1Gbps", "d0=1ms,d1=2ms,d2=3ms,d3=4ms"]),
        steps in prop::collection::vec((0u64..400, 0u64..3_000, 1u64..1500, 0usize..3, 0usize..3), 1..300),
    ) {
        testing::stays_sane(paper(spec), steps);
    }
}

#[test]
fn the_first_sample_sets_the_rate_to_the_initial_window_per_rtt() {
    let path = Path::new("");
    assert!(close(path.rate(), 10.0 * 1250.0 * 8.0 / 0.1));
    assert_eq!(path.controller.decision().window, Bytes(12_500));
    assert!(close(Path::new("initial_rate=800kbps").rate(), 800e3));
}

#[test]
fn one_update_an_epoch_follows_the_zones() {
    let mut path = Path::new("");
    let first = path.rate();
    path.epoch(0.0, 0);
    assert!(close(path.rate(), first + 40e3));
    assert_eq!(path.controller.state(), "free");
    assert!(close(path.epoch(18.0, 0), 1.0 - 0.29));
    assert_eq!(path.controller.state(), "filling");
    assert!(close(path.epoch(36.0, 0), 1.0 - 0.415));
    assert_eq!(path.controller.state(), "congested");
}

#[test]
fn loss_counts_only_with_delay() {
    let mut path = Path::new("");
    assert!(path.epoch(6.0, 3) > 1.0);
    assert!(close(path.epoch(13.0, 1), 0.5));
}

#[test]
fn loss_without_delay_never_counts_however_much_it_is() {
    let mut path = Path::new("");
    path.epoch(0.0, 0);
    let before = path.rate();
    (0..10).for_each(|_| path.ack(0.0, 1));
    assert!(path.rate() > before);
}

#[test]
fn a_queue_is_answered_in_every_epoch_that_shows_it() {
    let mut path = Path::new("");
    path.epoch(0.0, 0);
    assert!(close(path.epoch(18.0, 0), 0.71));
    // What comes back in this one was sent before the decrease.
    assert!(close(path.epoch(18.0, 0), 0.71));
}

#[test]
fn delays_that_rise_are_answered_before_they_are_long() {
    let rising = |step: f64| {
        let mut path = Path::new("");
        path.every = 2 * MILLI;
        path.epoch(0.0, 0);
        (0..60).for_each(|n| path.ack(step * f64::from(n), 0));
        path.controller.state()
    };
    // In an epoch of 50 samples delays come to 10 ms, and to 2 ms; the mean is 5 ms, and 1 ms.
    assert_eq!(rising(0.2), "congested");
    assert_eq!(rising(0.04), "free");
}

#[test]
fn persistent_congestion_is_answered_whatever_the_application_does() {
    let mut path = Path::new("");
    path.epoch(0.0, 0);
    if let Some(epoch) = &mut path.controller.epoch {
        epoch.window_full = false;
    }
    let before = path.rate();
    path.black_out();
    let report = path.controller.trace.latest().expect("an epoch has ended");
    assert!(report.app_limited, "{report:?}");
    assert_eq!(report.outcome, Some("interrupted"));
    assert!(close(path.rate(), 2.0 * 1250.0 * 8.0 / 0.1) && path.rate() < before);
    assert!(path.epoch(0.0, 0) > 1.0, "and goes on from there");
}

#[test]
fn an_application_that_uses_little_does_not_raise_the_rate() {
    let mut path = Path::new("");
    path.epoch(0.0, 0);
    let before = path.rate();
    // 10 packets of 12 an epoch would be enough; two are not.
    path.controller.on_app_limited();
    for _ in 0..2 {
        path.now = path.now + 40 * MILLI;
        path.ack(0.0, 0);
    }
    assert_eq!(path.rate(), before);
    assert_eq!(path.epoch(18.0, 0), 0.71);
}

#[test]
fn a_window_that_was_full_once_in_an_epoch_is_used() {
    // Two packets an epoch would not be enough.
    let grows = |in_flight: [u64; 2]| {
        let mut path = Path::new("");
        path.epoch(0.0, 0);
        let before = path.rate();
        path.every = 50 * MILLI;
        for bytes in in_flight {
            path.in_flight = Bytes(bytes);
            path.ack(0.0, 0);
        }
        path.rate() > before
    };
    assert!(grows([u64::MAX, 0]));
    assert!(!grows([0, 0]));
}

#[test]
fn an_epoch_without_acknowledgements_changes_nothing() {
    let mut path = Path::new("");
    path.epoch(0.0, 0);
    let before = path.controller.decision();
    path.now = path.now + 5_000 * MILLI;
    let lost = [Lost {
        sent: path.now,
        size: SIZE,
    }];
    path.controller.on_feedback(&Feedback {
        lost: &lost,
        ..Feedback::of(path.now, &[], &[])
    });
    assert_eq!(path.controller.decision(), before);
}

#[test]
fn the_pacing_factor_and_the_window_follow_section_ii_c() {
    let decision = |options| Path::new(options).controller.decision();
    assert!(close(decision("gamma=0.5").pacing.bps(), 2e6));
    assert_eq!(decision("gamma=0").pacing, Rate::INFINITE);
    // W = R L, in whole packets.
    assert_eq!(decision("initial_rate=1.01Mbps").window, Bytes(11 * 1250));
    assert_eq!(decision("initial_rate=1kbps").window, Bytes(2 * 1250));
    assert_eq!(decision("").burst.after_idle, 0);
    assert_eq!(paper("").decision().burst.after_idle, 3);
}

#[test]
fn a_larger_datagram_lets_windows_of_its_size_out() {
    let mut path = Path::new("");
    path.controller.on_max_datagram_size(Bytes(1450));
    assert_eq!(path.controller.decision().window, Bytes(9 * 1450));
}

#[test]
fn a_source_is_told_what_the_flow_does() {
    use crate::estimate::State::*;
    let told = testing::estimated_states(paper(""));
    assert_eq!(told, [Startup, Steady, Steady]);
}

#[test]
fn the_parameters_are_reported_with_the_first_feedback_and_every_epoch_at_its_end() {
    assert_eq!(paper("").next_event(), None);
    let mut path = Path::new("");
    let parameters = path.controller.next_event().unwrap();
    assert_eq!(parameters.name, "parameters_set");
    let Value::Map(values) = field(&parameters, "parameters") else {
        panic!("{parameters:?}");
    };
    let named: Vec<_> = values.iter().map(|(name, _)| *name).collect();
    let known: Vec<_> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    assert_eq!(named, known);
    assert_eq!(path.controller.next_event(), None);
    let before = path.rate();
    path.epoch(0.0, 0);
    let grown = path.controller.next_event().unwrap();
    assert_eq!(field(&grown, "alpha"), Value::Number(path.rate() - before));
    path.epoch(18.0, 2);
    let epoch = path.controller.next_event().unwrap();
    assert_eq!(epoch.name, "hybrid_epoch_updated");
    assert_eq!(field(&epoch, "epoch"), Value::Count(1));
    assert_eq!(field(&epoch, "zone"), Value::Count(3));
    assert_eq!(field(&epoch, "lost"), Value::Count(2));
    assert_eq!(field(&epoch, "samples"), Value::Count(10));
    assert_eq!(field(&epoch, "beta"), Value::Number(0.5));
    assert_eq!(field(&epoch, "trend"), Value::Text("unknown".into()));
    // Statistics tell it, too, whether or not a trace is written.
    let measured = path.controller.measured();
    assert_eq!(measured.zone, Some(3));
    let delta = measured.rowd.unwrap().as_millis();
    assert_eq!(field(&epoch, "delta"), Value::Number(delta));
    assert_eq!(
        field(&epoch, "source"),
        Value::Text(measured.source.unwrap().as_str().into())
    );
    assert_eq!(path.controller.next_event(), None);
}
