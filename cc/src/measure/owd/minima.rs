//! Sliding minima of one-way delays, of each size of packets.

use std::time::Duration;

use super::CLASSES;
use crate::measure::window_min::WindowMin;
use crate::units::{Owd, Time};

/// Smallest one-way delay of every size class.
pub type Minima = [Option<Owd>; CLASSES];

/// Sliding minima of one source.
///
/// Serialisation is part of the delay, so only packets of like size compare: at 1 Mbit/s an empty
/// packet is 10 ms faster than a full one. A larger packet is never faster than a smaller one, so a
/// class's minimum is also bounded by those of the larger classes.
#[derive(Debug, Clone)]
pub(super) struct ClassMinima {
    classes: [WindowMin<Owd>; CLASSES],
    /// Of each class and all larger ones, so the first is the lowest of all; longer than any where
    /// nothing was seen: every packet compares with some, which is cheaper than an option.
    lowest: [Owd; CLASSES],
}

impl ClassMinima {
    pub fn new(window: Duration) -> Self {
        Self {
            classes: std::array::from_fn(|_| WindowMin::new(window)),
            lowest: [Owd::LONGEST; CLASSES],
        }
    }

    pub fn advance(&mut self, now: Time) {
        for class in &mut self.classes {
            class.advance(now);
        }
        self.update();
    }

    pub fn clear(&mut self) {
        self.classes.iter_mut().for_each(WindowMin::clear);
        self.update();
    }

    #[cold]
    pub fn raise(&mut self, by: Option<Owd>) {
        self.classes.iter_mut().for_each(|class| raise(class, by));
        self.update();
    }

    pub fn start_anew(&mut self, class: usize, owd: Owd) {
        self.clear();
        self.insert(class, owd);
    }

    /// Takes in a delay, and tells what it has above the minimum of its class and the larger ones,
    /// itself included.
    #[inline]
    pub fn insert(&mut self, class: usize, owd: Owd) -> Owd {
        let above = owd - self.lowest[class].min(owd);
        if self.classes[class].insert(owd) {
            self.update();
        }
        above
    }

    /// What a delay has above the minimum of its class and the larger ones. Below zero if it is
    /// lower; below zero as well, or longer than any RTT, if nothing was seen.
    #[inline]
    pub fn above(&self, class: usize, owd: Owd) -> Owd {
        owd - self.lowest[class]
    }

    /// The minimum of a class and the larger ones.
    #[inline]
    pub fn of(&self, class: usize) -> Option<Owd> {
        known(self.lowest[class])
    }

    /// Those of all classes.
    pub fn all(&self) -> Minima {
        self.lowest.map(known)
    }

    /// The least of full-sized packets in the part of the window under way.
    pub fn latest_minimum(&self) -> Option<Owd> {
        self.classes[CLASSES - 1].latest_minimum()
    }

    /// Adds to each what `gain` says of the part in which it was seen, told how many parts ago that
    /// began.
    #[cold]
    pub fn age(&mut self, gain: impl Fn(u32) -> Owd) {
        for class in &mut self.classes {
            class.change(|owd, ago| owd + gain(ago));
        }
        self.update();
    }

    #[cold]
    fn update(&mut self) {
        let mut larger = Owd::LONGEST;
        for (class, lowest) in self.classes.iter().zip(&mut self.lowest).rev() {
            larger = class.get().map_or(larger, |least| larger.min(least));
            *lowest = larger;
        }
    }
}

fn known(lowest: Owd) -> Option<Owd> {
    (lowest < Owd::LONGEST).then_some(lowest)
}

/// Forgets all but the minimum, which is larger by so much now, or that, too.
pub(super) fn raise(window: &mut WindowMin<Owd>, by: Option<Owd>) {
    let raised = window.get().zip(by).map(|(least, by)| least + by);
    window.clear();
    if let Some(raised) = raised {
        window.insert(raised);
    }
}
