use std::time::Duration;

use proptest::prelude::*;

use super::law;
use super::mechanism::{Mechanism, Without};
use super::model::seen::Observed;
use super::model::seen::Seen;
use super::thresholds::Thresholds;
use super::*;
use crate::controller::{Controller, Value};
use crate::controllers::testing::{self, close, delay, field, start, MILLI, SIZE};
use crate::feedback::{Acked, Feedback};
use crate::units::{Bytes, Rate, Time};

mod additions;
mod contended;
mod dips;
pub mod epochs;
mod estimator;
mod interruption;
mod lemmas;
mod losses;
mod skew;
mod standing;
mod steps;
mod vectors;

type Path = testing::Path<Hybrid>;

impl Path {
    fn new(options: &str) -> Self {
        Self::with(hybrid(options))
    }

    /// Start-up is over.
    fn steady(options: &str) -> Self {
        let mut hybrid = hybrid(options);
        hybrid.control.state = State::Growing;
        hybrid.control.carried = hybrid.control.rate;
        Self::with(hybrid)
    }
}

fn hybrid(options: &str) -> Hybrid {
    Hybrid::new(Params::parse(options).unwrap(), "hybrid", start())
}

fn millis(ms: f64) -> Duration {
    delay(ms).to_duration()
}

fn seen(delta_ms: f64, lost: bool) -> Observed {
    Observed {
        delta: delay(delta_ms),
        queue: delay(delta_ms),
        unusual_loss: lost,
        excessive_loss: false,
    }
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
        let found = law::growth_period(&Params::default(), Bytes(1000), rate, length);
        let found = Duration::from_secs_f64(found);
        assert_eq!(found, period, "L = {length:?} at {mbps} Mbit/s");
    }
}

#[test]
fn mechanisms_are_left_out_by_name() {
    let without =
        |text: &str| Params::parse(&format!("without={text}")).map(|params| params.without);
    for (place, name) in Mechanism::NAMES.iter().enumerate() {
        assert_eq!(without(name).unwrap(), Without::places(1 << place));
        assert_eq!(without(name).unwrap().text(), *name);
    }
    assert_eq!(without("dips+insist").unwrap().text(), "insist+dips");
    assert_eq!(without("none").unwrap().text(), "none");
    for refused in ["", "dips+", "dips+dips", "none+dips", "luck"] {
        let told = without(refused).unwrap_err().to_string();
        assert!(
            told.contains("one or more of clock_skew, link_rate,"),
            "{told}"
        );
    }
}

proptest! {
    #[test]
    fn whatever_comes_back_rate_and_window_stay_sane(
        spec in prop::sample::select(vec!["", "startup_gain=4", "drain_epochs=0.5,growth=1", "without=contention+dips"]),
        steps in prop::collection::vec((0u64..400, 0u64..3_000, 1u64..1500, 0usize..3, 0usize..3), 1..300),
    ) {
        testing::stays_sane(hybrid(spec), steps);
    }
}

#[test]
fn what_comes_back_in_the_epoch_after_a_decrease_was_sent_before_it() {
    let mut path = Path::steady("target_delay=12ms");
    path.epoch(0.0, 0);
    assert!(path.epoch(18.0, 0) < 1.0);
    assert_eq!(path.epoch(18.0, 1), 1.0);
}

#[test]
fn what_arrives_after_an_application_had_little_to_send_is_not_what_the_path_carries() {
    let mut path = Path::steady("initial_rate=8Mbps,without=dips");
    path.full_epoch(8);
    path.controller.on_app_limited();
    path.epoch(0.0, 0);
    let before = path.rate();
    path.epoch(5.0, 0);
    assert!(path.rate() > 0.97 * before, "{}", path.rate());
}

#[test]
fn what_does_not_arrive_of_the_rate_was_not_used() {
    let used = |rate: &str| {
        let mut path = Path::steady(&format!("initial_rate={rate}"));
        // Eleven packets, as the first epoch begins with one.
        path.epoch(0.0, 0);
        path.controller.model.used_rate()
    };
    assert_eq!(used("8Mbps"), Rate::from_bps(1.1e6));
    assert_eq!(used("500kbps"), Rate::from_bps(0.5e6));
}

#[test]
fn the_window_allows_for_a_queue_of_d3() {
    // 1 Mbit/s for 148 ms.
    let path = Path::steady("target_delay=12ms");
    assert_eq!(path.controller.decision().window, Bytes(15 * 1250));
    assert_eq!(path.controller.decision().burst.after_idle, 0);
    assert_eq!(hybrid("").decision().burst.after_idle, 3);
}

#[test]
fn the_parameters_are_reported_with_the_first_feedback_and_every_epoch_at_its_end() {
    assert_eq!(hybrid("").next_event(), None);
    let mut path = Path::steady("target_delay=12ms");
    let parameters = path.controller.next_event().unwrap();
    assert_eq!(parameters.name, "parameters_set");
    let Value::Map(values) = field(&parameters, "parameters") else {
        panic!("{parameters:?}");
    };
    let mut named: Vec<_> = values.iter().map(|(name, _)| *name).collect();
    let mut known: Vec<_> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(named, known);
    assert_eq!(path.controller.next_event(), None);
    path.epoch(18.0, 2);
    let epoch = path.controller.next_event().unwrap();
    assert_eq!(epoch.name, "hybrid_epoch_updated");
    assert_eq!(field(&epoch, "epoch"), Value::Count(0));
    assert_eq!(field(&epoch, "lost"), Value::Count(2));
    // That of the feedback that ends it is the first of the next one.
    assert_eq!(field(&epoch, "samples"), Value::Count(10));
    // Statistics tell it, too, whether or not a trace is written.
    let measured = path.controller.measured();
    assert_eq!(field(&epoch, "zone"), Value::Count(measured.zone.unwrap()));
    let delta = measured.rowd.unwrap().as_millis();
    assert_eq!(field(&epoch, "delta"), Value::Number(delta));
    assert_eq!(path.controller.next_event(), None);
}
