use super::*;
use crate::catalogue::BUILT_IN;

#[test]
fn quiche_takes_every_controller_by_name_and_refuses_bad_options() {
    register();
    register();
    let mut config = quiche::Config::new(quiche::PROTOCOL_VERSION).unwrap();
    for entry in CATALOGUE {
        assert_eq!(config.set_cc_algorithm_name(entry.name), Ok(()));
        for profile in entry.profiles {
            let spec = format!("{}:{profile}", entry.name);
            assert_eq!(config.set_cc_algorithm_name(&spec), Ok(()), "{spec}");
        }
        let bad = format!("{}:nonsense=1", entry.name);
        assert_eq!(
            config.set_cc_algorithm_name(&bad),
            Err(quiche::Error::CongestionControl)
        );
    }
    assert_eq!(
        config.set_cc_algorithm_name("hybird"),
        Err(quiche::Error::CongestionControl)
    );
    for name in BUILT_IN {
        assert_eq!(config.set_cc_algorithm_name(name), Ok(()), "{name}");
    }
}

#[test]
fn a_name_that_quiche_refused_is_refused_again_and_not_taken_for_known() {
    let nothing = |_: &str| Err(an_error());
    congestion_control::register("taken-by-another", Box::new(nothing)).unwrap();
    let mut known = Known(BTreeSet::new());
    for _ in 0..2 {
        let refused = known.make("taken-by-another", |_| Err(SpecError::new("no")));
        assert!(refused
            .unwrap_err()
            .to_string()
            .contains("taken-by-another"));
    }
    for _ in 0..2 {
        let made = known.make("taken-by-nobody", |_| Err(SpecError::new("no")));
        assert!(made.is_ok());
    }
}

fn an_error() -> quiche::Error {
    quiche::Error::CongestionControl
}

#[test]
fn rates_beyond_what_quiche_can_count_are_bounded() {
    for bps in [2f64.powi(61), 2f64.powi(64), 1e30, f64::MAX] {
        let most = bandwidth(Rate::from_bps(bps)).to_bytes_per_second();
        assert!(most <= MOST_BYTES_PER_SECOND, "{bps}: {most}");
        assert!(
            most as f64 >= bps.min(2f64.powi(61)) / 8.0 * 0.99,
            "{bps}: {most}"
        );
    }
    assert_eq!(
        bandwidth(Rate::from_bps(8e9)).to_bytes_per_second(),
        1_000_000_000
    );
    assert_eq!(bandwidth(Rate::default()).to_bytes_per_second(), 1);
}

#[test]
fn events_reach_the_trace_with_exact_counts_and_rounded_numbers() {
    let fields = vec![
        ("n", Value::Count(u64::MAX)),
        ("x", Value::Number(1.0 / 3.0)),
        ("z", Value::Null),
    ];
    let event = qlog_event(Event {
        name: "test",
        fields,
    });
    assert_eq!(event.name, "cc:test");
    assert_eq!(
        event.data,
        [
            ("n", QlogValue::Count(u64::MAX)),
            ("x", QlogValue::Number(0.333333)),
            ("z", QlogValue::Null),
        ]
    );
}
