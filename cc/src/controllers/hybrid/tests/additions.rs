//! What the default profile has beyond the paper's skeleton.

use super::*;

#[test]
fn thresholds_follow_the_flows_own_rate_within_bounds() {
    let of = |options: &str, mbps: f64| {
        let params = Params::parse(options).unwrap();
        Thresholds::new(&params, Rate::from_bps(mbps * 1e6), SIZE, None)
    };
    // Two packets of 1250 bytes at 5 Mbit/s take 4 ms.
    let t = of("", 5.0);
    assert_eq!(
        [t.d0, t.d1, t.d2, t.d3].map(|d| d.to_duration().as_micros()),
        [500, 4_000, 8_000, 16_000]
    );
    let d1 = |options: &str, mbps: f64| of(options, mbps).d1.to_duration();
    assert_eq!(d1("target_packets=3", 5.0), 6 * MILLI);
    assert_eq!(d1("", 1.0), 12 * MILLI);
    assert_eq!(d1("", 0.5), 20 * MILLI, "a packet at least");
    assert_eq!(d1("", 0.05), 100 * MILLI);
    assert_eq!(d1("", 10_000.0), MILLI / 5);
    let given = of("target_delay=10ms", 5.0);
    assert_eq!((given.d2, given.d3), (delay(20.0), delay(40.0)));
}

#[test]
fn a_decrease_drains_the_queue_and_returns_to_what_arrived() {
    let mut path = Path::steady("");
    path.epoch(0.0, 0);
    let arrived = 1e6;
    let before = path.rate();
    assert!(before >= arrived);
    // 27 ms are drained in three epochs of 100 ms by a flow that sends 9 % less than what arrives.
    // The first of ten samples came with the feedback that ended the epoch before.
    path.epoch(30.0, 0);
    assert!(close(path.rate(), arrived * 0.91), "{}", path.rate());
    // Nothing comes back yet that was sent since; then there is still a queue, then none.
    path.epoch(14.0, 0);
    assert!(close(path.rate(), arrived * 0.91), "{}", path.rate());
    path.epoch(6.5, 0);
    assert!(close(path.rate(), arrived * 0.91), "{}", path.rate());
    path.epoch(0.0, 0);
    assert!(close(path.rate(), arrived * 0.99), "{}", path.rate());
    assert_eq!(path.controller.state(), "growing");
}

#[test]
fn a_queue_that_does_not_drain_is_answered_again() {
    let mut path = Path::steady("");
    path.epoch(0.0, 0);
    path.epoch(60.0, 0);
    let first = path.rate();
    path.epoch(60.0, 0);
    assert_eq!(path.rate(), first, "that was sent before");
    path.epoch(90.0, 0);
    assert_eq!(
        path.rate(),
        first,
        "an epoch of what was sent since begins at its end"
    );
    // A queue that stands there all of a sudden is as well jitter for a while, by a tenth here.
    let jitter = path.controller.model.delay.jitter().as_secs_f64();
    assert!(jitter < 0.01, "{jitter}");
    path.epoch(90.0, 0);
    let expected = 1e6 * (1.0 - (0.090 - jitter) / 0.3);
    assert!((path.rate() - expected).abs() < 1.0, "{}", path.rate());
}

#[test]
fn the_increase_grows_until_something_stops_it() {
    let mut path = Path::steady("");
    let mut rates = vec![path.rate()];
    for _ in 0..6 {
        path.epoch(0.0, 0);
        rates.push(path.rate());
    }
    let steps: Vec<f64> = rates.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // 0.02 packets of 10,000 bits per 100 ms, half more every 100 ms.
    for (n, step) in steps.iter().enumerate() {
        let expected = 0.02 * 1e4 / 0.1 * 1.5f64.powi(n as i32);
        assert!(close(*step, expected), "{n}: {step}, not {expected}");
    }
    path.epoch(15.0, 0);
    path.epoch(0.0, 0);
    path.epoch(0.0, 0);
    let low = path.epoch(0.0, 0);
    assert!(low > 1.0, "it returns");
    let again = path.rate();
    path.epoch(0.0, 0);
    assert!(close(path.rate() - again, 2_000.0), "and begins anew");
}

#[test]
fn the_increase_never_exceeds_a_quarter() {
    let mut path = Path::steady("");
    for _ in 0..40 {
        let factor = path.epoch(0.0, 0);
        assert!(factor <= 1.25 + 1e-9, "{factor}");
    }
    assert!(path.epoch(0.0, 0) > 1.2499);
}

#[test]
fn start_up_grows_with_what_comes_back_until_a_queue_shows() {
    let mut path = Path::new("startup_gain=2");
    // Ten packets in 100 ms add 1 Mbit/s.
    for expected in [2e6, 3e6, 4e6] {
        path.epoch(0.0, 0);
        assert!(close(path.rate(), expected), "{}", path.rate());
    }
    assert_eq!(path.controller.state(), "startup");
    // A queue above d1 / 2 that lasts for a quarter of L ends it. A packet of 1250 bytes came back
    // every 10 ms.
    (0..3).for_each(|_| path.ack(20.0, 0));
    assert_eq!(path.controller.state(), "startup");
    path.ack(20.0, 0);
    assert!(path.controller.state() == "draining");
    // The fourth ends the epoch and is the first sample of the next one; the first one was that of
    // the epoch before.
    let beta = 20.0 * 3.0 / 4.0 / 300.0;
    assert!(close(path.rate(), 1e6 * (1.0 - beta)), "{}", path.rate());
}

/// A start-up of so many epochs without a queue, which then meets one.
fn after_growth(epochs: usize) -> Path {
    let mut path = Path::new("startup_gain=2");
    (0..epochs).for_each(|_| {
        path.epoch(0.0, 0);
    });
    met_a_queue(path)
}

/// Start-up meets a queue, which drains. 1 Mbit/s arrives.
fn met_a_queue(mut path: Path) -> Path {
    while path.controller.state() == "startup" {
        path.ack(20.0, 0);
    }
    // No faster than a queue drains, or it would be jitter.
    let mut queue_ms: f64 = 20.0;
    while path.controller.state() == "draining" {
        queue_ms = (queue_ms - 1.0).max(0.0);
        path.ack(queue_ms, 0);
    }
    path
}

#[test]
fn start_up_goes_on_where_nearly_all_arrives_that_was_sent_at_its_end() {
    // A flow that is alone has grown well beyond what arrives.
    assert_eq!(after_growth(2).controller.state(), "growing");
    let path = after_growth(0);
    let report = path.controller.trace.latest().unwrap();
    assert_eq!(report.outcome, Some(Outcome::EarlyEnd), "{report:?}");
    assert_eq!(path.controller.state(), "startup");
    assert_eq!(path.controller.control.resumed_at, report.rate);
    let about_what_arrives = 1e6..1.3e6;
    assert!(about_what_arrives.contains(&path.rate()), "{}", path.rate());
}

#[test]
fn start_up_goes_on_once_more_only_with_a_quarter_more() {
    let path = met_a_queue(after_growth(0));
    assert_eq!(path.controller.state(), "growing");
}

#[test]
fn start_up_waits_for_an_application_that_has_no_data() {
    let mut path = Path::new("");
    path.epoch(0.0, 0);
    let before = path.rate();
    path.controller.on_app_limited();
    (0..5).for_each(|_| path.ack(0.0, 0));
    assert_eq!(path.rate(), before);
}

#[test]
fn in_start_up_a_source_limits_that_uses_less_than_half_of_the_rate() {
    // Ten packets of 1250 bytes are sent in 100 ms, of 80 at 8 Mbit/s.
    let is_limited = |in_flight: u64| {
        let mut path = Path::new("initial_rate=8Mbps");
        path.in_flight = Bytes(in_flight);
        (0..2).for_each(|_| {
            path.epoch(0.0, 0);
        });
        path.controller.trace.latest().unwrap().seen.app_limited
    };
    assert!(is_limited(60_000));
    assert!(!is_limited(u64::MAX), "the window was full");
}

/// Full packets that a link of 10 Mbit/s lets out a millisecond apart; they have left `apart_us`
/// apart.
fn dispersed(path: &mut Path, apart_us: u64) {
    path.now = path.now + 10 * MILLI;
    let now = Duration::from_nanos(path.now.as_nanos());
    let packets: Vec<_> = (0..3)
        .map(|n| Acked {
            sent: Time::from_origin(now - 100 * MILLI - Duration::from_micros((2 - n) * apart_us)),
            size: SIZE,
            received: Some(now + Duration::from_millis(n)),
        })
        .collect();
    path.controller
        .on_feedback(&Feedback::of(path.now, &packets, &[]));
}

#[test]
fn start_up_ends_at_the_rate_that_packet_dispersion_shows() {
    let capacity = 1250.0 * 8.0 / 1e-3;
    let mut path = Path::new("startup_gain=2");
    // Packets that arrive as they left show what the sender sends, whatever the link carries.
    (0..60).for_each(|_| dispersed(&mut path, 900));
    assert_eq!(path.controller.state(), "startup");
    assert!(path.rate() > capacity);
    // These have met nothing but each other.
    (0..9).for_each(|_| dispersed(&mut path, 400));
    assert_eq!(path.controller.state(), "startup");
    dispersed(&mut path, 400);
    assert_eq!(path.controller.state(), "growing");
    assert!(close(path.rate(), capacity), "{}", path.rate());
}

#[test]
fn an_application_that_has_nothing_to_send_is_noticed_where_the_window_has_room() {
    let idle = |in_flight| {
        let mut path = Path::steady("initial_rate=8Mbps,without=dips");
        path.full_epoch(8);
        let before = path.rate();
        // Ten packets come back, which is an eighth of R, and nothing leaves.
        for _ in 0..10 {
            path.now = path.now + 10 * MILLI;
            let sent = Time::from_origin(Duration::from_nanos(path.now.as_nanos()) - 105 * MILLI);
            let acked = [Acked {
                sent,
                size: SIZE,
                received: None,
            }];
            path.controller.on_feedback(&Feedback {
                in_flight,
                ..Feedback::of(path.now, &acked, &[])
            });
        }
        path.rate() / before
    };
    assert!(idle(Bytes(5_000)) > 0.97);
    assert!(idle(Bytes(u64::MAX)) < 0.2);
}

#[test]
fn acks_that_come_late_now_and_then_are_jitter_even_with_one_of_them_in_a_span() {
    let mut path = Path::steady("");
    path.every = 10 * MILLI;
    let held_up = |n: u32| 4.0 * f64::from(n * n * 7 % 5);
    let mut decreases = |count: u32, queue_ms: f64| {
        let ended = (0..count).filter_map(|n| {
            path.ack(held_up(n) + queue_ms, 0);
            path.controller.trace.take()
        });
        ended.filter(|report| report.beta.is_some()).count()
    };
    decreases(400, 0.0);
    assert_eq!(decreases(400, 0.0), 0);
    // A queue beyond that is one.
    assert!(decreases(40, 80.0) > 0);
}

#[test]
fn the_window_lets_packets_wait_for_an_ack_that_comes_with_others() {
    let window = |together: u32, apart: u32| {
        let mut path = Path::steady("");
        path.every = apart * MILLI;
        (0..100).for_each(|_| path.batch(together, 0.0, 0));
        (
            path.controller.model.ack_gap.get(),
            path.controller.decision().window.0 as f64 / path.rate(),
        )
    };
    let (steady, together) = (window(1, 10), window(5, 10));
    assert!(steady.0 < MILLI, "{steady:?}");
    assert!(together.0 > 20 * MILLI, "{together:?}");
    assert!(together.1 > steady.1, "{together:?}, {steady:?}");
    // What the source has not sent was not held back.
    assert_eq!(window(1, 50).0, Duration::ZERO);
}

#[test]
fn jitter_and_batches_are_no_queue_and_a_queue_under_them_is() {
    let zone_with = |queue_ms: f64| {
        let mut path = Path::steady("");
        path.epoch(0.0, 0);
        // Every other packet is held up for 40 ms.
        path.every = 5 * MILLI;
        (0..60).for_each(|n| path.ack(queue_ms + 40.0 * f64::from(n % 2), 0));
        path.controller.measured().zone
    };
    assert_eq!(zone_with(0.0), Some(1));
    assert_ne!(zone_with(60.0), Some(1));
}
