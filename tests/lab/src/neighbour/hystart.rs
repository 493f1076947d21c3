//! HyStart++ (RFC 9406): slow start that ends before the buffer overflows, if the round-trip time grows.

use std::time::Duration;

use quiche_cc::units::Time;

/// By how much a round must be slower than the one before: an eighth, within bounds (section 4.3).
const DIVISOR: u32 = 8;
const LEAST: Duration = Duration::from_millis(4);
const MOST: Duration = Duration::from_millis(16);
/// Samples that a round needs to tell.
const SAMPLES: u32 = 8;
/// Of slow start, how fast the window grows in conservative slow start, and for how many rounds.
const SLOWER: f64 = 0.25;
const ROUNDS: u32 = 5;

/// Where slow start is.
#[derive(Debug, Clone, Copy)]
pub struct HyStart {
    /// When the round began; it ends with the first packet of it that comes back.
    began: Time,
    last: Duration,
    current: Duration,
    samples: u32,
    /// The smallest RTT when conservative slow start began, and the rounds since.
    conservative: Option<(Duration, u32)>,
}

impl HyStart {
    /// A slow start that begins at this time.
    pub fn new(now: Time) -> Self {
        Self {
            began: now,
            last: Duration::MAX,
            current: Duration::MAX,
            samples: 0,
            conservative: None,
        }
    }

    /// Takes in an RTT sample, of a packet that left at `sent`. Whether slow start is over.
    pub fn ends(&mut self, sent: Time, now: Time, sample: Duration) -> bool {
        if sent > self.began && self.next_round(now) {
            return true;
        }
        self.current = self.current.min(sample);
        self.samples += 1;
        if self.samples < SAMPLES {
            return false;
        }
        match self.conservative {
            // It was no queue.
            Some((baseline, _)) if self.current < baseline => self.conservative = None,
            None if self.is_slower() => self.conservative = Some((self.current, 0)),
            _ => {}
        }
        false
    }

    /// Of what was acknowledged, how much the window grows by.
    pub fn gain(&self) -> f64 {
        match self.conservative {
            Some(_) => SLOWER,
            None => 1.0,
        }
    }

    fn is_slower(&self) -> bool {
        let threshold = (self.last / DIVISOR).clamp(LEAST, MOST);
        self.last < Duration::MAX && self.current >= self.last + threshold
    }

    fn next_round(&mut self, now: Time) -> bool {
        (self.began, self.last) = (now, self.current);
        (self.current, self.samples) = (Duration::MAX, 0);
        let Some((_, rounds)) = &mut self.conservative else {
            return false;
        };
        *rounds += 1;
        *rounds >= ROUNDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::from_origin(Duration::from_millis(millis))
    }

    /// Rounds of ten samples each, one of each RTT. Whether slow start ended, and its gain then.
    fn rounds(rtts: &[u64]) -> (bool, f64) {
        let mut slow_start = HyStart::new(at(0));
        let mut now = 0;
        for rtt in rtts {
            for packet in 0..10 {
                let (sent, back) = (at(now + packet + 1), at(now + packet + 50));
                if slow_start.ends(sent, back, Duration::from_millis(*rtt)) {
                    return (true, slow_start.gain());
                }
            }
            now += 60;
        }
        (false, slow_start.gain())
    }

    #[test]
    fn it_goes_on_while_round_trips_stay_alike() {
        assert_eq!(rounds(&[50; 20]), (false, 1.0));
        assert_eq!(rounds(&[50, 53, 56, 59, 62]), (false, 1.0));
    }

    #[test]
    fn a_round_that_is_an_eighth_slower_slows_it_down_and_five_more_end_it() {
        assert_eq!(rounds(&[50, 57]), (false, 0.25));
        assert_eq!(rounds(&[50, 57, 58, 58, 58, 58, 58]), (true, 0.25));
    }

    #[test]
    fn a_queue_that_goes_away_was_none() {
        assert_eq!(rounds(&[50, 57, 50]), (false, 1.0));
    }
}
