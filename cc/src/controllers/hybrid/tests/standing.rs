//! What becomes of a queue that should drain.

use std::time::Duration;

use super::super::drain::{Arrivals, Drain};
use super::super::judge::attempt::{AttemptOutcome, Attempts};
use super::super::model::link::Link;
use super::super::model::loss::Background;
use super::super::model::seen::Seen;
use super::super::Params;
use super::epochs;
use crate::measure::loss_count::LossCount;
use crate::units::{Owd, Rate, Time};

const PATIENCE: Duration = Duration::from_millis(1_500);
const SHARE_BPS: f64 = 10e6;

/// A flow on a path of 10 Mbit/s that has all of it and sends at half of that, unless it is said
/// otherwise, in epochs of 40 ms of which every other one has samples.
struct Course {
    attempts: Attempts,
    now: Duration,
    short: Owd,
    share: Rate,
    /// Of which it sends this part.
    sent: f64,
    /// The share of packets that is lost without a queue.
    background: f64,
}

impl Course {
    fn new() -> Self {
        Self {
            attempts: Attempts::default(),
            now: Duration::from_secs(1),
            short: Owd::from_nanos(1_000_000),
            share: Rate::from_bps(SHARE_BPS),
            sent: 0.5,
            background: 0.0,
        }
    }

    /// With so many of its 20 packets lost.
    fn epoch(&mut self, millis: f64, lost: u64) -> Option<AttemptOutcome> {
        self.now += Duration::from_millis(80);
        let seen = Seen {
            now: Time::from_origin(self.now),
            link: Link::new(epochs::PACKET, Duration::from_millis(1), true),
            thresholds: epochs::short(self.short),
            losses: LossCount::new(lost, 20 - lost),
            background: Background::of(self.background),
            ..epochs::with_queue(Owd::from_nanos((millis * 1e6) as i64))
        };
        let epoch = seen.sampled().unwrap();
        let drain = Drain {
            return_rate: self.share,
            ceiling: None,
            arrivals: Arrivals::default(),
        };
        let left = (self.share * self.sent, (!epoch.is_short()).then_some(drain));
        self.attempts
            .advance(&Params::default(), &epoch, left, PATIENCE)
    }

    /// Up to so many epochs, until an attempt has ended; how many that took.
    fn until_outcome(
        &mut self,
        epochs: usize,
        delay: impl Fn(usize) -> f64,
    ) -> Option<(usize, AttemptOutcome)> {
        self.until_outcome_with(epochs, |_, n| delay(n))
    }

    fn until_outcome_with(
        &mut self,
        epochs: usize,
        mut delay: impl FnMut(&mut Self, usize) -> f64,
    ) -> Option<(usize, AttemptOutcome)> {
        (0..epochs).find_map(|n| {
            let millis = delay(self, n);
            Some((n, self.epoch(millis, 1)?))
        })
    }
}

fn sawtooth(n: usize) -> f64 {
    24.0 - (n % 5) as f64
}

#[test]
fn a_queue_that_drains_is_left_alone() {
    let mut course = Course::new();
    for millis in [20.0, 16.0, 12.0, 8.0, 4.0, 0.5] {
        assert_eq!(course.epoch(millis, 0), None);
    }
}

#[test]
fn a_long_queue_that_drains_slowly_is_left_alone() {
    let mut course = Course::new();
    let falling = course.until_outcome(60, |n| 400.0 * 0.89f64.powi(n as i32));
    assert_eq!(falling, None);
}

#[test]
fn a_queue_that_stands_is_one_that_others_fill() {
    let mut course = Course::new();
    let (first, outcome) = course.until_outcome(100, sawtooth).expect("it stands");
    assert_eq!(
        outcome,
        AttemptOutcome::Contended(Rate::from_bps(SHARE_BPS))
    );
    assert!(first * 80 >= 1_400, "{first} epochs");
}

#[test]
fn a_delay_that_nothing_moves_is_that_of_a_longer_path() {
    let mut course = Course::new();
    let outcome = (0..20).find_map(|_| course.epoch(10.0, 0));
    assert_eq!(
        outcome,
        Some(AttemptOutcome::LongerPath(Rate::from_bps(SHARE_BPS)))
    );
}

#[test]
fn a_full_buffer_that_loses_packets_is_no_longer_path() {
    let mut course = Course::new();
    let (_, outcome) = course.until_outcome(100, |_| 10.0).expect("it stands");
    assert!(
        matches!(outcome, AttemptOutcome::Contended(_)),
        "{outcome:?}"
    );
}

#[test]
fn losses_that_chance_explains_make_no_full_buffer() {
    let outcome = |background| {
        let mut course = Course::new();
        course.background = background;
        // One packet of 60 is lost.
        (0..20).find_map(|n| course.epoch(10.0, u64::from(n % 3 == 0)))
    };
    let longer = AttemptOutcome::LongerPath(Rate::from_bps(SHARE_BPS));
    assert_eq!(outcome(0.02), Some(longer));
    let stands = outcome(0.001);
    assert!(
        matches!(stands, Some(AttemptOutcome::Contended(_))),
        "{stands:?}"
    );
}

#[test]
fn what_was_lost_before_the_delay_came_to_rest_says_nothing_of_it() {
    let mut course = Course::new();
    course.epoch(4.0, 19);
    let outcome = (0..20).find_map(|_| course.epoch(10.0, 0));
    let longer = AttemptOutcome::LongerPath(Rate::from_bps(SHARE_BPS));
    assert_eq!(outcome, Some(longer));
}

#[test]
fn a_delay_that_grew_step_by_step_is_that_of_a_full_buffer() {
    let outcome_of = |steps: usize| {
        let mut course = Course::new();
        let growing = (0..=steps).map(|n| 10.0 + 10.0 * n as f64);
        let full = std::iter::repeat_n(10.0 + 10.0 * steps as f64, 40);
        growing
            .chain(full)
            .find_map(|millis| course.epoch(millis, 0))
    };
    let contended = AttemptOutcome::Contended(Rate::from_bps(SHARE_BPS));
    let longer = AttemptOutcome::LongerPath(Rate::from_bps(SHARE_BPS));
    assert_eq!(outcome_of(2), Some(longer));
    assert_eq!(outcome_of(3), Some(contended));
}

#[test]
fn a_delay_that_has_come_to_rest_is_looked_at_a_little_longer() {
    // When 1.5 s are over it has kept still for so many epochs.
    let outcome_after = |still: usize| {
        let mut course = Course::new();
        (0..40).find_map(|n| {
            let millis = if n < 20 - still { sawtooth(n) } else { 30.0 };
            Some((n, course.epoch(millis, 0)?))
        })
    };
    let stands = AttemptOutcome::Contended(Rate::from_bps(SHARE_BPS));
    let longer = AttemptOutcome::LongerPath(Rate::from_bps(SHARE_BPS));
    assert_eq!(outcome_after(2), Some((19, stands)));
    assert_eq!(outcome_after(3), Some((21, longer)));
}

#[test]
fn a_flow_that_becomes_slow_does_not_take_a_full_buffer_for_a_short_queue() {
    let outcome_with = |sent: f64| {
        let mut course = Course::new();
        course.sent = sent;
        course.until_outcome_with(40, |course, n| {
            // Its own packets take longer, and so what is short to it.
            course.short = Owd::from_nanos(if n > 2 { 30_000_000 } else { 1_000_000 });
            sawtooth(n)
        })
    };
    let stands = AttemptOutcome::Contended(Rate::from_bps(SHARE_BPS));
    assert_eq!(outcome_with(0.2).map(|(_, outcome)| outcome), Some(stands));
    assert_eq!(outcome_with(0.3), None);
}

#[test]
fn an_attempt_of_a_slow_flow_ends_when_the_queue_is_an_eighth_of_the_round_trip() {
    let stands = |dip_ms: f64| {
        let mut course = Course::new();
        course.sent = 0.2;
        let outcome = course.until_outcome_with(21, |course, n| {
            course.short = Owd::from_nanos(if n == 10 { 30_000_000 } else { 1_000_000 });
            if n == 10 {
                dip_ms
            } else {
                sawtooth(n)
            }
        });
        outcome.is_some()
    };
    assert!(!stands(5.0));
    assert!(stands(5.1));
}

#[test]
fn a_delay_that_nothing_moves_takes_longer_to_tell_where_others_may_share_the_path() {
    let epochs = |share_bps: f64| {
        let mut course = Course::new();
        course.share = Rate::from_bps(share_bps);
        (0..20).position(|_| course.epoch(10.0, 0).is_some())
    };
    assert_eq!(epochs(10e6), Some(5));
    assert_eq!(epochs(4e6), Some(10));
}

#[test]
fn a_short_queue_is_that_of_others_once_most_of_the_share_is_lost() {
    // d1 / 2 is 1 ms, and L / 4 is 10 ms.
    let left = |sent, millis| {
        let mut course = Course::new();
        course.sent = sent;
        course.until_outcome(100, |n| millis + 0.5 * (n % 2) as f64)
    };
    let contended = AttemptOutcome::Contended(Rate::from_bps(SHARE_BPS));
    assert_eq!(left(0.24, 4.5).map(|(_, outcome)| outcome), Some(contended));
    assert_eq!(left(0.26, 4.5), None, "it has more than a quarter left");
    assert_eq!(left(0.24, 1.4).map(|(_, outcome)| outcome), Some(contended));
    assert_eq!(left(0.24, 0.4), None, "there is hardly a queue");
}
