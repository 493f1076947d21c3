//! Loss, delay and order on the wire, in numbers.

use std::time::Duration;

use quiche_cc_bottleneck::{Exit, Fate, Link, LinkConfig, Loss, LossCause, Packet, Time};

const SEED: u64 = 5;
const MS: Duration = Duration::from_millis(1);

/// Sends `count` packets of 1000 bytes, one per `pause`, and lets all of them out.
pub fn pass(link: &mut Link<u32>, count: u32, pause: Duration) -> Vec<Exit<u32>> {
    for number in 0..count {
        let packet = Packet {
            size: 1000,
            ecn: Default::default(),
            flow: 0,
            payload: number,
        };
        link.send(Time::from(pause * number), packet);
    }
    std::iter::from_fn(|| link.receive(Time::from_nanos(u64::MAX))).collect()
}

/// The same over a link that takes no time; they leave in this order.
fn exits(config: &LinkConfig, count: u32, pause: Duration) -> Vec<Exit<u32>> {
    pass(&mut config.build(SEED, 0).unwrap(), count, pause)
}

fn delays(config: &LinkConfig, count: u32, pause: Duration) -> Vec<Duration> {
    let exits = exits(config, count, pause);
    exits
        .iter()
        .map(|exit| exit.at.since(exit.arrived))
        .collect()
}

/// Which packets were lost, in order.
fn losses(loss: &str, count: u32) -> Vec<bool> {
    let config = LinkConfig {
        loss: loss.parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut exits = exits(&config, count, MS);
    exits.sort_unstable_by_key(|exit| exit.packet.payload);
    let lost = |exit: &Exit<u32>| exit.fate == Fate::Lost(LossCause::Wire);
    exits.iter().map(lost).collect()
}

fn jitter(text: &str) -> LinkConfig {
    LinkConfig {
        jitter: text.parse().ok(),
        ..LinkConfig::default()
    }
}

fn quantile(mut delays: Vec<Duration>, q: f64) -> f64 {
    delays.sort_unstable();
    delays[(delays.len() as f64 * q) as usize].as_secs_f64() * 1e3
}

/// Fails unless `measured` is `expected`, with a margin for chance.
fn near(what: &str, measured: f64, expected: f64, margin: f64) {
    assert!(
        (measured - expected).abs() <= margin,
        "{what}: {measured} for {expected} +- {margin}, seed {SEED}"
    );
}

#[test]
fn bursty_loss_has_its_rate_and_its_burst_length() {
    const COUNT: u32 = 400_000;
    for text in [
        "ge:p=1%,r=25%",
        "ge:p=0.2%,r=50%",
        "ge:p=5%,r=20%,good=1%,bad=50%",
    ] {
        let Loss::Bursts(model) = text.parse().unwrap() else {
            panic!("{text} is bursty");
        };
        let lost = losses(text, COUNT);
        let (p, r) = (model.p.value(), model.r.value());
        let mean = text.parse::<Loss>().unwrap().mean().value();
        // The state of the channel is correlated by 1 - p - r from packet to packet.
        let spread = (mean * (1.0 - mean) * (2.0 / (p + r) - 1.0) / f64::from(COUNT)).sqrt();
        let share = lost.iter().filter(|&&lost| lost).count() as f64 / f64::from(COUNT);
        near(text, share, mean, 5.0 * spread);
        if model.bad.value() == 1.0 {
            let bursts: Vec<_> = lost
                .chunk_by(|a, b| a == b)
                .filter(|run| run[0])
                .map(<[_]>::len)
                .collect();
            let length = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
            let spread = (1.0 - r).sqrt() / r / (bursts.len() as f64).sqrt();
            near(text, length, 1.0 / r, 5.0 * spread);
        }
    }
    assert_eq!(
        "ge:p=1%,r=25%".parse::<Loss>().unwrap().mean().value(),
        0.01 / 0.26
    );
}

#[test]
fn wifi_has_its_median_at_any_packet_rate() {
    for (pause, count) in [(100 * MS, 20_000), (MS, 200_000)] {
        let median = quantile(delays(&jitter("wifi"), count, pause), 0.5);
        near("median, ms", median, 4.0, 0.4);
    }
}

#[test]
fn wifi_stalls_as_often_and_as_long_as_it_should() {
    let config = jitter("wifi:median=100us,stall=50ms..100ms,every=2s");
    let exits = exits(&config, 1_000_000, MS);
    let gaps: Vec<_> = exits
        .windows(2)
        .map(|pair| pair[1].at.since(pair[0].at))
        .filter(|&gap| gap > 20 * MS)
        .collect();
    // 1000 s, and a stall of 75 ms on average every 2 s after the one before.
    let expected = 1000.0 / 2.075;
    near("stalls", gaps.len() as f64, expected, 5.0 * expected.sqrt());
    assert!(gaps.iter().all(|&gap| (50 * MS..102 * MS).contains(&gap)));
    let mean = gaps.iter().sum::<Duration>().as_secs_f64() * 1e3 / gaps.len() as f64;
    near("length of a stall, ms", mean, 75.0, 5.0);
}

#[test]
fn a_pause_of_hours_in_wifi_takes_no_time_to_compute() {
    let delays = delays(
        &jitter("wifi:every=1us,stall=0ms..0ms"),
        20,
        Duration::from_secs(3600),
    );
    assert!(delays.iter().all(|&delay| delay < 1000 * MS), "{delays:?}");
}

#[test]
fn single_packets_are_jittered_as_the_distribution_says() {
    let moments = |config: &LinkConfig| {
        let delays: Vec<_> = delays(config, 20_000, 1000 * MS)
            .iter()
            .map(|delay| delay.as_secs_f64() * 1e3)
            .collect();
        let mean = delays.iter().sum::<f64>() / delays.len() as f64;
        let square = delays
            .iter()
            .map(|delay| (delay - mean).powi(2))
            .sum::<f64>()
            / delays.len() as f64;
        (mean, square.sqrt(), delays.into_iter().fold(0.0, f64::max))
    };
    let (mean, sd, most) = moments(&jitter("uniform:min=2ms,max=10ms"));
    near("mean", mean, 6.0, 0.1);
    near("sd", sd, 8.0 / 12.0_f64.sqrt(), 0.1);
    assert!((9.9..10.0).contains(&most), "{most}");
    let (mean, sd, most) = moments(&jitter("normal:mean=20ms,sd=3ms"));
    near("mean", mean, 20.0, 0.11);
    near("sd", sd, 3.0, 0.1);
    assert!((29.0..40.0).contains(&most), "{most}");
}

#[test]
fn jitter_keeps_the_order_unless_told_otherwise() {
    let order = |text: &str| {
        exits(&jitter(text), 5000, MS)
            .iter()
            .map(|exit| exit.packet.payload)
            .collect::<Vec<_>>()
    };
    assert!(order("uniform:max=10ms").is_sorted());
    assert!(order("normal:mean=5ms,sd=5ms").is_sorted());
    assert!(!order("uniform:max=10ms,order=free").is_sorted());
    assert!(!order("normal:mean=5ms,sd=5ms,order=free").is_sorted());
}

#[test]
fn jitter_is_the_same_on_every_machine() {
    let first = |text: &str| {
        delays(&jitter(text), 3, 1000 * MS)
            .iter()
            .map(Duration::as_nanos)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        first("normal:mean=20ms,sd=3ms"),
        [15412835, 23002131, 23479565]
    );
    assert_eq!(first("wifi"), [3164340, 6774114, 11482285]);
    assert_eq!(first("retries:91ms"), [97809170, 45000000, 121307219]);
}

#[test]
fn retries_have_their_mean_and_are_either_short_or_many() {
    for (text, mean) in [
        ("retries:1ms", 0.7),
        ("retries:7ms", 6.7),
        ("retries:91ms", 90.7),
    ] {
        // Far enough apart for none to wait for the one before. A slot less half a slot, if there is any, is 1 - (1 - 1/e) / 2.
        let delays = delays(&jitter(text), 40_000, 1000 * MS);
        let ms = |delay: &Duration| delay.as_secs_f64() * 1e3;
        let found = delays.iter().map(ms).sum::<f64>() / delays.len() as f64;
        near(text, found, mean, 0.03 * mean + 0.02);
        let collided = delays.iter().filter(|delay| ms(delay) > 30.0).count() as f64;
        let share = collided / delays.len() as f64;
        near("share of collisions", share, (mean - 0.7) / 90.0, 0.01);
    }
}

#[test]
fn retries_follow_the_schedule_of_their_means() {
    let delays = delays(&jitter("retries:1ms@0s,91ms@50s"), 100, 1000 * MS);
    assert!(delays[..50].iter().all(|delay| *delay < 10 * MS));
    assert!(delays[51..].iter().all(|delay| *delay > 10 * MS));
}

#[test]
fn what_follows_a_collision_waits_for_it() {
    let exits = exits(&jitter("retries:7ms"), 2000, MS);
    let order: Vec<_> = exits.iter().map(|exit| exit.packet.payload).collect();
    assert!(order.is_sorted());
    let late = exits
        .iter()
        .filter(|exit| exit.at.since(exit.arrived) > 30 * MS);
    assert!(late.count() > 1000, "most wait where packets are close");
}

#[test]
fn a_detour_is_taken_by_its_share_of_packets_which_the_next_ones_overtake() {
    let config = LinkConfig {
        delay: MS.into(),
        reorder: "p=2%,extra=3ms".parse().ok(),
        ..LinkConfig::default()
    };
    const COUNT: u32 = 50_000;
    let exits = exits(&config, COUNT, 2 * MS);
    let late = exits
        .iter()
        .filter(|exit| exit.at.since(exit.arrived) == 4 * MS)
        .count() as f64;
    assert!(exits
        .iter()
        .all(|exit| [MS, 4 * MS].contains(&exit.at.since(exit.arrived))));
    let mean = f64::from(COUNT) * 0.02;
    near("detours", late, mean, 5.0 * mean.sqrt());
    // One packet, 2 ms behind, overtakes each of them, unless it takes the detour itself.
    let overtaken = exits
        .windows(2)
        .filter(|pair| pair[0].packet.payload > pair[1].packet.payload)
        .count() as f64;
    near(
        "overtaken",
        overtaken,
        late * 0.98,
        5.0 * (late * 0.02).sqrt() + 1.0,
    );
}

#[test]
fn a_delay_that_changes_holds_for_what_is_sent_afterwards() {
    let config = LinkConfig {
        delay: "25ms@0s,50ms@10ms,5ms@20ms".parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut exits = exits(&config, 30, MS);
    let order: Vec<_> = exits.iter().map(|exit| exit.packet.payload).collect();
    // Over the short route 20 to 29 arrive from 25 to 34 ms, between those sent first.
    assert_eq!(order[..4], [0, 20, 1, 21]);
    exits.sort_unstable_by_key(|exit| exit.packet.payload);
    for (number, exit) in exits.iter().enumerate() {
        let delay = [25, 50, 5][number / 10] * MS;
        assert_eq!(exit.at.since(exit.arrived), delay, "packet {number}");
    }
}

#[test]
fn an_outage_loses_what_is_sent_while_it_lasts() {
    let config = LinkConfig {
        outages: "10ms..12ms,20ms..21ms".parse().ok(),
        ..LinkConfig::default()
    };
    let lost: Vec<_> = exits(&config, 30, MS)
        .into_iter()
        .filter(|exit| exit.fate == Fate::Lost(LossCause::Wire))
        .map(|exit| exit.packet.payload)
        .collect();
    assert_eq!(lost, [10, 11, 20]);
}

#[test]
fn batches_leave_at_multiples_of_the_interval_and_hold_no_more_than_they_may() {
    for (text, per_batch) in [
        ("interval=4ms", 8),
        ("interval=4ms,max=8p", 8),
        ("interval=4ms,max=3p", 3),
    ] {
        let config = LinkConfig {
            aggregate: text.parse().ok(),
            ..LinkConfig::default()
        };
        // Two per millisecond, the first just after an interval has begun.
        let exits = exits(&config, 800, MS / 2);
        let turns: Vec<_> = exits.iter().map(|exit| exit.at.as_nanos()).collect();
        assert!(
            turns.iter().all(|at| at.is_multiple_of(4_000_000)),
            "{text}"
        );
        let batches: Vec<_> = turns[1..].chunk_by(|a, b| a == b).map(<[_]>::len).collect();
        let (last, full) = batches.split_last().unwrap();
        assert!(
            full.iter().skip(1).all(|&size| size == per_batch) && *last <= per_batch,
            "{text}: {batches:?}"
        );
    }
}

#[test]
fn jitter_comes_before_the_batch() {
    let config = LinkConfig {
        jitter: "uniform:max=10ms".parse().ok(),
        aggregate: "interval=4ms".parse().ok(),
        ..LinkConfig::default()
    };
    let exits = exits(&config, 1000, MS);
    assert!(exits
        .iter()
        .all(|exit| exit.at.as_nanos().is_multiple_of(4_000_000)));
}
