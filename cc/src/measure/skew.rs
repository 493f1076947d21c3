//! The skew of the peer's clock: by how much its receive times run faster than ours.
//!
//! Seen from one side a clock that is fast looks like a queue that grows. But it makes one-way delays longer by what it makes
//! the way back shorter, which queues and routes do not. The least delays of the parts of a window give slopes, one for each
//! two of them (Theil, Sen); noise gives some up and some down. V. Paxson, "On Calibrating Measurements of Packet Transit Times"
//! (SIGMETRICS 1998), compares both directions as well; RFC 6817, appendix A.2, names the problem.

use std::time::Duration;

use super::window_min::PARTS;
use crate::units::{Owd, Time};

/// Parts that have to be known before they say anything.
const ENOUGH: usize = 3;
/// A clock is not off by more than a thousandth: crystals are by 100 ppm, and slewing adds 500.
const MOST: i64 = 1_000;
/// Steps per part in which minima follow the clock.
const TICKS: u32 = 10;

/// What was least in one part of the window.
#[derive(Debug, Clone, Copy)]
struct Part {
    number: u64,
    /// The one-way delay by receive times.
    forward: Owd,
    /// The rest of the round trip.
    back: Owd,
}

/// How fast the peer's clock runs, by the least delays of the last parts.
#[derive(Debug, Clone)]
pub struct Skew {
    tick: Duration,
    /// What a nanosecond in a tick is.
    ppm_of_nano: f64,
    /// What the clock gains in a tick.
    gain: Owd,
    /// When the next tick is over.
    next: Time,
    /// The oldest first.
    parts: Vec<Part>,
    /// Whether the part under way is to be left out.
    disturbed: bool,
}

/// What minima of before lack.
#[derive(Debug, Clone, Copy)]
pub enum Correction {
    /// The clock gains so much more in a part, or less, than has been thought, and is `fast` or not.
    Speed {
        /// In a part.
        more: Owd,
        /// Whether the clock is fast.
        fast: bool,
    },
    /// The clock was set forwards before the part that is over.
    Step(Owd),
}

impl Correction {
    /// Of a minimum whose part began `ago` parts ago, and is over: with a clock that is fast it was seen at the begin of its part,
    /// and else at the end.
    pub fn since(self, ago: u32) -> Owd {
        match self {
            Correction::Speed { more, fast } => more * (ago - u32::from(!fast)),
            Correction::Step(by) if ago > 1 => by,
            Correction::Step(_) => Owd::ZERO,
        }
    }
}

impl Skew {
    /// Nothing is known; parts are `part` long.
    pub fn new(part: Duration) -> Self {
        let tick = part / TICKS;
        Self {
            tick,
            ppm_of_nano: 1e-3 / tick.as_secs_f64(),
            gain: Owd::ZERO,
            next: Time::from_origin(tick),
            parts: Vec::with_capacity(PARTS),
            disturbed: false,
        }
    }

    /// By how much the clock is taken to be fast, in ppm.
    pub fn ppm(&self) -> f64 {
        self.gain.as_nanos() as f64 * self.ppm_of_nano
    }

    /// When the minima have to follow next, from the origin of time, if they do.
    pub fn next(&self) -> Option<Duration> {
        let moves = self.gain != Owd::ZERO;
        moves.then(|| Duration::from_nanos(self.next.as_nanos()))
    }

    /// What the clock has gained in the ticks that are over since this was last asked, if anything.
    pub fn gained(&mut self, now: Time) -> Option<Owd> {
        let tick = Owd::from(self.tick).as_nanos() as u64;
        let late = now.as_nanos().checked_sub(self.next.as_nanos())?;
        let ticks = late / tick + 1;
        self.next = self.next + self.tick * ticks.min(u64::from(u32::MAX)) as u32;
        // What is older than the window is forgotten anyway.
        let ticks = ticks.min(u64::from(TICKS) * PARTS as u64) as u32;
        Some(self.gain * ticks).filter(|gained| *gained != Owd::ZERO)
    }

    /// Delays of before do not compare with what comes: the path or the clock has changed. What a clock gains stays until more
    /// is known.
    pub fn restart(&mut self) {
        self.parts.clear();
        self.disturbed = true;
    }

    /// Part `number` is over, with the least one-way delay by receive times and by the ACKs' arrival, as far as there are any.
    /// Returns what minima lack, if they do.
    pub fn part_over(
        &mut self,
        number: u64,
        (forward, round): (Option<Owd>, Option<Owd>),
    ) -> Option<Correction> {
        let (forward, round) = (forward?, round?);
        if std::mem::take(&mut self.disturbed) {
            return None;
        }
        let part = Part {
            number,
            forward,
            back: round - forward,
        };
        self.parts
            .retain(|part| part.number + PARTS as u64 > number);
        let step = self.step(&part);
        if step.is_some() {
            self.parts.clear();
        }
        self.parts.push(part);
        match step {
            Some(by) => (by > Owd::ZERO).then_some(Correction::Step(by)),
            None if self.parts.len() < ENOUGH => None,
            None => self.learn(),
        }
    }

    /// The most that a clock gains in a part.
    fn most(&self) -> Owd {
        Owd::from_nanos(Owd::from(self.tick * TICKS).as_nanos() / MOST)
    }

    /// By how much the clock was set, if it was: more than it can gain has come between a part and each of the last before it.
    fn step(&self, part: &Part) -> Option<Owd> {
        let recent = &self.parts[self.parts.len().saturating_sub(ENOUGH)..];
        let common = recent.iter().map(|before| {
            let parts = (part.number - before.number).min(PARTS as u64) as u32;
            let gain = self.gain * (TICKS * parts);
            let forward = part.forward - before.forward - gain;
            let back = before.back - part.back - gain;
            nearest_to_zero(forward, back)
        });
        let step = common.reduce(nearest_to_zero)?;
        (step > self.most() || step < Owd::ZERO - self.most()).then_some(step)
    }

    fn learn(&mut self) -> Option<Correction> {
        let forward = slope(&self.parts, |part| part.forward);
        let back = slope(&self.parts, |part| part.back);
        let gain = nearest_to_zero(forward * 2, Owd::ZERO - back);
        let gain = gain.clamp(Owd::ZERO - self.most(), self.most());
        let before = std::mem::replace(&mut self.gain, divided(gain, TICKS.into()));
        let more = (self.gain - before) * TICKS;
        let fast = self.gain > Owd::ZERO;
        (more != Owd::ZERO).then_some(Correction::Speed { more, fast })
    }
}

/// What a delay gains per part at least, by three quarters of the pairs of parts; nothing if they do not agree on the sign. Only
/// pairs count that are half of the time apart: between others noise is more than slope.
fn slope(parts: &[Part], delay: impl Fn(&Part) -> Owd) -> Owd {
    let apart = |later: &Part, earlier: &Part| later.number - earlier.number;
    let span = apart(&parts[parts.len() - 1], &parts[0]);
    let mut slopes = Vec::with_capacity(PARTS * (PARTS - 1) / 2);
    for (place, later) in parts.iter().enumerate() {
        let before = parts[..place].iter();
        let far = before.filter(|earlier| 2 * apart(later, earlier) >= span);
        slopes.extend(far.map(|earlier| {
            let gained = delay(later) - delay(earlier);
            divided(gained, apart(later, earlier))
        }));
    }
    slopes.sort_unstable();
    let quarter = slopes.len() / 4;
    nearest_to_zero(slopes[quarter], slopes[slopes.len() - 1 - quarter])
}

/// The value between two that is nearest to nothing.
fn nearest_to_zero(a: Owd, b: Owd) -> Owd {
    Owd::ZERO.clamp(a.min(b), a.max(b))
}

fn divided(owd: Owd, by: u64) -> Owd {
    Owd::from_nanos(owd.as_nanos() / by.max(1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn micros(value: i64) -> Owd {
        Owd::from_nanos(value * 1_000)
    }

    /// What the clock is taken to gain in a second, in us, after so many seconds with these delays each way.
    fn gain(seconds: u32, delays_us: impl Fn(i64) -> (i64, i64)) -> i64 {
        let mut skew = Skew::new(SECOND);
        feed(&mut skew, 0..seconds, delays_us);
        per_second(&skew)
    }

    fn feed(skew: &mut Skew, seconds: std::ops::Range<u32>, delays_us: impl Fn(i64) -> (i64, i64)) {
        for second in seconds {
            let (forward, back) = delays_us(second.into());
            let seen = (Some(micros(forward)), Some(micros(forward + back)));
            skew.part_over(second.into(), seen);
        }
    }

    fn per_second(skew: &Skew) -> i64 {
        skew.ppm().round() as i64
    }

    /// Noise of 0 to 2 ms.
    fn noise(at: i64) -> i64 {
        ((at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as i64 % 2_000
    }

    #[test]
    fn a_clock_is_known_by_what_it_does_to_both_ways() {
        for ppm in [-200, -30, 0, 30, 200] {
            let both = |at: i64| (50_000 + ppm * at, 20_000 - ppm * at);
            assert_eq!(gain(2, both), 0);
            assert_eq!(gain(3, both), ppm);
            assert_eq!(gain(40, both), ppm);
        }
    }

    #[test]
    fn a_queue_either_way_and_a_longer_route_are_no_clock() {
        assert_eq!(gain(40, |at| (50_000 + 300 * at, 20_000)), 0);
        assert_eq!(gain(40, |at| (50_000, 20_000 + 300 * at)), 0);
        assert_eq!(gain(40, |at| (50_000 - 300 * at, 20_000 - 300 * at)), 0);
        let later = |at: i64| if at < 20 { 0 } else { 7_000 };
        for seconds in 1..40 {
            let gained = gain(seconds, |at| (50_000 + later(at), 20_000 + later(at)));
            assert_eq!(gained, 0, "{seconds} s");
        }
    }

    #[test]
    fn noise_is_no_clock_and_hides_none() {
        let noisy = |ppm: i64| move |at: i64| (ppm * at + noise(at), -ppm * at + noise(at + 1_000));
        let wrong = (3..200).map(|seconds| gain(seconds, noisy(0)).abs());
        assert!(wrong.clone().max() <= Some(250), "{:?}", wrong.max());
        let mean = (20..200)
            .map(|seconds| gain(seconds, noisy(500)))
            .sum::<i64>()
            / 180;
        assert!((300..=700).contains(&mean), "{mean} ppm");
    }

    #[test]
    fn a_slow_clock_shows_although_the_controller_holds_the_way_there_still() {
        assert_eq!(gain(40, |at| (50_000 - 60 * at, 20_000 + 100 * at)), -100);
        assert_eq!(gain(40, |at| (50_000 - 40 * at, 20_000 + 100 * at)), -80);
    }

    #[test]
    fn a_clock_that_is_off_by_more_than_a_thousandth_is_set_again_and_again() {
        assert_eq!(gain(40, |at| (1_000 * at, -1_000 * at)), 1_000);
        assert_eq!(gain(40, |at| (-1_000 * at, 1_000 * at)), -1_000);
        let mut skew = Skew::new(SECOND);
        for at in 0..40 {
            let seen = (Some(micros(5_000 * at)), Some(Owd::ZERO));
            let raised = skew.part_over(at as u64, seen).map(|it| it.since(2));
            assert_eq!(raised, (at > 0).then_some(micros(5_000)));
        }
    }

    #[test]
    fn a_clock_that_was_set_is_no_other_speed() {
        for (by, ppm) in [
            (3_000, 0),
            (3_000, 100),
            (-3_000, 0),
            (-1_500, -100),
            (1_500, 900),
        ] {
            let mut skew = Skew::new(SECOND);
            let delays = |at: i64| {
                let clock = ppm * at + if at < 8 { 0 } else { by };
                (50_000 + clock, 20_000 - clock)
            };
            feed(&mut skew, 0..8, delays);
            let (forward, back) = delays(8);
            let seen = (Some(micros(forward)), Some(micros(forward + back)));
            let correction = skew.part_over(8, seen);
            let lacks = |ago| correction.map_or(Owd::ZERO, |it| it.since(ago));
            // A clock that is set back takes the minimum with it.
            let raised = micros(by.max(0));
            assert_eq!(
                [lacks(1), lacks(2), lacks(9)],
                [Owd::ZERO, raised, raised],
                "{by} us"
            );
            for end in 9..30 {
                feed(&mut skew, end..end + 1, delays);
                assert_eq!(per_second(&skew), ppm, "{by} us, {end} s");
            }
        }
    }

    #[test]
    fn after_another_path_the_clock_is_what_it_was_until_more_is_known() {
        let mut skew = Skew::new(SECOND);
        feed(&mut skew, 0..10, |at| (100 * at, -100 * at));
        skew.restart();
        // The part under way, and two more.
        feed(&mut skew, 10..13, |at| (90_000 - 50 * at, 50 * at));
        assert_eq!(per_second(&skew), 100);
        feed(&mut skew, 13..14, |at| (90_000 - 50 * at, 50 * at));
        assert_eq!(per_second(&skew), -50);
    }

    #[test]
    fn minima_follow_every_tenth_of_a_part_however_late_that_is_asked() {
        let mut skew = Skew::new(SECOND);
        let at = |millis| Time::from_origin(Duration::from_millis(millis));
        assert_eq!(skew.gained(at(350)), None);
        feed(&mut skew, 0..3, |at| (100 * at, -100 * at));
        assert_eq!(skew.gained(at(399)), None);
        assert_eq!(skew.next(), Some(Duration::from_millis(400)));
        assert_eq!(skew.gained(at(400)), Some(micros(10)));
        assert_eq!(skew.gained(at(650)), Some(micros(20)));
        assert_eq!(skew.gained(at(1_000_000)), Some(micros(1_000)));
        assert_eq!(skew.gained(at(1_000_050)), None);
    }

    #[test]
    fn a_correction_counts_from_when_a_minimum_was_seen() {
        let mut skew = Skew::new(SECOND);
        feed(&mut skew, 0..2, |at| (100 * at, -100 * at));
        let fast = skew.part_over(2, (Some(micros(200)), Some(micros(0))));
        assert_eq!(fast.map(|more| more.since(3)), Some(micros(300)));
        let mut skew = Skew::new(SECOND);
        feed(&mut skew, 0..2, |at| (-100 * at, 100 * at));
        let slow = skew.part_over(2, (Some(micros(-200)), Some(micros(0))));
        assert_eq!(slow.map(|more| more.since(1)), Some(micros(0)));
        assert_eq!(slow.map(|more| more.since(3)), Some(micros(-200)));
    }
}
