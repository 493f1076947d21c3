//! Live video whose encoder follows the rate that it is told.

use std::time::Duration;

use quiche_cc_lab::record::{FlowRecord, Frame};
use quiche_cc_lab::stats::media::MediaStats;
use quiche_cc_lab::summary;

use super::{plan, run};

/// A source over a path of 40 ms, and what its viewer had after the third second.
fn live(cc: &str, link: &str, traffic: &str) -> (FlowRecord, MediaStats) {
    let text = format!(
        r#"
        title = "live video"
        duration = "20s"
        warmup = "3s"
        [[link]]
        name = "bottleneck"
        delay = "20ms"
        buffer = "200ms"
        {link}
        [[flow]]
        name = "main"
        path = ["bottleneck"]
        traffic = {{ kind = "encoder", audio = {{ every = "20ms", bytes = 160 }}, {traffic} }}
        "#
    );
    let plan = plan(&text, cc, 1);
    let flow = run(&plan).flows.remove(0);
    let window = summary::measured(&plan.scenario);
    let stats = MediaStats::of_flow(&plan.scenario.flows[0], &flow, window);
    (flow, stats.expect("it is such media"))
}

fn bytes(frames: &[Frame]) -> Vec<u64> {
    frames.iter().map(|frame| frame.bytes).collect()
}

#[test]
fn a_group_has_its_rungs_rate_and_begins_with_a_frame_of_another_size() {
    let (flow, stats) = live("cubic", r#"rate = "50Mbps""#, r#"rungs = ["2Mbps"]"#);
    let media = flow.media.unwrap();
    let shown = media.shown.len();
    assert!(media.due.len() - shown <= 2, "the last are on their way");
    assert_eq!(bytes(&media.due[..shown]), bytes(&media.shown));
    let group = &media.due[..30];
    let sum: u64 = bytes(group).iter().sum();
    assert!(sum.abs_diff(250_000) < 100, "{sum}");
    assert!(group[0].bytes.abs_diff(4 * group[1].bytes) < 10);
    // Half a round trip and what a frame takes on the link.
    let latency = stats.frame_ms.unwrap();
    assert!(latency.min > 20.0 && latency.p50 < 24.0, "{latency:?}");
    assert_eq!((stats.freezes, stats.rung_changes), (0, 0));
    assert_eq!(stats.encoded_bps, Some(2e6));
    let audio = stats.audio_ms.unwrap();
    assert!(audio.count >= 840 && audio.p95 < 30.0, "{audio:?}");
}

#[test]
fn the_encoder_climbs_to_what_fits_and_gives_way_when_less_does() {
    let rungs = r#"rungs = ["500kbps", "800kbps", "1300kbps", "2Mbps", "3200kbps", "5Mbps"]"#;
    let (flow, stats) = live("hybrid", r#"rate = "5Mbps@0s,2Mbps@15s""#, rungs);
    let due = flow.media.unwrap().due;
    let rung = |second: f64| {
        let frame = due.iter().find(|frame| frame.made.as_secs_f64() >= second);
        frame.expect("there are frames").rung
    };
    assert_eq!(rung(0.1), 0);
    // 85 % of 5 Mbit/s carry the fifth rung, 85 % of 2 Mbit/s the third.
    assert_eq!(rung(14.9), 4, "{stats:?}");
    assert!(rung(19.9) <= 2, "{stats:?}");
    assert!(stats.frame_ms.unwrap().p95 < 500.0, "{stats:?}");
}

#[test]
fn what_is_too_late_is_given_up_until_the_next_group() {
    let traffic = |patience: &str| format!(r#"rungs = ["4Mbps"], patience = "{patience}""#);
    let (flow, impatient) = live("cubic", r#"rate = "2Mbps""#, &traffic("300ms"));
    let (_, patient) = live("cubic", r#"rate = "2Mbps""#, &traffic("60s"));
    assert!(
        impatient.frames_shown < impatient.frames_due * 3 / 4,
        "{impatient:?}"
    );
    assert!(impatient.frozen_share > 0.1, "{impatient:?}");
    let (short, long) = (
        impatient.frame_ms.unwrap().max,
        patient.frame_ms.unwrap().max,
    );
    assert!(short < 1500.0 && long > 3000.0, "{short} and {long}");
    // Every picture is of a group of which all before it was shown.
    let media = flow.media.unwrap();
    let made: Vec<_> = media.due.iter().map(|frame| frame.made).collect();
    let places = media
        .shown
        .iter()
        .map(|frame| made.binary_search(&frame.made).unwrap());
    let mut last = None;
    for place in places {
        assert!(
            place % 30 == 0 || last == Some(place - 1),
            "{last:?} and {place}"
        );
        last = Some(place);
    }
}

#[test]
fn an_interruption_freezes_the_picture_for_as_long_and_little_more() {
    let link = r#"rate = "10Mbps"
        outages = "10s..12s""#;
    let (_, stats) = live("hybrid", link, r#"rungs = ["1Mbps", "1600kbps"]"#);
    let frozen = Duration::from_secs(17).mul_f64(stats.frozen_share);
    assert!(stats.freezes >= 1, "{stats:?}");
    assert!((1.9..4.0).contains(&frozen.as_secs_f64()), "{stats:?}");
}
