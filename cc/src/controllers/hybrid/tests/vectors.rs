//! The default profile against numbers that the analysis package computes on its own.

use serde::Deserialize;

use super::super::drain::{Arrivals, Drain};
use super::super::judge::attempt::{AttemptOutcome, Attempts};
use super::super::model::excessive::RecentLosses;
use super::super::model::link::Link;
use super::super::model::loss::Background;
use super::super::model::seen::{Met, Observed};
use super::super::startup::is_queue;
use super::super::thresholds::Thresholds;
use super::epochs;
use super::*;
use crate::measure::floor::Floor;
use crate::measure::loss_count::LossCount;
use crate::measure::spans::Spans;

/// Cases that the analysis package computes from the paper on its own.
#[derive(Deserialize)]
struct Vectors {
    thresholds: Vec<ThresholdsCase>,
    floor: Vec<FloorCase>,
    late: Vec<LateCase>,
    standing: Vec<StandingCase>,
    course: Vec<CourseCase>,
    limits: Vec<CourseCase>,
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
    acks: u64,
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
    jitter_ms: f64,
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
    jitter_ms: f64,
    drain_lasted_ms: f64,
    drain_arrived_bits: f64,
    background: f64,
    length_ms: f64,
    transmission_ms: f64,
    longest_ms: f64,
    app_limited: bool,
    by_train: bool,
    train_bps: f64,
    fills: bool,
    #[serde(default)]
    interrupted: bool,
    /// Whether it has samples, and whether enough packets were acknowledged to tell a rate.
    #[serde(default = "yes")]
    samples: bool,
    #[serde(default)]
    tells_rate: bool,
    share_bps: Option<f64>,
    startup_rate_bps: Option<f64>,
    used_bps: f64,
    may_queue: bool,
    resumed_at_bps: f64,
    undisturbed_ms: f64,
    expect_zone: Option<u64>,
    expect_startup: bool,
    expect_outcome: Option<String>,
    expect_alpha_bps: Option<f64>,
    expect_beta: Option<f64>,
    expect_rate_bps: f64,
    expect_share_bps: Option<f64>,
    expect_undisturbed_ms: f64,
}

fn yes() -> bool {
    true
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
        let (mut floor, mut spans) = (Floor::default(), Spans::of(millis(case.length_ms)));
        for (at, above) in &case.samples_ms {
            floor.begin_feedback();
            if spans.change(Time::from_origin(millis(*at))) {
                floor.close(true);
            }
            floor.add(delay(*above));
        }
        floor.begin_feedback();
        let got = floor.mean().unwrap().as_millis();
        assert!((got - case.expect_ms).abs() < 1e-5, "{got}: {case:?}");
    }
}

#[test]
fn late_losses_agree_with_the_shared_vectors() {
    for case in vectors().late {
        let mut late = RecentLosses::default();
        for (n, step) in case.steps.iter().enumerate() {
            if step.forget {
                late = late.anew();
            }
            let of = LossCount::new(step.lost, step.acked);
            late.add(of, step.acks, step.reports);
            let overwhelms = step.sampled && late.take_verdict(case.losscap, step.competes);
            assert_eq!(overwhelms, step.expect, "step {n} with {}", case.losscap);
        }
    }
}

#[test]
fn what_becomes_of_a_queue_agrees_with_the_shared_vectors() {
    for case in vectors().standing {
        let mut standing = Attempts::default();
        for step in &case.steps {
            let seen = Seen {
                now: Time::from_origin(millis(step.now_ms)),
                length: millis(case.length_ms),
                link: Link::new(SIZE, millis(case.transmission_ms), true),
                thresholds: epochs::short(delay(step.short_ms)),
                losses: LossCount::new(step.lost, step.acked),
                background: Background::of(step.background),
                observed: Some(Observed {
                    delta: delay(step.delta_ms + step.jitter_ms),
                    ..seen(step.delta_ms, false)
                }),
                ..epochs::seen()
            };
            let (epoch, rate) = (seen.sampled().unwrap(), Rate::from_bps(step.rate_bps));
            let drain = step.share_bps.map(|share| Drain {
                return_rate: Rate::from_bps(share),
                ceiling: None,
                arrivals: Arrivals::default(),
            });
            let patience = millis(case.patience_ms);
            let outcome = standing.advance(&Params::default(), &epoch, (rate, drain), patience);
            let (name, back) = match outcome {
                None => (None, 0.0),
                Some(AttemptOutcome::Contended(rate)) => (Some("contended"), rate.bps()),
                Some(AttemptOutcome::LongerPath(rate)) => (Some("longer_path"), rate.bps()),
            };
            assert_eq!(name, step.expect_outcome.as_deref(), "{step:?}");
            assert!((back - step.expect_back_bps).abs() < 1.0, "{step:?}");
        }
    }
}

#[test]
fn steps_and_what_they_leave_agree_with_the_shared_vectors() {
    let Vectors { course, limits, .. } = vectors();
    for case in course.into_iter().chain(limits) {
        let params = Params::parse(&case.options).unwrap();
        let (before, seen) = (control(&case), seen_in(&params, &case));
        let made = step(&params, &seen, &before);
        let got = [
            Some(made.next.rate.bps()),
            made.alpha.map(Rate::bps),
            made.beta,
            made.next.state.drain().map(|drain| drain.return_rate.bps()),
            Some(made.next.since_decrease.as_secs_f64() * 1e3),
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
        let zone = seen.sampled().map(|epoch| law::zone(&epoch).number());
        assert_eq!(zone, case.expect_zone, "{case:?}");
        let starts = made.next.state.is_startup();
        assert_eq!(starts, case.expect_startup, "{case:?}");
        let outcome = made.outcome.map(Outcome::as_str);
        assert_eq!(outcome, case.expect_outcome.as_deref(), "{case:?}");
    }
}

/// What the epochs before have left.
fn control(case: &CourseCase) -> Control {
    let drain = case.share_bps.map(|share| Drain {
        return_rate: Rate::from_bps(share),
        ceiling: case.startup_rate_bps.map(Rate::from_bps),
        arrivals: Arrivals::new(millis(case.drain_lasted_ms), case.drain_arrived_bits),
    });
    Control {
        state: match (case.startup, drain) {
            (true, _) => State::Startup { path_is_new: false },
            (false, Some(drain)) => State::Draining(drain),
            (false, None) => State::Growing,
        },
        since_decrease: millis(case.undisturbed_ms),
        resumed_at: Rate::from_bps(case.resumed_at_bps),
        ..Control::new(Rate::from_bps(case.rate_bps))
    }
}

fn seen_in(params: &Params, case: &CourseCase) -> Seen {
    let (rate, length) = (Rate::from_bps(case.rate_bps), millis(case.length_ms));
    let thresholds = Thresholds::new(params, rate, SIZE, Some(delay(case.longest_ms)));
    let link = Link::new(SIZE, millis(case.transmission_ms), true);
    let observed = Observed {
        excessive_loss: case.overwhelmed,
        ..seen(case.delta_ms, case.lost)
    };
    let queues = is_queue(params, &thresholds, (rate, length), &link, observed.queue);
    Seen {
        duration: Duration::ZERO,
        length,
        link,
        observed: case.samples.then_some(observed),
        thresholds,
        jitter: millis(case.jitter_ms),
        ack_jitter: millis(case.jitter_ms),
        delivery_rate: Rate::from_bps(case.arrived_bps),
        arriving: Duration::ZERO,
        uncertain: case.uncertain,
        tells_rate: case.tells_rate && !case.app_limited,
        lost_total: u64::from(case.lost),
        background: Background::of(case.background),
        met: match (queues, case.fills) {
            (true, _) => Met::Queue,
            (false, true) => Met::Capacity,
            (false, false) => Met::Nothing,
        },
        app_limited: case.app_limited,
        tried: !case.app_limited || case.by_train,
        recently_app_limited: case.app_limited,
        train_rate: Rate::from_bps(case.train_bps),
        used_rate: Rate::from_bps(case.used_bps),
        may_queue: case.may_queue,
        interrupted: case.interrupted,
        ..epochs::seen()
    }
}
