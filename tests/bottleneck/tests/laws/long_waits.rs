//! Links that stop while their station does not get the medium.

use std::time::Duration;

use super::wires::pass;
use quiche_cc_bottleneck::{Exit, Fate, Link, LinkConfig, Time, Transit};

const SEED: u64 = 5;
const MS: Duration = Duration::from_millis(1);
const SECONDS: u32 = 200;
const MODEL: &str = "wifi:median=100us,stall=50ms..100ms,every=2s";
/// Longer than any wait for a turn with this median, and than what the link takes for what waits.
const LONG: Duration = Duration::from_millis(20);

fn config(rate: &str, ends: &str) -> LinkConfig {
    LinkConfig {
        rate: rate.parse().unwrap(),
        jitter: Some(format!("{MODEL},{ends}").parse().unwrap()),
        ..LinkConfig::default()
    }
}

fn link(rate: &str, ends: &str, id: u64) -> Link<u32> {
    config(rate, ends).build(SEED, id).unwrap()
}

/// What leaves of packets that are sent one per `pause`.
fn exits(link: &mut Link<u32>, pause: Duration) -> Vec<Exit<u32>> {
    let count = (Duration::from_secs(SECONDS.into()).as_nanos() / pause.as_nanos()) as u32;
    pass(link, count, pause)
}

fn transit(exit: &Exit<u32>) -> Transit {
    match exit.fate {
        Fate::Delivered(transit) => transit,
        Fate::Lost(cause) => panic!("lost by {cause:?}"),
    }
}

/// When nothing came for long: from and until, in whole milliseconds.
fn silences(exits: &[Exit<u32>]) -> Vec<(u64, u64)> {
    let ms = |exit: &Exit<u32>| exit.at.as_nanos() / 1_000_000;
    let pairs = exits.windows(2).map(|pair| (&pair[0], &pair[1]));
    pairs
        .filter(|(before, after)| after.at.since(before.at) > LONG)
        .map(|(before, after)| (ms(before), ms(after)))
        .collect()
}

#[test]
fn packets_wait_in_front_of_a_link_that_stops_and_behind_one_that_sends() {
    let longest = |ends: &str, part: fn(&Transit) -> Duration| {
        let exits = exits(&mut link("10Mbps", ends, 0), MS);
        exits.iter().map(|exit| part(&transit(exit))).max()
    };
    let queueing: fn(&Transit) -> Duration = |transit| transit.queueing;
    let propagation: fn(&Transit) -> Duration = |transit| transit.propagation;
    assert!(longest("link=stops", queueing) > Some(80 * MS));
    assert!(longest("link=stops", propagation) < Some(LONG));
    assert!(longest("link=sends", queueing) < Some(MS));
    assert!(longest("link=sends", propagation) > Some(80 * MS));
}

#[test]
fn long_waits_come_as_often_and_last_as_long_as_they_should() {
    let found = silences(&exits(&mut link("10Mbps", "link=stops", 0), MS));
    let expected = f64::from(SECONDS) / 2.075;
    let count = found.len() as f64;
    assert!(
        (count - expected).abs() < 5.0 * expected.sqrt(),
        "{count} for {expected}, seed {SEED}"
    );
    assert!(found
        .iter()
        .all(|(from, until)| (49..104).contains(&(until - from))));
}

#[test]
fn all_links_of_a_run_stop_at_the_same_times() {
    let of = |ends, id| silences(&exits(&mut link("1Gbps", ends, id), MS));
    let (there, back) = (of("link=stops", 0), of("link=stops", 1));
    assert_eq!(there.len(), back.len());
    assert!(there.len() > 50);
    for (one, other) in there.iter().zip(&back) {
        assert!(
            one.0.abs_diff(other.0) <= 3,
            "{one:?} {other:?}, seed {SEED}"
        );
        assert!(
            one.1.abs_diff(other.1) <= 3,
            "{one:?} {other:?}, seed {SEED}"
        );
    }
    assert_ne!(of("link=sends", 0).len(), 0);
    assert_ne!(of("link=sends", 0)[0], of("link=sends", 1)[0]);
}

#[test]
fn long_waits_are_no_capacity() {
    // A packet takes 10 ms, so that most long waits interrupt one.
    let mut link = link("800kbps", "link=stops", 0);
    let exits = exits(&mut link, 9 * MS);
    let end = Time::from(Duration::from_secs(SECONDS.into()));
    let sent = |exit: &&Exit<u32>| {
        exit.arrived + transit(exit).queueing + transit(exit).serialisation <= end
    };
    let bytes = 1000 * exits.iter().filter(sent).count() as u64;
    let capacity = link.capacity(Time::ZERO, end).expect("it takes time");
    assert!(
        bytes.abs_diff(capacity) <= 1100,
        "{bytes} {capacity}, seed {SEED}"
    );
    let share = capacity as f64 / (100_000.0 * f64::from(SECONDS));
    assert!((0.955..0.975).contains(&share), "{share}, seed {SEED}");
    let halfway = Time::from(Duration::from_secs(u64::from(SECONDS) / 2));
    let (service, _) = config("800kbps", "link=stops").service(SEED).unwrap();
    let part = |from, until| service.capacity(from, until).unwrap();
    let halves = part(Time::ZERO, halfway) + part(halfway, end);
    assert!(halves.abs_diff(capacity) <= 200, "{halves} {capacity}");
}

#[test]
fn a_link_that_takes_no_time_stops_as_well() {
    let exits = exits(&mut link("unlimited", "link=stops", 0), MS);
    assert!(exits.iter().any(|exit| transit(exit).queueing > LONG));
    let order = exits.iter().map(|exit| exit.packet.payload);
    assert!(order.is_sorted());
}
