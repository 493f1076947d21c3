//! Deadlines of many connections, earliest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

/// One pending deadline per key, in a heap that forgets lazily.
///
/// A deadline that moves later (as idle timers do with every packet) leaves its old entry in place;
/// when that comes up, [`Timers::pop_due`] puts the entry back at the right time. So a connection
/// holds about one entry, not one per packet.
#[derive(Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<(Instant, usize)>>,
    /// By key: the deadline wanted, and the earliest entry of the heap that serves it.
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
            if slot.queued.is_none_or(|queued| at < queued) {
                slot.queued = Some(at);
                self.heap.push(Reverse((at, key)));
            }
        }
    }

    /// The time at which [`Timers::pop_due`] should be called next. It may turn out to have nothing
    /// due.
    pub fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes one key whose deadline is `now` or earlier. Its deadline is then unset.
    pub fn pop_due(&mut self, now: Instant) -> Option<usize> {
        while let Some(&Reverse((at, key))) = self.heap.peek() {
            if at > now {
                return None;
            }
            self.heap.pop();
            let slot = &mut self.slots[key];
            if slot.queued != Some(at) {
                continue;
            }
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
            timers.heap.len(),
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
            "the later entry belongs to no deadline any more"
        );
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
