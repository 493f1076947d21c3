//! Deadlines of many connections, earliest first.

use std::collections::BTreeSet;
use std::time::Instant;

/// One pending deadline per key, in a queue with at most one entry per key.
///
/// A deadline that moves later (as idle timers do with every packet) leaves its entry in place;
/// when that comes up, [`Timers::pop_due`] puts it back at the right time. One that moves earlier
/// takes its entry with it: left behind, that would stay until the old time, and pacing may move a
/// deadline back and forth many times before.
#[derive(Default)]
pub struct Timers {
    queue: BTreeSet<(Instant, usize)>,
    /// By key: the deadline wanted, and the time of its entry in the queue, which is no later.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    wanted: Option<Instant>,
    queued: Option<Instant>,
}

impl Timers {
    /// Sets (or with `None` clears) the deadline of `key`. Keys are small integers.
    pub fn set(&mut self, key: usize, deadline: Option<Instant>) {
        if key >= self.slots.len() {
            self.slots.resize(key + 1, Slot::default());
        }
        let slot = &mut self.slots[key];
        slot.wanted = deadline;
        if let Some(at) = deadline {
            if slot.queued.is_some_and(|queued| queued <= at) {
                return;
            }
            if let Some(queued) = slot.queued.replace(at) {
                self.queue.remove(&(queued, key));
            }
            self.queue.insert((at, key));
        }
    }

    /// The time at which [`Timers::pop_due`] should be called next. It may turn out to have nothing
    /// due.
    pub fn next(&self) -> Option<Instant> {
        self.queue.first().map(|&(at, _)| at)
    }

    /// Takes one key whose deadline is `now` or earlier. Its deadline is then unset.
    pub fn pop_due(&mut self, now: Instant) -> Option<usize> {
        while let Some(&(at, key)) = self.queue.first() {
            if at > now {
                return None;
            }
            self.queue.pop_first();
            let slot = &mut self.slots[key];
            slot.queued = None;
            match slot.wanted {
                Some(wanted) if wanted <= now => {
                    slot.wanted = None;
                    return Some(key);
                }
                wanted => self.set(key, wanted),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn keys_come_due_in_the_order_of_their_deadlines() {
        let start = Instant::now();
        let mut timers = Timers::default();
        timers.set(0, Some(at(start, 30)));
        timers.set(1, Some(at(start, 10)));
        timers.set(2, Some(at(start, 20)));
        assert_eq!(timers.pop_due(at(start, 9)), None);
        assert_eq!(timers.pop_due(at(start, 25)), Some(1));
        assert_eq!(timers.pop_due(at(start, 25)), Some(2));
        assert_eq!(timers.pop_due(at(start, 25)), None);
        assert_eq!(timers.next(), Some(at(start, 30)));
    }

    #[test]
    fn a_deadline_that_moved_does_not_fire_at_its_old_time() {
        let start = Instant::now();
        let mut timers = Timers::default();
        for ms in 10..1000 {
            timers.set(3, Some(at(start, ms)));
        }
        assert_eq!(
            timers.queue.len(),
            1,
            "a deadline that moves later adds no entry"
        );
        assert_eq!(timers.pop_due(at(start, 500)), None);
        assert_eq!(timers.pop_due(at(start, 999)), Some(3));
        timers.set(3, Some(at(start, 2000)));
        timers.set(3, Some(at(start, 1500)));
        assert_eq!(timers.pop_due(at(start, 1600)), Some(3));
        assert_eq!(
            timers.pop_due(at(start, 3000)),
            None,
            "the later deadline was replaced"
        );
    }

    #[test]
    fn a_deadline_that_moves_back_and_forth_keeps_one_entry() {
        let start = Instant::now();
        let mut timers = Timers::default();
        for ms in 1..1000 {
            timers.set(5, Some(at(start, 30_000 + ms)));
            timers.set(5, Some(at(start, ms)));
            assert_eq!(timers.pop_due(at(start, ms)), Some(5));
            timers.set(5, Some(at(start, 30_000 + ms)));
            assert_eq!(timers.queue.len(), 1, "after {ms} ms");
        }
        assert_eq!(timers.pop_due(at(start, 30_998)), None);
        assert_eq!(timers.pop_due(at(start, 30_999)), Some(5));
    }

    #[test]
    fn a_cleared_deadline_never_fires() {
        let start = Instant::now();
        let mut timers = Timers::default();
        timers.set(0, Some(at(start, 10)));
        timers.set(0, None);
        assert_eq!(timers.pop_due(at(start, 100)), None);
    }
}
