//! The default profile against numbers that the analysis package computes on its own.

use serde::Deserialize;

use super::super::drain::{Arrivals, Drain};
use super::super::standing::{Attempted, Outcome};
use super::update::{self, Met, Situation};
use super::*;
use crate::measure::floor::{Floor, Spans};
use crate::measure::loss::LossCount;

/// Cases that the analysis package computes from the paper on its own.
#[derive(Deserialize)]
struct Vectors {
    thresholds: Vec<ThresholdsCase>,
    floor: Vec<FloorCase>,
    late: Vec<LateCase>,
    standing: Vec<StandingCase>,
    course: Vec<CourseCase>,
}

#[derive(Deserialize)]
struct ThresholdsCase {
    options: String,
    rate_bps: f64,
    longest_ms: f64,
    expect_ms: [f64; 4],
    expect_full_ms: f64,
}

/// Samples of one epoch: when their feedback came, and their delay.
#[derive(Debug, Deserialize)]
struct FloorCase {
    length_ms: f64,
    samples_ms: Vec<(f64, f64)>,
    expect_ms: f64,
}

#[derive(Deserialize)]
struct LateCase {
    losscap: f64,
    steps: Vec<LateStep>,
}

#[derive(Deserialize)]
struct LateStep {
    lost: u64,
    acked: u64,
    forget: bool,
    reports: u64,
    competes: bool,
    sampled: bool,
    expect: bool,
}

/// Epochs one after the other, in some of which a queue should drain.
#[derive(Deserialize)]
struct StandingCase {
    length_ms: f64,
    transmission_ms: f64,
    patience_ms: f64,
    steps: Vec<StandingStep>,
}

#[derive(Debug, Deserialize)]
struct StandingStep {
    now_ms: f64,
    delta_ms: f64,
    short_ms: f64,
    lost: u64,
    acked: u64,
    background: f64,
    rate_bps: f64,
    share_bps: Option<f64>,
    expect_outcome: Option<String>,
    expect_back_bps: f64,
}

/// One update, with what the epochs before have left.
#[derive(Debug, Deserialize)]
struct CourseCase {
    options: String,
    startup: bool,
    delta_ms: f64,
    lost: bool,
    overwhelmed: bool,
    rate_bps: f64,
    arrived_bps: f64,
    uncertain: f64,
    noise_ms: f64,
    drain_lasted_ms: f64,
    drain_arrived_bits: f64,
    background: f64,
    length_ms: f64,
    transmission_ms: f64,
    longest_ms: f64,
    app_limited: bool,
    fills: bool,
    share_bps: Option<f64>,
    startup_rate_bps: Option<f64>,
    undisturbed_ms: f64,
    expect_zone: u64,
    expect_startup: bool,
    expect_alpha_bps: Option<f64>,
    expect_beta: Option<f64>,
    expect_rate_bps: f64,
    expect_share_bps: Option<f64>,
    expect_undisturbed_ms: f64,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../../../tests/vectors/hybrid.json")).unwrap()
}

#[test]
fn thresholds_agree_with_the_shared_vectors() {
    for case in vectors().thresholds {
        let params = Params::parse(&case.options).unwrap();
        let longest = Some(delay(case.longest_ms));
        let t = Thresholds::new(&params, Rate::from_bps(case.rate_bps), SIZE, longest);
        assert_eq!(
            [t.d0, t.d1, t.d2, t.d3, t.full],
            [
                delay(case.expect_ms[0]),
                delay(case.expect_ms[1]),
                delay(case.expect_ms[2]),
                delay(case.expect_ms[3]),
                delay(case.expect_full_ms)
            ],
            "{} at {} bit/s",
            case.options,
            case.rate_bps
        );
    }
}

#[test]
fn the_delay_under_the_jitter_agrees_with_the_shared_vectors() {
    for case in vectors().floor {
        let mut floor = Floor::default();
        for (at, above) in &case.samples_ms {
            floor.add(
                delay(*above),
                Spans::of(millis(case.length_ms)).span(Time::from_origin(millis(*at))),
            );
        }
        let got = floor.mean().unwrap().as_millis();
        assert!((got - case.expect_ms).abs() < 1e-5, "{got}: {case:?}");
    }
}

#[test]
fn late_losses_agree_with_the_shared_vectors() {
    for case in vectors().late {
        let mut late = LatePackets::default();
        for (n, step) in case.steps.iter().enumerate() {
            if step.forget {
                late.forget();
            }
            let of = LossCount::new(step.lost, step.acked);
            late.add(of, step.reports);
            let overwhelms = step.sampled && late.overwhelm(case.losscap, step.competes);
            assert_eq!(overwhelms, step.expect, "step {n} with {}", case.losscap);
        }
    }
}

#[test]
fn what_becomes_of_a_queue_agrees_with_the_shared_vectors() {
    for case in vectors().standing {
        let mut standing = Standing::default();
        for step in &case.steps {
            let seen = Attempted {
                now: Time::from_origin(millis(step.now_ms)),
                length: millis(case.length_ms),
                transmission: millis(case.transmission_ms),
                packet: SIZE,
                drain: Params::default().drain_epochs,
                queue: Params::default().target_packets,
                delta: delay(step.delta_ms),
                short: delay(step.short_ms),
                losses: LossCount::new(step.lost, step.acked),
                background: step.background,
                rate: Rate::from_bps(step.rate_bps),
            };
            let drain = step.share_bps.map(|share| Drain {
                share: Rate::from_bps(share),
                ceiling: None,
                arrivals: Arrivals::default(),
            });
            let outcome = standing.judge(&seen, drain, millis(case.patience_ms));
            let name = outcome.map(Outcome::as_str);
            assert_eq!(name, step.expect_outcome.as_deref(), "{step:?}");
            let back = outcome.map_or(0.0, |outcome| match outcome {
                Outcome::Contended(rate) | Outcome::LongerPath(rate) => rate.bps(),
            });
            assert!((back - step.expect_back_bps).abs() < 1.0, "{step:?}");
        }
    }
}

#[test]
fn updates_and_what_they_leave_agree_with_the_shared_vectors() {
    for case in vectors().course {
        let mut hybrid = hybrid(&case.options);
        hybrid.drain = case.share_bps.map(|share| Drain {
            share: Rate::from_bps(share),
            ceiling: case.startup_rate_bps.map(Rate::from_bps),
            arrivals: Arrivals::new(millis(case.drain_lasted_ms), case.drain_arrived_bits),
        });
        hybrid.undisturbed = millis(case.undisturbed_ms);
        let (params, situation) = (hybrid.params.clone(), situation(&hybrid, &case));
        hybrid.learn_share(situation.arrived * (1.0 / (1.0 - case.uncertain)), false);
        let situation = Situation {
            drain: hybrid.drain,
            ..situation
        };
        let seen = Observed {
            overwhelmed: case.overwhelmed,
            ..seen(case.delta_ms, case.lost)
        };
        let made = if case.startup {
            let queues = update::ends_startup(&params, &situation, seen.delta);
            let met = match (queues, case.fills) {
                (true, _) => Met::Queue,
                (false, true) => Met::Capacity,
                (false, false) => Met::Nothing,
            };
            update::startup(&params, &seen, &situation, met)
        } else {
            update::steady(&params, &seen, &situation)
        };
        hybrid.apply(&made, &situation, Time::default());
        let got = [
            Some(hybrid.rate.bps()),
            made.alpha.map(Rate::bps),
            made.beta,
            hybrid.drain.map(|drain| drain.share.bps()),
            Some(hybrid.undisturbed.as_secs_f64() * 1e3),
        ];
        let expected = [
            Some(case.expect_rate_bps),
            case.expect_alpha_bps,
            case.expect_beta,
            case.expect_share_bps,
            Some(case.expect_undisturbed_ms),
        ];
        let agree = got.iter().zip(&expected).all(|pair| match pair {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-8 * a.abs().max(b.abs()).max(1e-3),
            (a, b) => a == b,
        });
        assert!(agree, "{got:?}, not {expected:?}: {case:?}");
        assert_eq!(
            zone(&situation.thresholds, &seen).number(),
            case.expect_zone,
            "{case:?}"
        );
        assert_eq!(hybrid.in_startup(), case.expect_startup, "{case:?}");
    }
}

fn situation(hybrid: &Hybrid, case: &CourseCase) -> Situation {
    let rate = Rate::from_bps(case.rate_bps);
    Situation {
        state: "growing",
        rate,
        arrived: Rate::from_bps(case.arrived_bps),
        believed: Rate::default(),
        background: case.background,
        noise: millis(case.noise_ms),
        gap: Duration::ZERO,
        uncertain: case.uncertain,
        packet: SIZE,
        length: millis(case.length_ms),
        transmission: millis(case.transmission_ms),
        app_limited: case.app_limited,
        sent_little: case.app_limited,
        thresholds: Thresholds::new(&hybrid.params, rate, SIZE, Some(delay(case.longest_ms))),
        drain: hybrid.drain,
        standing: Duration::ZERO,
        varies: 0.0,
        undisturbed: hybrid.undisturbed,
    }
}
