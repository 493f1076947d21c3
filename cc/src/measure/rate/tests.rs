use proptest::prelude::*;

use super::*;
use crate::feedback::Acked;
use crate::measure::owd::CLASSES;

const SIZE: Bytes = Bytes(1250);
const SPAN: Duration = Duration::from_millis(10);
const LEAST: u64 = 20;

fn nanos(nanos: u64) -> Time {
    Time::from_origin(Duration::from_nanos(nanos))
}

/// Sends packets and acknowledges each at once: the RTT does not matter here.
struct Bench {
    meter: RateMeter,
    smallest: Option<Owd>,
    latest: Option<RateSample>,
    offset: i64,
}

impl Bench {
    fn new() -> Self {
        Self {
            meter: RateMeter::new(SPAN),
            smallest: None,
            latest: None,
            offset: 0,
        }
    }

    fn lose(&mut self, sent: u64) {
        self.meter.on_sent(nanos(sent), SIZE, Rate::from_bps(1e6));
    }

    fn deliver(&mut self, sent: u64, owd: i64) -> Option<RateSample> {
        self.lose(sent);
        let owd = Owd::from_nanos(owd + self.offset);
        self.smallest = Some(self.smallest.map_or(owd, |smallest| smallest.min(owd)));
        let sample = Sample {
            sent: nanos(sent),
            owd,
            above: Owd::ZERO,
            class: CLASSES - 1,
            source: Source::ReceiveTimestamps,
            restarts: false,
        };
        let acked = [Acked {
            sent: nanos(sent),
            size: SIZE,
            received: None,
        }];
        let feedback = Feedback::of(nanos(sent), &acked, &[]);
        let got =
            self.meter
                .on_feedback(&feedback, Some((sample, [self.smallest; CLASSES])), LEAST);
        self.latest = got.or(self.latest);
        got
    }

    /// `count` packets `gap` ns apart from `from` on, each delayed by what `owd` says of its
    /// number.
    fn train(&mut self, from: u64, count: u64, gap: u64, owd: impl Fn(u64) -> i64) -> RateSample {
        for number in 0..count {
            self.deliver(from + number * gap, owd(number));
        }
        self.latest.unwrap()
    }
}

fn close(rate: Rate, bps: f64) -> bool {
    (rate.bps() / bps - 1.0).abs() < 1e-6
}

const MILLI: u64 = 1_000_000;

#[test]
fn an_idle_path_gives_back_what_was_sent() {
    let mut bench = Bench::new();
    assert_eq!(bench.deliver(0, 5), None);
    let sample = bench.train(MILLI, 50, MILLI, |_| 5);
    assert!(
        close(sample.input(), 10e6) && close(sample.output(), 10e6),
        "{sample:?}"
    );
    assert_eq!(sample.packets, LEAST);
    assert!(sample.reduction().abs() < 1e-9);
}

#[test]
fn packets_that_spread_or_are_lost_reduce_the_rate_alike() {
    // Each packet waits 1 ms longer than the one before: half the rate arrives.
    let queueing = Bench::new().train(0, 100, MILLI, |number| (number * MILLI) as i64);
    assert!(close(queueing.output(), 5e6), "{queueing:?}");

    let mut bench = Bench::new();
    for number in 0..100 {
        if number % 2 == 1 {
            bench.deliver(number * MILLI, 5);
        } else {
            bench.lose(number * MILLI);
        }
    }
    let losing = bench.latest.unwrap();
    assert!(
        close(losing.input(), 10e6) && close(losing.output(), 5e6),
        "{losing:?}"
    );
}

#[test]
fn a_queue_that_drains_lets_more_arrive_than_was_sent() {
    let mut bench = Bench::new();
    bench.train(0, 100, MILLI, |number| (number * MILLI) as i64);
    let sample = bench.train(100 * MILLI, 40, 2 * MILLI, |number| {
        (100 * MILLI - number * MILLI) as i64
    });
    assert!(
        close(sample.input(), 5e6) && close(sample.output(), 10e6),
        "{sample:?}"
    );
    assert!(sample.reduction() < 0.0);
}

#[test]
fn the_input_is_what_was_sent_not_what_was_allowed() {
    let sample = Bench::new().train(0, 40, 20 * MILLI, |_| 5);
    assert!(close(sample.input(), 0.5e6), "{sample:?}");
    assert!(close(sample.allowed_first, 1e6) && close(sample.allowed_last, 1e6));
}

#[test]
fn a_receiver_that_gets_faster_and_faster_claims_no_more_than_was_sent() {
    let sample = Bench::new().train(0, 1000, MILLI, |number| -((number * MILLI / 2) as i64));
    assert!(close(sample.output(), 10e6), "{sample:?}");
}

#[test]
fn at_a_gigabit_receive_times_in_microseconds_are_fine_enough() {
    // 10 us apart; received up to 16 at a time, as a kernel hands them over.
    let owd = |number: u64| {
        let sent = number * 10_000;
        let last_of_batch = (number / 16 * 16 + 15) * 10_000;
        (last_of_batch - sent) as i64 / 1_000 * 1_000
    };
    let mut bench = Bench::new();
    for number in 0..20_000 {
        if let Some(sample) = bench.deliver(number * 10_000, owd(number)) {
            assert!(sample.sending >= SPAN);
            assert!(
                (sample.output().bps() / 1e9 - 1.0).abs() < 0.02,
                "{sample:?}"
            );
        }
    }
    assert!(bench.meter.marks.len() <= 2 + MARKS_PER_SPAN as usize);
}

#[test]
fn a_batch_that_arrives_at_once_is_not_the_rate_of_the_path() {
    let mut bench = Bench::new();
    // 10 Mbit/s, and what arrives is held back up to 24 ms: batches of 24 packets.
    let rates: Vec<f64> = (0..480)
        .filter_map(|number| {
            let held = 24 - number % 24;
            let sample = bench.deliver(number * 1_000_000, (held * 1_000_000) as i64)?;
            Some(sample.output().bps())
        })
        .collect();
    assert!(rates.len() > 100);
    let most = rates.into_iter().fold(0.0, f64::max);
    assert!(most < 2.0 * 10e6, "{most}");
}

proptest! {
    #[test]
    fn the_origin_of_the_receivers_clock_does_not_matter(
        offset in -1_000_000_000_000i64..1_000_000_000_000,
        delays in prop::collection::vec(0i64..50_000_000, 30..100),
    ) {
        let run = |offset| {
            let mut bench = Bench { offset, ..Bench::new() };
            bench.train(0, delays.len() as u64, MILLI, |number| delays[number as usize])
        };
        prop_assert_eq!(run(0), run(offset));
    }

    #[test]
    fn whatever_is_claimed_rates_are_finite_and_memory_is_bounded(
        steps in prop::collection::vec((0u64..5_000_000, any::<i64>(), any::<bool>()), 1..600),
    ) {
        let mut bench = Bench::new();
        let mut now = 0;
        for (gap, owd, arrives) in steps {
            now += gap;
            if !arrives {
                bench.lose(now);
            } else if let Some(sample) = bench.deliver(now, owd / 2) {
                prop_assert!(sample.output().bps().is_finite() && sample.input().bps().is_finite());
                prop_assert!(sample.arriving > Duration::ZERO && sample.delivered.0 > 0);
            }
        }
        prop_assert!(bench.meter.marks.len() as u64 <= 2 + LEAST + u64::from(MARKS_PER_SPAN * MOST_SPANS));
    }
}
