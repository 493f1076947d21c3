//! The skew of the peer's clock: by how much its receive timestamps run faster than ours.
//!
//! Seen from one side a clock that is fast looks like a queue that grows. But it makes one-way
//! delays longer by what it makes the way back shorter, which queues and routes do not. The least
//! delays of the parts of a window give slopes, one for each two of them (Theil, Sen); noise gives
//! some up and some down. V. Paxson, "On Calibrating Measurements of Packet Transit Times"
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
    /// The one-way delay by receive timestamps.
    forward: Owd,
    /// The rest of the round trip.
    back: Owd,
}

/// How fast the peer's clock runs, by the least delays of the last parts.
#[derive(Debug, Clone)]
pub struct Skew {
    tick: Duration,
    /// One nanosecond per tick.
    ppm_of_nano: f64,
    /// What the clock gains in a tick.
    gain: Owd,
    /// When the next tick is over.
    next: Time,
    /// The oldest first.
    parts: Vec<Part>,
    /// Whether the next part that tells something is to be left out.
    disturbed: bool,
    /// The part after which it was last told what the clock gains.
    learned: u64,
}

/// What is to be added to minima that were seen before.
#[derive(Debug, Clone, Copy)]
pub enum Correction {
    /// The clock gains `now` in a part, and not what it was taken to gain `before`.
    Speed {
        /// In a part.
        before: Owd,
        /// In a part.
        now: Owd,
    },
    /// The clock was set forwards before the part that is over.
    Step(Owd),
}

/// What a clock gains since the minimum of a part was seen that began `ago` parts ago, and is over:
/// at its begin if the clock is fast, else at its end.
fn gained_since(gain: Owd, ago: u32) -> Owd {
    gain * ago.saturating_sub(u32::from(gain < Owd::ZERO))
}

impl Correction {
    /// For a minimum whose part began `ago` parts ago.
    pub fn since(self, ago: u32) -> Owd {
        match self {
            Correction::Speed { before, now } => gained_since(now, ago) - gained_since(before, ago),
            Correction::Step(by) if ago > 1 => by,
            Correction::Step(_) => Owd::ZERO,
        }
    }
}

impl Skew {
    /// Nothing is known; parts are `part` long.
    pub fn new(part: Duration) -> Self {
        let tick = (part / TICKS).max(Duration::from_nanos(1));
        Self {
            tick,
            ppm_of_nano: 1e-3 / tick.as_secs_f64(),
            gain: Owd::ZERO,
            next: Time::from_origin(tick),
            parts: Vec::with_capacity(PARTS),
            disturbed: false,
            learned: 0,
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

    /// Delays of before do not compare with what comes: the path or the clock has changed. What a
    /// clock gains stays until more is known.
    pub fn restart(&mut self) {
        self.parts.clear();
        self.disturbed = true;
    }

    /// Part `number` is over, with the least one-way delay by receive timestamps and by the ACKs'
    /// arrival, as far as there are any. Returns what minima lack, if they do.
    pub fn part_over(
        &mut self,
        number: u64,
        (forward, round): (Option<Owd>, Option<Owd>),
    ) -> Option<Correction> {
        let correction = self.take_in(number, forward, round);
        if number > self.learned + PARTS as u64 {
            self.gain = Owd::ZERO;
        }
        correction
    }

    fn take_in(
        &mut self,
        number: u64,
        forward: Option<Owd>,
        round: Option<Owd>,
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
            None => {
                self.learned = number;
                self.learn()
            }
        }
    }

    /// The most that a clock gains in a part.
    fn most(&self) -> Owd {
        Owd::from_nanos(Owd::from(self.tick * TICKS).as_nanos() / MOST)
    }

    /// By how much the clock was set, if it was: more than it can gain has come between a part and
    /// each of the last before it.
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
        let (before, now) = (before * TICKS, self.gain * TICKS);
        (now != before).then_some(Correction::Speed { before, now })
    }
}

/// What a delay gains per part at least, by three quarters of the pairs of parts; nothing if they
/// do not agree on the sign. Only pairs count that are half of the time apart: between others noise
/// is more than slope.
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
mod tests;
