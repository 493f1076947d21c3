//! The rate of packet trains: what arrives of packets that leave one after another.
//!
//! A source that sends now and then, such as a server of short answers, uses little of the path
//! over a round trip, and yet all of it for a moment. What it shows of the path is the rate of its
//! trains (R. Jain, S. Routhier, "Packet trains: measurements and a new model for computer network
//! traffic", IEEE JSAC 1986). Between the first ACK of a train and a later one
//!
//! ```text
//!   rate = bytes acknowledged / max(time in which they left, time in which their ACKs came)
//! ```
//!
//! So ACKs that come in a bunch do not make it larger than the rate at which the packets left
//! (draft-cheng-iccrg-delivery-rate-estimation, section 3.1.2).

use std::time::Duration;

use crate::feedback::Feedback;
use crate::units::{Bytes, Owd, Rate, Time};

/// Fewer packets in a row show no rate.
const SHOWS: u64 = 4;
/// Fewer do not try one: what a buffer takes in without a queue is no rate that a path carries.
const TRIES: u64 = 10;
/// Packets that leave at less than the sending rate divided by this begin another train.
const SLOWER: u64 = 2;
/// But what the sender's clock may delay them counts for nothing.
const CLOCK: Owd = Owd::from_nanos(1_000_000);
/// No rate is larger: ACKs of packets that left together come together.
const MOST_BPS: f64 = 10e9;

/// The packet trains of an epoch.
#[derive(Debug, Clone, Copy, Default)]
pub struct Trains {
    latest: Option<Train>,
    /// The largest rates of those that are over.
    largest: TrainRates,
}

/// The largest rates of packet trains; zero where none shows one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TrainRates {
    /// Of all that show one.
    pub shown: Rate,
    /// Of those that are long enough to try the sending rate.
    pub tried: Rate,
}

/// Packets that left one after another.
#[derive(Debug, Clone, Copy)]
struct Train {
    first: Mark,
    last: Mark,
    /// Acknowledged after the first mark.
    acked: Bytes,
    /// Whether some of it was in this epoch.
    counts: bool,
}

/// The newest packet of an ACK.
#[derive(Debug, Clone, Copy)]
struct Mark {
    left: Time,
    came: Time,
}

impl Trains {
    /// Takes in a feedback, which acknowledges so many bytes, while full packets leave at `rate`. No
    /// train lasts longer than `longest`.
    #[inline]
    pub fn record(
        &mut self,
        feedback: &Feedback<'_>,
        acked: Bytes,
        rate: Rate,
        (packet, longest): (Bytes, Duration),
    ) {
        let Some(newest) = feedback.acked.last() else {
            return;
        };
        let mark = Mark {
            left: newest.sent,
            came: feedback.now,
        };
        let together = rate.delay_of(acked * SLOWER) + CLOCK;
        match &mut self.latest {
            Some(train) if train.goes_on(mark, together, longest) => train.add(mark, acked),
            _ => self.begin(mark, packet),
        }
    }

    /// An epoch is over: the largest rates of its trains. The latest may go on.
    pub fn take(&mut self, packet: Bytes) -> TrainRates {
        self.count_latest(packet);
        if let Some(train) = &mut self.latest {
            train.counts = false;
        }
        std::mem::take(&mut self.largest)
    }

    #[cold]
    fn begin(&mut self, mark: Mark, packet: Bytes) {
        self.count_latest(packet);
        self.latest = Some(Train {
            first: mark,
            last: mark,
            acked: Bytes(0),
            counts: false,
        });
    }

    fn count_latest(&mut self, packet: Bytes) {
        let Some(train) = self.latest.filter(|train| train.counts) else {
            return;
        };
        if train.acked >= packet * SHOWS {
            self.largest.shown = self.largest.shown.max(train.rate());
        }
        if train.acked >= packet * TRIES {
            self.largest.tried = self.largest.tried.max(train.rate());
        }
    }
}

impl Train {
    fn goes_on(&self, mark: Mark, together: Owd, longest: Duration) -> bool {
        mark.left.delay_since(self.last.left) <= together
            && mark.came.since(self.first.came) <= longest
    }

    fn add(&mut self, mark: Mark, acked: Bytes) {
        self.last = Mark {
            left: mark.left.max(self.last.left),
            came: mark.came,
        };
        self.acked = self.acked + acked;
        self.counts = true;
    }

    fn rate(&self) -> Rate {
        let left = self.last.left.since(self.first.left);
        let came = self.last.came.since(self.first.came);
        self.acked.per(left.max(came)).min(Rate::from_bps(MOST_BPS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feedback::Acked;

    const PACKET: Bytes = Bytes(1_000);
    const LONGEST: Duration = Duration::from_millis(100);

    fn at(millis: f64) -> Time {
        Time::from_origin(Duration::from_nanos((millis * 1e6) as u64))
    }

    /// An ACK of two packets, the newer of which left then, with R of 8 Mbit/s: two packets need 2
    /// ms.
    fn record(trains: &mut Trains, left: f64, came: f64) {
        let acked = [left - 0.5, left].map(|left| Acked {
            sent: at(left),
            size: PACKET,
            received: None,
        });
        let feedback = Feedback::of(at(came), &acked, &[]);
        let rate = Rate::from_bps(8e6);
        trains.record(&feedback, feedback.acked_bytes(), rate, (PACKET, LONGEST));
    }

    /// The rates that what left and came then shows and tries, in Mbit/s.
    fn rates(acks: &[(f64, f64)]) -> (f64, f64) {
        let mut trains = Trains::default();
        for (left, came) in acks {
            record(&mut trains, *left, *came);
        }
        let TrainRates { shown, tried } = trains.take(PACKET);
        (shown.bps() / 1e6, tried.bps() / 1e6)
    }

    /// So many ACKs one after another from then on, that come so far apart.
    fn train(count: u32, from: f64, apart: f64) -> Vec<(f64, f64)> {
        let ack = |n: u32| {
            (
                from + 2.0 * f64::from(n),
                from + 40.0 + apart * f64::from(n),
            )
        };
        (0..count).map(ack).collect()
    }

    #[test]
    fn what_arrives_of_a_train_is_its_rate() {
        assert_eq!(rates(&train(3, 2.0, 4.0)), (4.0, 0.0));
        assert_eq!(rates(&train(6, 2.0, 4.0)), (4.0, 4.0));
    }

    #[test]
    fn acks_in_a_bunch_show_no_more_than_what_left() {
        assert_eq!(rates(&train(3, 2.0, 0.0)), (8.0, 0.0));
        assert_eq!(rates(&[(2.0, 40.0); 3]), (MOST_BPS / 1e6, 0.0));
    }

    #[test]
    fn too_few_packets_show_no_rate() {
        assert_eq!(rates(&[]), (0.0, 0.0));
        assert_eq!(rates(&train(2, 2.0, 2.0)), (0.0, 0.0));
    }

    #[test]
    fn a_pause_begins_another_train_and_the_fastest_counts() {
        let both = [train(3, 2.0, 2.0), train(3, 50.0, 4.0)].concat();
        assert_eq!(rates(&both), (8.0, 0.0));
        // Two packets may leave in 4 ms, half of R, and 1 ms, what a clock delays them.
        assert_eq!(rates(&[(2.0, 40.0), (7.0, 45.0), (12.0, 50.0)]), (3.2, 0.0));
        assert_eq!(rates(&[(2.0, 40.0), (7.1, 45.0), (12.2, 50.0)]), (0.0, 0.0));
    }

    #[test]
    fn a_train_that_does_not_end_is_cut() {
        let slow = train(26, 2.0, 4.0);
        let fast = slow
            .iter()
            .zip(1..)
            .map(|((left, came), n)| (left + 52.0, came + 100.0 - 2.0 * f64::from(n)));
        let acks: Vec<_> = slow.iter().copied().chain(fast).collect();
        assert_eq!(rates(&slow), (4.0, 4.0));
        assert!(rates(&acks).0 > 6.0, "{:?}", rates(&acks));
    }

    #[test]
    fn an_epoch_may_end_amid_a_train() {
        let mut trains = Trains::default();
        record(&mut trains, 2.0, 40.0);
        record(&mut trains, 4.0, 42.0);
        assert_eq!(trains.take(PACKET), TrainRates::default());
        record(&mut trains, 6.0, 44.0);
        assert_eq!(trains.take(PACKET).shown.bps(), 8e6);
        record(&mut trains, 90.0, 140.0);
        assert_eq!(trains.take(PACKET), TrainRates::default());
    }
}
