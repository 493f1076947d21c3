//! The skew of the peer's clock.

use serde::Deserialize;

use super::*;
use crate::measure::skew::Skew;
use crate::units::Owd;

/// The part of the shared vectors that is about it.
#[derive(Deserialize)]
struct Vectors {
    skew: Vec<SkewCase>,
}

#[derive(Deserialize)]
struct SkewCase {
    parts: Vec<Part>,
}

/// What was least in a part of the window, of a second.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Part {
    Restart {
        #[serde(rename = "restart")]
        _restart: bool,
    },
    Seen {
        number: u64,
        forward_us: i64,
        back_us: i64,
        expect_ppm: f64,
    },
}

#[test]
fn the_skew_agrees_with_the_shared_vectors() {
    let text = include_str!("../../../../../tests/vectors/hybrid.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    assert!(!vectors.skew.is_empty());
    for case in vectors.skew {
        let mut skew = Skew::new(Duration::from_secs(1));
        for part in case.parts {
            let Part::Seen {
                number,
                forward_us,
                back_us,
                expect_ppm,
            } = part
            else {
                skew.restart();
                continue;
            };
            let micros = |value: i64| Owd::from_nanos(value * 1_000);
            let seen = (Some(micros(forward_us)), Some(micros(forward_us + back_us)));
            skew.part_over(number, seen);
            let ppm = skew.ppm();
            // In whole nanoseconds; divisions leave fractions of them out.
            assert!((ppm - expect_ppm).abs() < 0.03, "{part:?}: {ppm}");
        }
    }
}

#[test]
fn the_minima_follow_the_clock_unless_they_are_told_not_to() {
    for (options, follows) in [("", true), ("without=clock_skew", false)] {
        assert_eq!(
            hybrid(options).model.delay.skew_ppm().is_some(),
            follows,
            "{options}"
        );
    }
}
