//! The law against numbers that the analysis package computes from the paper on its own.

use serde::Deserialize;

use super::*;

/// The part of the shared vectors that is the paper's.
#[derive(Deserialize)]
struct Vectors {
    alpha: Vec<AlphaCase>,
    update: Vec<UpdateCase>,
    trend: Vec<TrendCase>,
}

#[derive(Deserialize)]
struct AlphaCase {
    delta_ms: f64,
    expect_bps: f64,
}

#[derive(Deserialize)]
struct UpdateCase {
    delta_ms: f64,
    lost: bool,
    trend: String,
    expect_zone: u64,
    expect_beta: Option<f64>,
    expect_alpha_bps: Option<f64>,
}

#[derive(Deserialize)]
struct TrendCase {
    d1_ms: f64,
    rowd_ms: Vec<f64>,
    expect: String,
    why: String,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../../../../tests/vectors/hybrid.json")).unwrap()
}

fn trend_of(name: &str) -> Trend {
    match name {
        "increasing" => Trend::Increasing,
        "non_increasing" => Trend::NonIncreasing,
        _ => Trend::Unknown,
    }
}

#[test]
fn equation_3_agrees_with_the_shared_vectors() {
    for case in vectors().alpha {
        let got = paper_alpha(delay(case.delta_ms)).bps();
        assert!(
            close(got, case.expect_bps),
            "delta {}: {got}, not {}",
            case.delta_ms,
            case.expect_bps
        );
    }
}

#[test]
fn zones_and_equation_4_agree_with_the_shared_vectors() {
    for case in vectors().update {
        let seen = seen(case.delta_ms, trend_of(&case.trend), case.lost);
        let label = format!("{seen:?}");
        assert_eq!(
            zone(&thresholds(), &seen).number(),
            case.expect_zone,
            "{label}"
        );
        match (paper_beta(&seen), case.expect_beta) {
            (Some(got), Some(expected)) => {
                assert!(close(got, expected), "{label}: {got}, not {expected}")
            }
            (got, expected) => assert_eq!(got, expected, "{label}"),
        }
        if let Some(expected) = case.expect_alpha_bps {
            assert!(close(paper_alpha(seen.delta).bps(), expected), "{label}");
        }
    }
}

#[test]
fn the_trend_test_agrees_with_the_shared_vectors() {
    for case in vectors().trend {
        let delays: Vec<Owd> = case.rowd_ms.iter().map(|ms| delay(*ms)).collect();
        let floor = Owd::from_nanos(delay(case.d1_ms).as_nanos() / 4);
        assert_eq!(
            trend(delays.len(), |range| delays[range].to_vec(), floor).as_str(),
            case.expect,
            "{}",
            case.why
        );
    }
}
