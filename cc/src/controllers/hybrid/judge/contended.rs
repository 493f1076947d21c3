//! DEVIATION: what a flow does where competing flows keep a buffer filled. The paper's flow gives
//! way to them until nothing is left of it; this one holds about half of what it had, and waits
//! until the queue is gone.
//!
//! ```text
//!     H  = 0.54 max(R_used, S')      what it is to hold
//!     R  = h unless R' >= h          in an epoch with a queue; h / 2 in a probe
//! ```
//!
//! h begins at H, excessive losses leave 0.7 of it, and it grows back. Losses that last leave half
//! of it and of H: others hold a share as well ([`super::overload`]). The queue is not this flow's
//! then, so its delay says nothing; excessive losses do (RFC 9438, section 4.6, for by how much),
//! and whether the delay depends on what this flow sends. Where it does not, and no more is lost
//! than by chance, the path has become longer, and nobody keeps a queue. A flow with a small share
//! moves a full buffer too little to see, but it loses packets to it. Where far less comes back
//! than it sends, the queue is its own.

use std::time::Duration;

use super::super::model::seen::{Sampled, Seen};
use super::super::params::Params;
use super::came_back::CameBack;
use super::overload::Overload;
use crate::measure::loss_count::LossCount;
use crate::units::{Owd, Rate, Time};

/// Of what a flow had, what it holds. Half, and what is lost until contention is found and while it
/// is probed.
const HELD_SHARE: f64 = 0.54;
/// What excessive losses leave of it.
const REMAINS: f64 = 0.7;
/// They are made up for within this time at most, as CUBIC makes up for its own where windows are
/// large (RFC 9438, section 4.2: K).
const RECOVERY: Duration = Duration::from_secs(5);
/// Contention is over if for so long the flow had no need to hold its share; and so long after a
/// probe comes the next.
const REMEMBERED: Duration = Duration::from_secs(10);
/// When the first one comes.
const FIRST_PROBE: Duration = Duration::from_secs(2);
/// A flow that finds its share by losses does not answer two hundredths of the packets, as BBR: in
/// a full buffer, single packets of a small flow are lost far more often than those who fill it
/// answer.
const SHARE_LOSS: f64 = 0.02;
/// What losses leave that last because others hold a share as well.
const OVERLOAD_REMAINS: f64 = 0.5;
/// What a probe leaves of the rate, and for how many round trips.
const PROBE_SHARE: f64 = 0.5;
const PROBE_ROUNDS: u32 = 6;
/// Of the longest queue while the flow held, up to which part it does not hold again, and up to so
/// many times `target_packets` packets at the rate that it had. Flows that give way keep less.
const BACK_DIVISOR: u32 = 8;
const BACK_QUEUES: f64 = 8.0;
/// Of a round trip, by how much at least the delay moves in a probe if it is that of a queue. It
/// falls, or rises where competing flows, or a link that has become slower, leave less for it.
const QUEUE_MOVES: u32 = 32;
/// The window allows for the queue and for this part of it more.
const QUEUE_MARGIN: u32 = 4;

/// A flow beside competing flows that keep a buffer filled.
#[derive(Debug, Clone, Copy)]
pub struct Contended {
    /// H and h: what is to be held, and what is after losses.
    hold_target: Rate,
    held: Rate,
    /// s: of the slowest link, what it may hold.
    link_share: f64,
    /// Whether the flow holds it, and since when it has had no need to.
    holds: bool,
    needed: Time,
    queue: Owd,
    /// The longest queue while it held.
    longest: Owd,
    next_probe: Time,
    probe: Option<Probe>,
    came_back: CameBack,
    /// While it held, since contention was found or a probe last ended by its time.
    losses: LossCount,
    overload: Overload,
}

/// A while in which the flow sends less, and sees what becomes of the delay.
#[derive(Debug, Clone, Copy)]
struct Probe {
    until: Time,
    before: Owd,
    /// The least and the longest delay since.
    least: Owd,
    most: Owd,
    /// Whether it does so: a source that uses less than it may sends the same.
    sends_less: bool,
}

/// Whether neither the link is known nor what the flow had without competing flows.
fn knows_no_share(epoch: &Sampled<'_>) -> bool {
    // L was longer: competing flows had a queue before the flow came.
    epoch.length_fell && epoch.link.rate().is_none()
}

/// Whether too much is lost, so that the share is found.
fn loses_too_much(epoch: &Sampled<'_>) -> bool {
    epoch.background.is_exceeded_by(epoch.losses, SHARE_LOSS)
}

/// What becomes of the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HoldDecision {
    /// What the law of a lone flow says.
    Free,
    /// It is held at this; where less than before is, by how much.
    Holds { rate: Rate, beta: Option<f64> },
    /// There is no queue: the path is longer, and this is its rate.
    LongerPath(Rate),
    /// What is held does not come back: the link is slower, and nobody else keeps a queue.
    SlowerLink,
}

impl Contended {
    /// Others are found to keep a queue, while this flow had `had` in the time before.
    pub fn new(now: Time, had: Rate, queue: Owd, length: Duration) -> Self {
        let hold_target = had * HELD_SHARE;
        Self {
            hold_target,
            held: hold_target,
            link_share: HELD_SHARE,
            holds: true,
            needed: now,
            queue,
            longest: queue,
            next_probe: now + FIRST_PROBE,
            probe: None,
            came_back: CameBack::after_raise(now, length + queue.to_duration()),
            losses: LossCount::default(),
            overload: Overload::new(now),
        }
    }

    /// What the flow had without competing flows, as far as that is known.
    pub fn had_alone(&self) -> Rate {
        self.hold_target * (1.0 / HELD_SHARE)
    }

    /// What is held.
    pub fn held(&self) -> Rate {
        self.held
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

    /// Takes in what an epoch has brought back, with samples or without.
    pub fn take_in(&mut self, seen: &Seen, rate: Rate) {
        if self.holds {
            self.came_back.add(seen, rate);
        }
    }

    /// Takes in an epoch, after which a flow without competing flows would send at `rate`.
    pub fn decide(&mut self, params: &Params, epoch: &Sampled<'_>, rate: Rate) -> HoldDecision {
        self.queue = epoch.queue();
        let held = self.holds;
        self.holds = epoch.queue() > self.gone(params, epoch) && rate < self.held;
        if !self.holds {
            self.next_probe = epoch.now + REMEMBERED;
            self.probe = None;
            return HoldDecision::Free;
        }
        self.needed = epoch.now;
        self.losses = self.losses.and(epoch.losses);
        if !held {
            self.came_back = CameBack::after_raise(epoch.now, epoch.round_trip());
            self.longest = epoch.queue();
            self.overload.holds_again(epoch.now);
        }
        self.longest = self.longest.max(epoch.queue());
        let (round_trip, packet) = (epoch.round_trip(), epoch.link.packet());
        if self.came_back.is_low(epoch.now, round_trip, packet) {
            return HoldDecision::SlowerLink;
        }
        self.hold(epoch)
    }

    /// The delay up to which there is no queue of competing flows. Once it was gone, what flows
    /// leave that give way is none either: if all took that for competing flows, they would fill
    /// the buffer together.
    fn gone(&self, params: &Params, epoch: &Sampled<'_>) -> Owd {
        if self.holds {
            return epoch.thresholds.short;
        }
        // A window that grows by a packet per round trip makes no longer queue of what this flow
        // gives way.
        let kept = params.kept_for(BACK_QUEUES, epoch.link.packet(), self.had_alone());
        let kept = Duration::from_secs_f64(kept);
        let back = (self.longest / BACK_DIVISOR).min(kept.into());
        back.max(epoch.thresholds.short)
    }

    /// What is held while there is a queue.
    fn hold(&mut self, epoch: &Sampled<'_>) -> HoldDecision {
        self.grow(epoch);
        if self
            .overload
            .shows_with(epoch.now, epoch.losses, epoch.background)
        {
            self.hold_target = self.hold_target * OVERLOAD_REMAINS;
            self.held = self.held * OVERLOAD_REMAINS;
            self.link_share *= OVERLOAD_REMAINS;
            return self.with(Some(1.0 - OVERLOAD_REMAINS));
        }
        if let Some(probe) = self.probe {
            return self.go_on(probe, epoch);
        }
        if epoch.excessive_loss() {
            self.held = self.held * REMAINS;
            return self.with(Some(1.0 - REMAINS));
        }
        if self.held > self.hold_target && self.finds_share(epoch) && loses_too_much(epoch) {
            let before = self.held;
            self.held = self.hold_target.max(before * REMAINS);
            return self.with(Some(1.0 - self.held.bps() / before.bps()));
        }
        if epoch.now < self.next_probe {
            return self.with(None);
        }
        self.probe = Some(Probe::new(epoch));
        self.came_back = CameBack::new(epoch.now, epoch.round_trip());
        self.with(Some(1.0 - PROBE_SHARE))
    }

    /// Whether losses have to tell the share. Flows that hold as well would look for theirs alike,
    /// and keep the buffer full.
    fn finds_share(&self, epoch: &Sampled<'_>) -> bool {
        knows_no_share(epoch) && self.link_share >= HELD_SHARE
    }

    /// Back to the share by `P / (L + d)` per epoch, or in time, and up to half of the slowest link
    /// if the application uses what is held.
    fn grow(&mut self, epoch: &Sampled<'_>) {
        if self.finds_share(epoch) && self.held >= self.hold_target {
            self.held = self.beyond(epoch);
            return;
        }
        let in_time = (1.0 - REMAINS) * epoch.length.as_secs_f64() / RECOVERY.as_secs_f64();
        let grown = self.held
            + epoch
                .link
                .packet()
                .per(epoch.round_trip())
                .max(self.hold_target * in_time);
        let more = match epoch.recently_app_limited {
            true => self.held,
            false => epoch.link.rate().unwrap_or_default() * self.link_share,
        };
        self.held = grown.min(self.hold_target.max(more));
    }

    /// A flow that has never had the path does not know what half of it is. It finds its share as
    /// those do who fill the buffer: by a packet per round trip until packets are lost.
    fn beyond(&self, epoch: &Sampled<'_>) -> Rate {
        if self.probe.is_some() || epoch.recently_app_limited {
            return self.held;
        }
        let round = epoch.round_trip();
        let rounds = epoch.length.as_secs_f64() / round.as_secs_f64();
        self.held + epoch.link.packet().per(round) * rounds
    }

    fn with(&self, beta: Option<f64>) -> HoldDecision {
        let rate = match self.probe {
            Some(_) => self.held * PROBE_SHARE,
            None => self.held,
        };
        HoldDecision::Holds { rate, beta }
    }

    fn go_on(&mut self, mut probe: Probe, epoch: &Sampled<'_>) -> HoldDecision {
        (probe.least, probe.most) = (
            probe.least.min(epoch.queue()),
            probe.most.max(epoch.queue()),
        );
        probe.sends_less &= !epoch.recently_app_limited;
        self.probe = Some(probe);
        if epoch.now >= probe.until {
            self.probe = None;
            self.next_probe = epoch.now + REMEMBERED;
            self.came_back = CameBack::after_raise(epoch.now, epoch.round_trip());
            let losses = std::mem::take(&mut self.losses);
            let quiet = !probe.shows_a_queue(epoch.length);
            if probe.sends_less && quiet && epoch.background.explains(losses) {
                return HoldDecision::LongerPath(self.had_alone());
            }
        }
        self.with(None)
    }
}

impl Probe {
    fn new(epoch: &Sampled<'_>) -> Self {
        let rounds = epoch.round_trip() * PROBE_ROUNDS;
        Self {
            until: epoch.now + rounds,
            before: epoch.queue(),
            least: epoch.queue(),
            most: epoch.queue(),
            sends_less: true,
        }
    }

    /// Whether the delay has moved: that of a path stays.
    fn shows_a_queue(&self, length: Duration) -> bool {
        let round = Owd::from(length) + self.before;
        let moved = (self.before - self.least).max(self.most - self.before);
        moved >= round / QUEUE_MOVES
    }
}
