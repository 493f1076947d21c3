//! What a flow does beside others who keep a queue.

use std::time::Duration;

use super::super::judge::contended::{Contended, HoldDecision};
use super::super::model::link::Link;
use super::super::model::loss::Background;
use super::super::model::seen::{Observed, Seen};
use super::super::Params;
use super::epochs::{self, seen};
use crate::measure::loss_count::LossCount;
use crate::units::{Bytes, Owd, Rate, Time};

const MBPS: f64 = 1e6;
const LENGTH: Duration = Duration::from_millis(40);

/// A flow that had 10 Mbit/s, in epochs of 40 ms from 1 s on.
struct Course {
    others: Contended,
    now: Duration,
    link: Link,
    /// Packets lost of 40 in each epoch.
    lost: u64,
    came_late: bool,
    app_limited: bool,
}

impl Course {
    fn new() -> Self {
        Self::after(10.0)
    }

    /// The same, but it had so many Mbit/s.
    fn after(had: f64) -> Self {
        let now = Duration::from_secs(1);
        let had = Rate::from_bps(had * MBPS);
        Self {
            others: Contended::new(Time::from_origin(now), had, delay(50), LENGTH),
            now,
            link: link(Duration::ZERO),
            lost: 0,
            came_late: false,
            app_limited: false,
        }
    }

    /// The next epoch: what of it has come back, at the rate that is held now.
    fn back(&mut self, share: f64) {
        let rate = self.others.held() * if self.others.probes() { 0.5 } else { 1.0 };
        let bits = share * rate.bps() * LENGTH.as_secs_f64();
        let back = Seen {
            now: Time::from_origin(self.now + LENGTH),
            arrived: Bytes((bits / 8.0) as u64),
            ..seen()
        };
        self.others.take_in(&back, rate);
    }

    /// HoldDecisions of epochs until so much time is over, in each of which this share of what was
    /// sent comes back.
    fn bring_back(&mut self, seconds: f64, share: f64) -> Vec<HoldDecision> {
        let mut verdicts = Vec::new();
        while self.now < Duration::from_secs_f64(seconds) {
            self.back(share);
            verdicts.push(self.epoch(50, false));
        }
        verdicts
    }

    /// The next epoch, in which the law of a lone flow would leave 1 Mbit/s.
    fn epoch(&mut self, delta_ms: i64, excessive_loss: bool) -> HoldDecision {
        self.now += LENGTH;
        let observed = Observed {
            delta: delay(delta_ms),
            queue: delay(delta_ms),
            unusual_loss: false,
            excessive_loss,
        };
        let epoch = Seen {
            now: Time::from_origin(self.now),
            observed: Some(observed),
            thresholds: epochs::short(delay(1)),
            link: self.link,
            losses: LossCount::new(self.lost, 40 - self.lost),
            background: Background::of(0.01),
            length_fell: self.came_late,
            recently_app_limited: self.app_limited,
            ..seen()
        };
        let epoch = epoch.sampled().unwrap();
        self.others
            .decide(&Params::default(), &epoch, Rate::from_bps(MBPS))
    }

    /// Epochs with this delay until so much time is over; the rates that they are held at, in
    /// Mbit/s.
    fn held_until(&mut self, seconds: f64, delta_ms: i64) -> Vec<f64> {
        let mut rates = Vec::new();
        while self.now < Duration::from_secs_f64(seconds) {
            rates.push(mbps(self.epoch(delta_ms, false)));
        }
        rates
    }
}

/// With this T.
fn link(transmission: Duration) -> Link {
    Link::new(Bytes(1_250), transmission, true)
}

fn delay(millis: i64) -> Owd {
    Owd::from_nanos(millis * 1_000_000)
}

fn mbps(verdict: HoldDecision) -> f64 {
    match verdict {
        HoldDecision::Holds { rate, .. } => rate.bps() / MBPS,
        other => panic!("{other:?}"),
    }
}

#[test]
fn about_half_of_what_it_had_is_held_while_there_is_a_queue() {
    let mut course = Course::new();
    let rates = course.held_until(2.9, 50);
    assert!(rates.iter().all(|rate| *rate == 5.4), "{rates:?}");
    assert_eq!(course.epoch(1, false), HoldDecision::Free, "there is none");
    assert_eq!(course.others.queue(), Owd::ZERO);
    assert_eq!(mbps(course.epoch(50, false)), 5.4, "they are back");
    assert_eq!(course.others.queue(), delay(50) + delay(50) / 4);
}

#[test]
fn it_is_over_when_nothing_had_to_be_held_for_ten_seconds() {
    let mut course = Course::new();
    course.epoch(50, false);
    let needed = course.now;
    while course.now < needed + Duration::from_millis(9_960) {
        course.epoch(0, false);
        assert!(!course.others.is_over(Time::from_origin(course.now)));
    }
    course.epoch(0, false);
    assert!(course.others.is_over(Time::from_origin(course.now)));
}

#[test]
fn excessive_losses_leave_less_of_it_which_comes_back() {
    let mut course = Course::new();
    let after = course.epoch(60, true);
    assert!((mbps(after) - 5.4 * 0.7).abs() < 1e-9);
    assert!(matches!(after, HoldDecision::Holds { beta: Some(_), .. }));
    // A packet per round trip of 100 ms.
    let next = mbps(course.epoch(60, false));
    assert!((next - 5.4 * 0.7 - 0.1).abs() < 1e-9, "{next}");
    let rates = course.held_until(2.0, 60);
    assert_eq!(rates.last(), Some(&5.4));
}

#[test]
fn what_losses_took_is_back_in_five_seconds_at_any_rate() {
    let mut course = Course::after(1_000.0);
    let lost = mbps(course.epoch(60, true));
    assert!((lost - 378.0).abs() < 1e-9, "{lost}");
    // A queue that moves, also in the probe that comes after two seconds.
    let held_at = |course: &mut Course, seconds| {
        while course.now < Duration::from_secs_f64(seconds) {
            course.epoch(if course.others.probes() { 50 } else { 60 }, false);
        }
        course.others.held().bps() / MBPS
    };
    let half = held_at(&mut course, 3.54);
    assert!((half - 459.0).abs() < 1.5, "{half}");
    let whole = held_at(&mut course, 6.1);
    assert!((whole - 540.0).abs() < 1e-6, "{whole}");
}

#[test]
fn once_the_queue_was_gone_what_flows_keep_that_give_way_is_none() {
    let mut course = Course::new();
    course.held_until(2.0, 80);
    assert_eq!(course.epoch(1, false), HoldDecision::Free);
    assert_eq!(
        course.epoch(10, false),
        HoldDecision::Free,
        "an eighth of 80 ms"
    );
    assert_eq!(mbps(course.epoch(11, false)), 5.4);
    assert_eq!(mbps(course.epoch(2, false)), 5.4, "it is not gone yet");
    assert_eq!(course.epoch(1, false), HoldDecision::Free);
    assert_eq!(
        mbps(course.epoch(2, false)),
        5.4,
        "more than an eighth of 11 ms"
    );
}

#[test]
fn losses_that_last_halve_what_is_held_for_good() {
    let mut course = Course::new();
    course.link = link(Duration::from_secs(1) / 1_500);
    course.lost = 4;
    let held = |course: &Course| course.others.held().bps() / MBPS;
    // They count from three seconds after contention was found on, for three seconds. Half of the
    // link is 8.1 Mbit/s.
    course.held_until(6.95, 50);
    assert!((held(&course) - 8.1).abs() < 1e-4, "{}", held(&course));
    let rates = course.held_until(7.04, 50);
    assert!(rates[0] < 8.1 / 2.0 + 1e-4, "{rates:?}");
    course.lost = 0;
    course.held_until(12.0, 50);
    assert!((held(&course) - 8.1 / 2.0).abs() < 1e-4);
}

#[test]
fn who_knows_the_link_comes_up_to_half_of_it() {
    let mut course = Course::new();
    // 15 Mbit/s.
    course.link = link(Duration::from_secs(1) / 1_500);
    let rates = course.held_until(2.9, 60);
    let most = rates.iter().copied().fold(0.0, f64::max);
    assert!((most - 8.1).abs() < 1e-4, "{most}");
}

#[test]
fn what_the_delay_does_when_less_is_sent_tells_a_queue_from_a_longer_path() {
    let outcome = |in_probe_ms: i64| {
        let mut course = Course::new();
        course.held_until(2.9, 50);
        let mut probed = Vec::new();
        while course.now < Duration::from_secs(4) {
            let in_probe = probed.last() == Some(&2.7);
            match course.epoch(if in_probe { in_probe_ms } else { 50 }, false) {
                HoldDecision::LongerPath(rate) => return (probed, Some(rate.bps() / MBPS)),
                verdict => probed.push(mbps(verdict)),
            }
        }
        (probed, None)
    };
    let (probed, longer) = outcome(47);
    assert_eq!(longer, None);
    // Six round trips of 90 ms, and one epoch in which they end.
    assert_eq!(probed.iter().filter(|rate| **rate == 2.7).count(), 14);
    for in_probe_ms in [48, 52] {
        let longer = outcome(in_probe_ms)
            .1
            .expect("a 32nd of the round trip is 2.8 ms");
        assert!((longer - 10.0).abs() < 1e-9, "{longer}");
    }
    assert_eq!(outcome(53).1, None, "it rises although less is sent");
}

#[test]
fn a_probe_in_which_the_application_limits_tells_nothing() {
    let outcome = |limited: bool| {
        let mut course = Course::new();
        course.held_until(2.9, 50);
        (0..40).any(|epoch| {
            course.app_limited = limited && epoch == 8;
            matches!(course.epoch(50, false), HoldDecision::LongerPath(_))
        })
    };
    assert_eq!([false, true].map(outcome), [true, false]);
}

#[test]
fn a_delay_that_does_not_move_is_a_full_buffer_if_packets_are_lost_to_it() {
    let outcome = |lost| {
        let mut course = Course::new();
        course.lost = lost;
        let mut verdicts = Vec::new();
        while course.now < Duration::from_secs(4) {
            verdicts.push(course.epoch(50, false));
        }
        let longer = |verdict: &HoldDecision| matches!(verdict, HoldDecision::LongerPath(_));
        verdicts.iter().any(longer)
    };
    assert!(outcome(0), "nothing is");
    assert!(!outcome(1), "one in 40, for two seconds");
}

#[test]
fn a_flow_that_came_late_finds_its_share_by_losses() {
    let mut course = Course::new();
    course.came_late = true;
    let rates = course.held_until(2.9, 60);
    // By a packet of 1,250 bytes per round trip of 100 ms, for 1.9 s in epochs of 40 ms.
    let gained = rates.last().unwrap() - 5.4;
    assert!((gained - 1.9).abs() < 0.05, "{gained}");
    course.lost = 1;
    let kept = course.epoch(60, false);
    assert!(
        matches!(kept, HoldDecision::Holds { beta: None, .. }),
        "{kept:?}"
    );
    course.lost = 4;
    let before = course.others.held().bps() / MBPS;
    let after = course.epoch(60, false);
    assert!(
        mbps(after) < 0.75 * before && mbps(after) >= 5.4,
        "{after:?}"
    );
    let beta = 1.0 - mbps(after) / before;
    assert!(
        matches!(after, HoldDecision::Holds { beta: Some(told), .. } if (told - beta).abs() < 0.01),
        "{after:?}"
    );
    course.lost = 0;
    course.link = link(Duration::from_secs(1) / 1_000);
    course.epoch(60, false);
    let known = course.others.held().bps() / MBPS;
    assert!(
        (known - 5.4).abs() < 1e-6,
        "half of a link of 10 Mbit/s: {known}"
    );
}

#[test]
fn a_flow_that_had_the_path_keeps_to_half_of_it() {
    let mut course = Course::new();
    let rates = course.held_until(2.9, 60);
    assert!(rates.iter().all(|rate| *rate == 5.4), "{rates:?}");
    course.lost = 4;
    assert_eq!(mbps(course.epoch(60, false)), 5.4);
}

#[test]
fn a_queue_is_the_flows_own_if_less_than_half_of_what_it_sends_comes_back() {
    let slower = |share| {
        let mut course = Course::new();
        let verdicts = course.bring_back(2.9, share);
        verdicts
            .iter()
            .position(|verdict| *verdict == HoldDecision::SlowerLink)
    };
    assert_eq!(
        slower(0.65),
        None,
        "what a flow gets that joins a full link"
    );
    assert_eq!(slower(0.51), None);
    // A round trip of 90 ms until something is back, in epochs of 40 ms, and 200 ms over which it
    // is counted.
    assert_eq!(slower(0.49), Some(7));
}

#[test]
fn what_comes_back_counts_anew_when_more_is_sent() {
    let mut course = Course::new();
    course.bring_back(1.4, 1.0);
    assert_eq!(course.epoch(0, false), HoldDecision::Free);
    course.epoch(50, false);
    // What was sent before the share was held again, and was less than it, is back within a round
    // trip of 90 ms.
    let mut verdicts = course.bring_back(1.57, 0.1);
    verdicts.extend(course.bring_back(2.9, 1.0));
    let holds = |verdict: &HoldDecision| matches!(verdict, HoldDecision::Holds { .. });
    assert!(verdicts.iter().all(holds), "{verdicts:?}");
}

#[test]
fn in_a_probe_what_comes_back_counts_at_once() {
    let mut course = Course::new();
    course.bring_back(3.0, 1.0);
    while !course.others.probes() {
        course.back(1.0);
        course.epoch(50, false);
    }
    let verdicts = course.bring_back(3.3, 0.4);
    assert!(verdicts.contains(&HoldDecision::SlowerLink), "{verdicts:?}");
}

#[test]
fn what_many_flows_keep_that_give_way_is_the_most_that_is_no_queue() {
    // Of 160 kbit at what it had: 1.6 ms, of a queue of 50 ms less than an eighth.
    let mut course = Course::after(100.0);
    assert_eq!(course.epoch(1, false), HoldDecision::Free);
    assert_eq!(course.epoch(1, false), HoldDecision::Free);
    assert_eq!(mbps(course.epoch(2, false)), 54.0);
}
