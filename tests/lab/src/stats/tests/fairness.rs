use std::time::Duration;

use super::{regular, window};
use crate::record::FlowRecord;
use crate::stats::fairness::{convergence_time, jain, phases, shares, Equality, Party, Phase};
use crate::stats::Window;

fn party(record: &FlowRecord, active: Window) -> Party<'_> {
    Party { record, active }
}

/// Like `first` and then like `second`.
fn then(mut first: FlowRecord, second: FlowRecord) -> FlowRecord {
    first.deliveries.extend(second.deliveries);
    first
}

#[test]
fn jains_index_is_one_for_equal_and_one_nth_for_single_shares() {
    assert_eq!(jain(&[3.0, 3.0, 3.0]), Some(1.0));
    assert_eq!(jain(&[8.0, 0.0, 0.0, 0.0]), Some(0.25));
    assert_eq!(jain(&[1.0, 3.0]), Some(0.8));
    assert_eq!((jain(&[]), jain(&[0.0, 0.0])), (None, None));
}

#[test]
fn only_flows_that_are_active_all_the_time_have_a_share() {
    let (one, three) = (regular(0, 2000, 1), regular(0, 2000, 3));
    let late = regular(500, 2000, 8);
    let parties = [
        party(&one, window(0, 2000)),
        party(&late, window(500, 2000)),
        party(&three, window(0, 2000)),
    ];
    assert_eq!(shares(&parties, window(0, 1000)), Some(vec![0.5, 1.5]));
    assert_eq!(
        shares(&parties, window(500, 2000)),
        Some(vec![0.25, 2.0, 0.75])
    );
    assert_eq!(shares(&parties, window(1000, 3000)), None);
}

#[test]
fn phases_begin_and_end_where_flows_come_and_go() {
    let active = [window(100, 900), window(300, 700), window(300, 900)];
    let phase = |from, to, present: &[usize]| Phase {
        window: window(from, to),
        present: present.to_vec(),
    };
    assert_eq!(
        phases(&active, window(200, 1000)),
        [
            phase(200, 300, &[0]),
            phase(300, 700, &[0, 1, 2]),
            phase(700, 900, &[0, 2])
        ]
    );
}

const EQUALITY: Equality = Equality {
    tolerance: 0.25,
    bin: Duration::from_millis(1000),
    hold: Duration::from_millis(2500),
};

#[test]
fn shares_have_converged_when_they_stay_equal_long_enough() {
    // 9 : 1 for 3 s, 5 : 5 for 1 s, 8 : 2 for 1 s, then 6 : 4, which is 20 % off.
    let spans = [
        (0, 3000, 9),
        (3000, 4000, 5),
        (4000, 5000, 8),
        (5000, 9000, 6),
    ];
    let sum = |share: fn(usize) -> usize| {
        spans
            .iter()
            .map(|(from, to, packets)| regular(*from, *to, share(*packets)))
            .fold(FlowRecord::default(), then)
    };
    let (first, second) = (sum(|packets| packets), sum(|packets| 10 - packets));
    let active = window(0, 9000);
    let parties = [party(&first, active), party(&second, active)];
    let time = |until| convergence_time(&parties, window(0, until), &EQUALITY);
    assert_eq!(time(9000), Some(Duration::from_secs(5)));
    assert_eq!(time(8000), Some(Duration::from_secs(5)));
    assert_eq!(time(7900), None, "three whole bins have to be equal");
    let strict = Equality {
        tolerance: 0.19,
        ..EQUALITY
    };
    assert_eq!(convergence_time(&parties, active, &strict), None);
}

#[test]
fn a_flow_alone_has_converged_at_once_if_it_gets_anything() {
    let (busy, idle) = (regular(0, 9000, 1), FlowRecord::default());
    let active = window(0, 9000);
    let time = |flow| convergence_time(&[party(flow, active)], active, &EQUALITY);
    assert_eq!(time(&busy), Some(Duration::ZERO));
    assert_eq!(time(&idle), None);
}
