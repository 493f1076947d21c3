//! Which rung of its ladder an encoder stands on, by the rate that it is told.

use std::time::Duration;

use quiche_cc_bottleneck::{Rate, Time};

/// How an encoder follows a rate.
#[derive(Debug, Clone, PartialEq)]
pub struct Following {
    /// Rates of the rungs, ascending, at least one.
    pub rungs: Vec<Rate>,
    /// Of the rate that it is told, what it may take (0 to 1).
    pub share: f64,
    /// For how long there has to be room for the next rung.
    pub hold: Duration,
    /// From a decision to the first frame that obeys it.
    pub delay: Duration,
}

/// An encoder's rung: down at once to what fits, up by one when that has fitted for a while.
#[derive(Debug)]
pub struct Ladder {
    following: Following,
    rung: usize,
    /// What is decided and not yet obeyed, and when it will be.
    next: Option<(Time, usize)>,
    /// Since when there has been room for more.
    room_since: Option<Time>,
}

impl Ladder {
    /// Begins on the rung of this number, from 0.
    pub fn new(following: Following, rung: usize) -> Self {
        Self {
            following,
            rung,
            next: None,
            room_since: None,
        }
    }

    /// The rung, by which frames are made now.
    pub fn rung(&mut self, now: Time) -> usize {
        if let Some((_, rung)) = self.next.take_if(|(at, _)| *at <= now) {
            self.rung = rung;
        }
        self.rung
    }

    /// Learns the rate, if one is known, in bit/s.
    pub fn on_target(&mut self, now: Time, target: Option<f64>) {
        let current = self.rung(now);
        let Some(target) = target else { return };
        let fits = self.highest_within(target * self.following.share);
        let aim = self.next.map_or(current, |(_, rung)| rung);
        if fits < aim {
            self.room_since = None;
            self.decide(now, fits);
        } else if fits == current || self.next.is_some() {
            self.room_since = None;
        } else {
            let since = *self.room_since.get_or_insert(now);
            if now.since(since) >= self.following.hold {
                self.room_since = None;
                self.decide(now, current + 1);
            }
        }
    }

    /// What is decided already takes effect no later for being changed.
    fn decide(&mut self, now: Time, rung: usize) {
        let at = self.next.map_or(now + self.following.delay, |(at, _)| at);
        self.next = Some((at, rung));
    }

    /// The lowest is taken if none fits.
    fn highest_within(&self, bps: f64) -> usize {
        let fitting = self.following.rungs.iter();
        let fitting = fitting.take_while(|rung| rung.bits_per_sec() as f64 <= bps);
        fitting.count().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn ladder(rung: usize) -> Ladder {
        let rate = |kbps: u64| Rate::from_bits_per_sec(kbps * 1000).unwrap();
        let following = Following {
            rungs: vec![rate(500), rate(800), rate(1300)],
            share: 0.8,
            hold: 1000 * MS,
            delay: 200 * MS,
        };
        Ladder::new(following, rung)
    }

    fn at(ms: u32) -> Time {
        Time::ZERO + MS * ms
    }

    #[test]
    fn down_is_decided_at_once_and_obeyed_after_the_delay() {
        let mut ladder = ladder(2);
        ladder.on_target(at(0), Some(0.7e6));
        assert_eq!((ladder.rung(at(199)), ladder.rung(at(200))), (2, 0));
        ladder.on_target(at(300), Some(0.1e6));
        assert_eq!(ladder.rung(at(900)), 0);
    }

    #[test]
    fn up_goes_one_rung_after_room_for_as_long_as_is_asked_for() {
        let mut ladder = ladder(0);
        for ms in (0..=1000).step_by(100) {
            ladder.on_target(at(ms), Some(2e6));
        }
        assert_eq!((ladder.rung(at(1199)), ladder.rung(at(1200))), (0, 1));
        for ms in (1300..2200).step_by(100) {
            ladder.on_target(at(ms), Some(2e6));
        }
        // A look without room begins anew.
        ladder.on_target(at(2250), Some(1e6));
        ladder.on_target(at(2300), Some(2e6));
        assert_eq!(ladder.rung(at(3200)), 1);
    }

    #[test]
    fn what_is_worse_replaces_what_is_decided_and_nothing_is_no_news() {
        let mut ladder = ladder(2);
        ladder.on_target(at(0), Some(1.1e6));
        ladder.on_target(at(100), Some(0.1e6));
        ladder.on_target(at(150), None);
        assert_eq!((ladder.rung(at(199)), ladder.rung(at(200))), (2, 0));
    }
}
