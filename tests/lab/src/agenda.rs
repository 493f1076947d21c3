//! What happens when: one pending instant per actor, earliest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use quiche_cc_bottleneck::Time;

/// The next instant of every actor. At the same instant, the actor with the smaller number comes first.
///
/// An instant that moves later leaves its entry in the heap; when that comes up, it is put back at the right
/// place. So an actor holds about one entry, not one per change.
#[derive(Debug, Default)]
pub struct Agenda {
    heap: BinaryHeap<Reverse<(Time, usize)>>,
    actors: Vec<Pending>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Pending {
    wanted: Option<Time>,
    queued: Option<Time>,
}

impl Agenda {
    /// For actors `0..actors`.
    pub fn new(actors: usize) -> Self {
        Self {
            heap: BinaryHeap::new(),
            actors: vec![Pending::default(); actors],
        }
    }

    /// Sets, or with `None` clears, the next instant of `actor`.
    pub fn set(&mut self, actor: usize, at: Option<Time>) {
        let pending = &mut self.actors[actor];
        pending.wanted = at;
        if let Some(at) = at {
            if pending.queued.is_none_or(|queued| at < queued) {
                pending.queued = Some(at);
                self.heap.push(Reverse((at, actor)));
            }
        }
    }

    /// Moves the next instant of `actor` to `at` if it is later or not set.
    pub fn at_latest(&mut self, actor: usize, at: Time) {
        if self.actors[actor].wanted.is_none_or(|wanted| at < wanted) {
            self.set(actor, Some(at));
        }
    }

    /// Takes the earliest instant at or before `end`, which is then no longer set.
    pub fn pop(&mut self, end: Time) -> Option<(Time, usize)> {
        while let Some(&Reverse((at, actor))) = self.heap.peek() {
            if at > end {
                return None;
            }
            self.heap.pop();
            let pending = &mut self.actors[actor];
            if pending.queued != Some(at) {
                continue;
            }
            pending.queued = None;
            match pending.wanted {
                Some(wanted) if wanted <= at => {
                    pending.wanted = None;
                    return Some((at, actor));
                }
                wanted => self.set(actor, wanted),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    fn drain(agenda: &mut Agenda) -> Vec<(Time, usize)> {
        std::iter::from_fn(|| agenda.pop(ms(1_000_000))).collect()
    }

    #[test]
    fn instants_come_in_order_and_actors_at_one_instant_by_number() {
        let mut agenda = Agenda::new(3);
        agenda.set(2, Some(ms(5)));
        agenda.set(1, Some(ms(5)));
        agenda.set(0, Some(ms(7)));
        assert_eq!(agenda.pop(ms(4)), None);
        assert_eq!(drain(&mut agenda), [(ms(5), 1), (ms(5), 2), (ms(7), 0)]);
    }

    #[test]
    fn an_instant_moves_both_ways_and_can_be_cleared() {
        let mut agenda = Agenda::new(2);
        agenda.set(0, Some(ms(5)));
        agenda.set(0, Some(ms(9)));
        agenda.set(1, Some(ms(8)));
        agenda.at_latest(1, ms(20));
        assert_eq!(drain(&mut agenda), [(ms(8), 1), (ms(9), 0)]);
        agenda.set(0, Some(ms(30)));
        agenda.at_latest(0, ms(25));
        agenda.set(1, Some(ms(28)));
        agenda.set(1, None);
        assert_eq!(drain(&mut agenda), [(ms(25), 0)]);
    }

    #[test]
    fn pushing_an_instant_back_again_and_again_holds_one_entry() {
        let mut agenda = Agenda::new(1);
        for at in 10..1000 {
            agenda.set(0, Some(ms(at)));
        }
        assert_eq!(agenda.heap.len(), 1);
        assert_eq!(drain(&mut agenda), [(ms(999), 0)]);
    }
}
