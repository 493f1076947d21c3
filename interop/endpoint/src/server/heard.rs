//! Which request streams have been heard of.

use std::collections::BTreeSet;

/// Distance between the ids of a client's bidirectional streams (RFC 9000, section 2.1).
const STEP: u64 = 4;

/// The client's bidirectional streams on which a request began or that ended without one.
///
/// Streams begin in any order, so this remembers those beyond the first gap one by one; there are
/// at most as many as may be open at a time.
#[derive(Debug, Default)]
pub struct Heard {
    /// All streams below this one.
    below: u64,
    beyond: BTreeSet<u64>,
}

impl Heard {
    /// Adds a stream. Returns whether it is new.
    pub fn insert(&mut self, stream: u64) -> bool {
        if stream < self.below || !self.beyond.insert(stream) {
            return false;
        }
        while self.beyond.remove(&self.below) {
            self.below += STEP;
        }
        true
    }

    /// The first stream after all of them.
    pub fn end(&self) -> u64 {
        self.beyond.last().map_or(self.below, |last| last + STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stream_is_new_once_in_any_order() {
        let mut heard = Heard::default();
        for stream in [8, 0, 16, 4] {
            assert!(heard.insert(stream), "{stream}");
        }
        for stream in [0, 4, 8, 16] {
            assert!(!heard.insert(stream), "{stream}");
        }
        assert_eq!(heard.end(), 20);
        assert!(heard.insert(12));
        assert_eq!((heard.end(), heard.beyond.len()), (20, 0));
    }
}
