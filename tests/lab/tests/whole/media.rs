//! Units of media on streams with priorities.

use std::time::Duration;

use quiche_cc_bottleneck::Time;
use quiche_cc_lab::record::FlowRecord;

use super::{plan, run};

const MS: Duration = Duration::from_millis(1);

/// A call over a path of 20 ms of round trip at this rate.
fn call(rate: &str, duration: &str, tracks: &str) -> FlowRecord {
    let text = format!(
        r#"
        title = "a call"
        duration = "{duration}"
        [[link]]
        name = "bottleneck"
        rate = "{rate}"
        delay = "10ms"
        buffer = "200ms"
        [[flow]]
        name = "main"
        path = ["bottleneck"]
        traffic = {{ kind = "media", tracks = [{tracks}] }}
        "#
    );
    run(&plan(&text, "cubic", 1)).flows.remove(0)
}

fn delays(flow: &FlowRecord) -> impl Iterator<Item = Duration> + '_ {
    let delay = |&(expected, done): &(Time, Time)| done.since(expected);
    flow.completions.iter().map(delay)
}

#[test]
fn every_unit_takes_a_round_trip_and_its_own_time_on_the_link() {
    let flow = call(
        "unlimited",
        "2010ms",
        r#"{ every = "20ms", sizes = [{ bytes = 100 }, { bytes = 1000, times = 9 }] }"#,
    );
    // From the handshake on, which takes a round trip; of the last groups some are still on their way.
    assert!((96..=100).contains(&flow.completions.len()));
    for delay in delays(&flow) {
        assert!(delay.abs_diff(20 * MS) <= MS, "{delay:?}");
    }
    let expected: Vec<_> = flow.completions.iter().map(|unit| unit.0).collect();
    for pair in expected.windows(2) {
        assert_eq!(pair[1].since(pair[0]), 20 * MS);
    }
}

#[test]
fn an_urgent_track_does_not_wait_for_one_that_fills_the_path() {
    let tracks = |urgency: u8| {
        format!(
            r#"{{ every = "20ms", sizes = [{{ bytes = 80, times = 50 }}], urgency = {urgency} }},
               {{ every = "40ms", sizes = [{{ bytes = 9000, times = 25 }}], urgency = 3, counted = false }}"#
        )
    };
    let worst = |urgency| {
        let flow = call("2Mbps", "8s", &tracks(urgency));
        // Start-up apart, while the window is found.
        let late = delays(&flow).skip(100);
        late.max().expect("units arrive")
    };
    let (first, last) = (worst(0), worst(7));
    assert!(first + 15 * MS < last, "{first:?} and {last:?}");
}

#[test]
fn a_group_that_is_too_late_is_given_up_and_the_next_is_asked_for() {
    let track = |patience: &str| {
        format!(
            r#"{{ every = "40ms", sizes = [{{ bytes = 20000, times = 25 }}], urgency = 3, patience = "{patience}" }}"#
        )
    };
    // Twice what the path carries: the delay grows by half a second every second.
    let latest = |patience| {
        let flow = call("2Mbps", "6s", &track(patience));
        let latest = delays(&flow).max().expect("units arrive");
        (flow.completions.len(), latest)
    };
    let (patient, late) = latest("60s");
    let (impatient, in_time) = latest("500ms");
    assert!(late > 1500 * MS, "{late:?}");
    assert!(in_time < 1000 * MS, "{in_time:?}");
    assert!(
        impatient > 10 && impatient < patient,
        "{impatient} of {patient}"
    );
}
