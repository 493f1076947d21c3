//! Which request streams have been heard of.

use std::collections::BTreeMap;

/// Distance between the ids of a client's bidirectional streams (RFC 9000, section 2.1).
const STEP: u64 = 4;

/// The client's bidirectional streams on which a request began or that ended without one.
///
/// Streams begin in any order, and the lowest may be the last, so these are ranges. Between two
/// lies a stream that is not over and still counts against the limit of open streams: there is at
/// most one range more than streams may be open at a time.
#[derive(Debug, Default)]
pub struct Heard {
    /// First stream of each range, and the first after it. No two touch.
    ranges: BTreeMap<u64, u64>,
}

impl Heard {
    /// Adds a stream. Returns whether it is new. Unidirectional ones, whose resets quiche reports
    /// like those of requests, are left out: a GOAWAY must name a request.
    pub fn insert(&mut self, stream: u64) -> bool {
        if !stream.is_multiple_of(STEP) {
            return false;
        }
        let start = match self.ranges.range(..=stream).next_back() {
            Some((_, &end)) if end > stream => return false,
            Some((&start, &end)) if end == stream => start,
            _ => stream,
        };
        let next = stream + STEP;
        let end = self.ranges.remove(&next).unwrap_or(next);
        self.ranges.insert(start, end);
        true
    }

    /// The first stream after all of them.
    pub fn end(&self) -> u64 {
        self.ranges.last_key_value().map_or(0, |(_, &end)| end)
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
        assert_eq!((heard.end(), heard.ranges.len()), (20, 1));
    }

    #[test]
    fn a_stream_that_stays_open_costs_no_memory_for_those_after_it() {
        let mut heard = Heard::default();
        for stream in (4..40_000).step_by(4) {
            assert!(heard.insert(stream), "{stream}");
        }
        assert_eq!((heard.end(), heard.ranges.len()), (40_000, 1));
        assert!(heard.insert(0));
        assert_eq!((heard.end(), heard.ranges.len()), (40_000, 1));
    }

    #[test]
    fn streams_that_carry_no_requests_are_left_out() {
        let mut heard = Heard::default();
        assert!(heard.insert(0));
        assert!(!heard.insert(14));
        assert_eq!((heard.end(), heard.ranges.len()), (4, 1));
    }
}
