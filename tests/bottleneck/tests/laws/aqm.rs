//! CoDel (RFC 8289) and PIE (RFC 8033).

use std::time::Duration;

use crate::sender::run_senders;
use quiche_cc_bottleneck::{Ecn, Exit, Fate, Link, LinkConfig, LossCause, Packet, Time};

const MS: Duration = Duration::from_millis(1);
const SEED: u64 = 3;

/// 10 Mbit/s, on which 1250 bytes take 1 ms, and a round trip of 60 ms.
fn link(queue: &str) -> LinkConfig {
    LinkConfig {
        rate: "10Mbps".parse().unwrap(),
        queue: queue.parse().unwrap(),
        delay: (30 * MS).into(),
        ..LinkConfig::default()
    }
}

/// Sends bursts, each of so many packets at once and at such a time, and returns what leaves, in order.
fn send(queue: &str, ecn: Ecn, bursts: impl IntoIterator<Item = (Duration, u32)>) -> Vec<Exit<()>> {
    send_over(&link(queue), ecn, bursts)
}

/// The same over a link of one's own.
fn send_over(
    config: &LinkConfig,
    ecn: Ecn,
    bursts: impl IntoIterator<Item = (Duration, u32)>,
) -> Vec<Exit<()>> {
    let mut link: Link<()> = config.build(SEED, 0).unwrap();
    for (at, count) in bursts {
        for _ in 0..count {
            let packet = Packet {
                size: 1250,
                ecn,
                flow: 0,
                payload: (),
            };
            link.send(Time::from(at), packet);
        }
    }
    std::iter::from_fn(|| link.receive(Time::from_nanos(u64::MAX))).collect()
}

/// One packet per `pause` for so long.
fn steadily(pause: Duration, time: Duration) -> impl Iterator<Item = (Duration, u32)> {
    let count = time.div_duration_f64(pause) as u32;
    (0..count).map(move |number| (pause * number, 1))
}

fn is_dropped(exit: &Exit<()>) -> bool {
    exit.fate == Fate::Lost(LossCause::Discipline)
}

fn dropped(exits: &[Exit<()>]) -> usize {
    drop_times(exits).len()
}

/// When packets were dropped, milliseconds.
fn drop_times(exits: &[Exit<()>]) -> Vec<f64> {
    let dropped = exits.iter().filter(|exit| is_dropped(exit));
    dropped.map(|exit| exit.at.as_secs_f64() * 1e3).collect()
}

#[test]
fn a_standing_queue_is_brought_to_the_target() {
    for (queue, target, range) in [
        ("codel", 5.0, 0.5..2.0),
        ("codel:target=20ms", 20.0, 0.5..2.0),
        ("pie", 15.0, 0.7..1.4),
        ("pie:target=30ms", 30.0, 0.7..1.4),
    ] {
        for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1] {
            let outcome = run_senders(&link(queue), 4, ecn, 60);
            assert!(
                range.contains(&(outcome.delay / target)),
                "{queue} {ecn:?}: {outcome:?}"
            );
            assert!(outcome.utilisation > 0.95, "{queue} {ecn:?}: {outcome:?}");
            assert_eq!(
                outcome.dropped > 0,
                ecn == Ecn::NotEct,
                "{queue} {ecn:?}: {outcome:?}"
            );
            assert_eq!(
                outcome.marked > 0,
                ecn != Ecn::NotEct,
                "{queue} {ecn:?}: {outcome:?}"
            );
        }
    }
    let unmanaged = LinkConfig {
        buffer: "400ms".parse().unwrap(),
        ..link("droptail")
    };
    let outcome = run_senders(&unmanaged, 4, Ecn::NotEct, 60);
    assert!(outcome.delay > 200.0, "{outcome:?}");
}

/// Bursts of 80 ms that are gone before the next one comes: a queue that does its work.
#[test]
fn good_queues_lose_nothing() {
    let bursts = |packets| (0..50).map(move |number| (300 * MS * number, packets));
    for queue in ["codel", "pie"] {
        assert_eq!(dropped(&send(queue, Ecn::NotEct, bursts(80))), 0, "{queue}");
    }
    // More than an interval above the target is a bad one.
    assert!(dropped(&send("codel", Ecn::NotEct, bursts(120))) > 0);
}

#[test]
fn codel_drops_ever_more_often_by_the_square_root() {
    // 25 % too much, and nobody reacts.
    let drops = drop_times(&send("codel", Ecn::NotEct, steadily(4 * MS / 5, 3000 * MS)));
    assert!(drops.len() > 200);
    // 5 ms are reached after 25 ms, then the interval begins.
    assert!((120.0..132.0).contains(&drops[0]), "{}", drops[0]);
    let mut due = drops[0];
    for (number, drop) in drops.iter().enumerate().take(200).skip(1) {
        due += 100.0 / (number as f64).sqrt();
        // A drop waits for the packet in service, which takes a millisecond.
        assert!(
            (-0.001..1.001).contains(&(drop - due)),
            "drop {number} at {drop}, due {due}"
        );
    }
}

/// A packet takes 20 ms here, four times the target, and one always waits: less could not keep the link busy.
#[test]
fn codel_leaves_a_slow_link_its_next_packet() {
    let slow = LinkConfig {
        rate: "500kbps".parse().unwrap(),
        ..link("codel")
    };
    let ahead = |extra| {
        [(Duration::ZERO, extra)]
            .into_iter()
            .chain(steadily(20 * MS, 10_000 * MS))
    };
    assert_eq!(dropped(&send_over(&slow, Ecn::NotEct, ahead(1))), 0);
    assert!(dropped(&send_over(&slow, Ecn::NotEct, ahead(4))) > 0);
}

#[test]
fn codel_goes_on_where_it_left_off_if_that_was_not_long_ago() {
    let second_gap = |pause: Duration| {
        let overload = steadily(4 * MS / 5, 3000 * MS);
        let again =
            steadily(4 * MS / 5, 500 * MS).map(|(at, count)| (at + 3000 * MS + pause, count));
        let drops = drop_times(&send("codel", Ecn::NotEct, overload.chain(again)));
        let restart = (3000 * MS + pause).as_secs_f64() * 1e3;
        let second: Vec<_> = drops.into_iter().filter(|&at| at > restart).collect();
        second[1] - second[0]
    };
    // Half a second drains the queue.
    assert!(second_gap(700 * MS) < 10.0);
    assert!((100.0..101.0).contains(&second_gap(5000 * MS)));
}

#[test]
fn pie_drops_what_is_too_much_and_holds_its_delay() {
    let exits = send("pie", Ecn::NotEct, steadily(4 * MS / 5, 60_000 * MS));
    let late: Vec<_> = exits
        .iter()
        .filter(|exit| exit.arrived > Time::from(30_000 * MS))
        .collect();
    let share = late.iter().filter(|exit| is_dropped(exit)).count() as f64 / late.len() as f64;
    assert!((share - 0.2).abs() < 0.005, "{share}");
    let waits: Vec<_> = late
        .iter()
        .filter_map(|exit| match exit.fate {
            Fate::Delivered(transit) => Some(transit.queueing.as_secs_f64() * 1e3),
            Fate::Lost(_) => None,
        })
        .collect();
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    assert!((mean - 15.0).abs() < 1.5, "{mean} ms");
}

#[test]
fn pie_lets_a_burst_pass_before_it_begins() {
    let first = |queue: &str| drop_times(&send(queue, Ecn::NotEct, steadily(MS / 2, 2000 * MS)))[0];
    // Twice the rate: half the target is reached after 15 ms, and the allowance begins to be used up.
    let without = first("pie:burst=0ms");
    for burst in [300.0, 500.0] {
        let with = first(&format!("pie:burst={burst}ms"));
        assert!(
            (burst..burst + 100.0).contains(&with) && without < 250.0,
            "{with} {without}"
        );
    }
}

#[test]
fn pie_grants_a_burst_again_after_a_quiet_time() {
    let overload =
        |from: Duration| steadily(MS / 2, 1000 * MS).map(move |(at, count)| (from + at, count));
    let again = 6000 * MS;
    let packets = overload(Duration::ZERO).chain(overload(again));
    let drops = drop_times(&send("pie:burst=300ms", Ecn::NotEct, packets));
    let second = drops
        .iter()
        .find(|&&at| at > again.as_secs_f64() * 1e3)
        .unwrap();
    assert!((6300.0..6400.0).contains(second), "{second}");
}

#[test]
fn pie_marks_while_that_may_help_and_drops_when_it_does_not() {
    let exits = send("pie", Ecn::Ect1, steadily(4 * MS / 5, 20_000 * MS));
    let first_drop = exits
        .iter()
        .position(is_dropped)
        .expect("nobody reacts to marks");
    let marks = |exits: &[Exit<()>]| {
        exits
            .iter()
            .filter(|exit| exit.packet.ecn == Ecn::Ce)
            .count()
    };
    assert!(marks(&exits[..first_drop]) > 0);
    // From 10 % on it drops; what it takes is 20 %.
    assert_eq!(marks(&exits[exits.len() / 2..]), 0);
}

/// A pause of eleven days is 10^9 updates.
#[test]
fn a_long_pause_takes_pie_no_time_to_compute() {
    let pause = Duration::from_secs(1_000_000);
    let exits = send(
        "pie:update=1ms",
        Ecn::NotEct,
        (0..50).map(|number| (pause * number, 80)),
    );
    assert_eq!(dropped(&exits), 0);
}
