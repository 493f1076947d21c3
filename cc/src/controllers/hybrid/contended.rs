//! DEVIATION: what a flow does where others keep a buffer filled. The paper's flow gives way to them until nothing is left of it;
//! this one holds about half of what it had, and waits until the queue is gone.
//!
//! ```text
//!     H   = 0.54 (the largest R of the ten seconds before)      what it holds
//!     R  >= H                                                    in an epoch with a queue
//! ```
//!
//! The queue is not this flow's then, so its delay says nothing; excessive losses do (RFC 9438, section 4.6, for by how much),
//! and whether the delay depends on what this flow sends. Where it does not, the path has become longer, and nobody keeps a queue.

use std::cmp::Reverse;
use std::time::Duration;

use super::law::Observed;
use super::standing::{Attempted, Outcome, Standing};
use super::update::{Situation, Update};
use super::Hybrid;
use crate::units::{Bytes, Owd, Rate, Time};

/// Of what a flow had, what it holds. Half, and what is lost until contention is found and while it is probed.
const HELD_SHARE: f64 = 0.54;
/// What excessive losses leave of it.
const REMAINS: f64 = 0.7;
/// Contention is over if for so long the flow had no need to hold its share; and so long after a probe comes the next.
const REMEMBERED: Duration = Duration::from_secs(10);
/// When the first one comes.
const FIRST_PROBE: Duration = Duration::from_secs(2);
/// What a probe leaves of the rate, and for how many round trips.
const PROBE_SHARE: f64 = 0.5;
const PROBE_ROUNDS: u32 = 3;
/// Of a round trip, by how much at least the delay falls in a probe if it is that of a queue.
const QUEUE_FALLS: u32 = 32;
/// The window allows for the queue and for this part of it more.
const QUEUE_MARGIN: u32 = 4;

/// A flow beside others who keep a buffer filled.
#[derive(Debug, Clone, Copy)]
pub struct Contended {
    /// What is to be held, and what is after losses.
    share: Rate,
    held: Rate,
    /// Whether the flow holds it, and since when it has had no need to.
    holds: bool,
    needed: Time,
    queue: Owd,
    next_probe: Time,
    probe: Option<Probe>,
}

/// A while in which the flow sends less, and sees what becomes of the delay.
#[derive(Debug, Clone, Copy)]
struct Probe {
    until: Time,
    before: Owd,
    least: Owd,
}

/// An epoch with samples, and what the law makes of it.
#[derive(Debug, Clone, Copy)]
pub struct Epoch {
    /// Its end.
    pub now: Time,
    /// L.
    pub length: Duration,
    /// Its queueing delay.
    pub delta: Owd,
    /// The delay up to which there is hardly a queue.
    pub short: Owd,
    /// Whether losses are excessive.
    pub overwhelmed: bool,
    /// The rate to which the law of a lone flow leads.
    pub rate: Rate,
    /// Size of a full packet.
    pub packet: Bytes,
    /// What the slowest link carries, if that is known.
    pub link: Option<Rate>,
}

/// What becomes of the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// What the law of a lone flow says.
    Free,
    /// It is held at this; where less than before is, by how much.
    Holds { rate: Rate, beta: Option<f64> },
    /// There is no queue: the path is longer, and this is its rate.
    LongerPath(Rate),
}

impl Contended {
    /// Others are found to keep a queue, while this flow had `most` in the time before.
    pub fn new(now: Time, most: Rate, queue: Owd) -> Self {
        let share = most * HELD_SHARE;
        Self {
            share,
            held: share,
            holds: true,
            needed: now,
            queue,
            next_probe: now + FIRST_PROBE,
            probe: None,
        }
    }

    /// What is held.
    pub fn held(&self) -> Rate {
        self.held
    }

    /// Whether the law of a lone flow would leave less.
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// Whether a probe is under way.
    pub fn probes(&self) -> bool {
        self.probe.is_some()
    }

    /// The queue that the window has to allow for.
    pub fn queue(&self) -> Owd {
        match self.holds {
            true => self.queue + self.queue / QUEUE_MARGIN,
            false => Owd::ZERO,
        }
    }

    /// Whether it has not been needed for long.
    pub fn is_over(&self, now: Time) -> bool {
        now.since(self.needed) >= REMEMBERED
    }

    /// Takes in an epoch.
    pub fn judge(&mut self, seen: &Epoch) -> Verdict {
        self.queue = seen.delta;
        self.holds = seen.delta > seen.short && seen.rate < self.held;
        if !self.holds {
            self.next_probe = seen.now + REMEMBERED;
            self.probe = None;
            return Verdict::Free;
        }
        self.needed = seen.now;
        self.grow(seen);
        if let Some(probe) = self.probe {
            return self.go_on(probe, seen);
        }
        if seen.overwhelmed {
            self.held = self.held * REMAINS;
            return self.with(Some(1.0 - REMAINS));
        }
        if seen.now < self.next_probe {
            return self.with(None);
        }
        self.probe = Some(Probe::new(seen));
        self.with(Some(1.0 - PROBE_SHARE))
    }

    /// Back to the share by a packet per round trip, and up to half of the slowest link.
    fn grow(&mut self, seen: &Epoch) {
        let round = seen.length + seen.delta.to_duration();
        let grown = self.held + seen.packet.per(round);
        let half = seen.link.map_or(self.share, |link| link * HELD_SHARE);
        self.held = grown.min(self.share.max(half));
    }

    fn with(&self, beta: Option<f64>) -> Verdict {
        let rate = match self.probe {
            Some(_) => self.held * PROBE_SHARE,
            None => self.held,
        };
        Verdict::Holds { rate, beta }
    }

    fn go_on(&mut self, mut probe: Probe, seen: &Epoch) -> Verdict {
        probe.least = probe.least.min(seen.delta);
        self.probe = Some(probe);
        if seen.now >= probe.until {
            self.probe = None;
            self.next_probe = seen.now + REMEMBERED;
            if !probe.shows_a_queue(seen.length) {
                return Verdict::LongerPath(self.share * (1.0 / HELD_SHARE));
            }
        }
        self.with(None)
    }
}

impl Verdict {
    /// What is left of an update. A queue that others keep does not drain, so nothing waits for that.
    pub fn applied_to(self, update: Update) -> Update {
        match self {
            Verdict::Holds { rate, beta } => Update {
                rate,
                alpha: None,
                beta,
                drain: None,
                ..update
            },
            Verdict::Free | Verdict::LongerPath(_) => update,
        }
    }
}

impl Probe {
    fn new(seen: &Epoch) -> Self {
        let rounds = (seen.length + seen.delta.to_duration()) * PROBE_ROUNDS;
        Self {
            until: seen.now + rounds,
            before: seen.delta,
            least: seen.delta,
        }
    }

    /// Whether the delay has followed what was sent.
    fn shows_a_queue(&self, length: Duration) -> bool {
        let round = Owd::from(length) + self.before;
        self.before - self.least >= round / QUEUE_FALLS
    }
}

impl Hybrid {
    /// Whether the flow holds its share beside others.
    pub(super) fn holds(&self) -> bool {
        self.contended.is_some_and(|others| others.holds())
    }

    /// The queue of others that the window allows for.
    pub(super) fn others_queue(&self) -> Owd {
        self.contended.map_or(Owd::ZERO, |others| others.queue())
    }

    /// Others keep a queue: what the flow had before they came was at least this.
    pub(super) fn contend(&mut self, share: Rate, seen: &Attempted) {
        let largest = self.largest.get().map_or(0, |Reverse(bps)| bps);
        let most = share.max(Rate::from_bps(largest as f64));
        let others = Contended::new(seen.now, most, seen.delta);
        self.rate = self.bounded(others.held());
        self.contended = Some(others);
        self.meter.stand_still(true);
        self.begin_anew(seen.now);
    }

    /// What others leave of an update. While they keep a queue, no delay is the path's, so the minima are not to forget it.
    pub(super) fn beside_others(
        &mut self,
        update: &Update,
        seen: &Observed,
        from: &Situation,
        now: Time,
    ) -> Verdict {
        let Some(others) = &mut self.contended else {
            return Verdict::Free;
        };
        let link = (!from.transmission.is_zero()).then(|| from.packet.per(from.transmission));
        let verdict = others.judge(&Epoch {
            now,
            length: from.length,
            delta: seen.delta,
            short: from.thresholds.short,
            overwhelmed: seen.overwhelmed,
            rate: update.rate,
            packet: from.packet,
            link,
        });
        self.meter.stand_still(others.holds());
        if others.is_over(now) {
            self.contended = None;
        }
        verdict
    }

    /// What follows from it, after the update.
    pub(super) fn follow(&mut self, verdict: Verdict, now: Time) -> Option<Outcome> {
        let Verdict::LongerPath(rate) = verdict else {
            return None;
        };
        self.forget_others();
        self.follow_longer_path(rate, now);
        Some(Outcome::LongerPath(rate))
    }

    /// Nobody keeps a queue.
    pub(super) fn forget_others(&mut self) {
        self.standing = Standing::default();
        self.contended = None;
        self.meter.stand_still(false);
    }
}
