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

use super::batch::Mark;
use crate::units::{Bytes, Rate, Time};

/// Fewer packets after the first ACK show no rate.
const SHOWS: u64 = 4;
/// Fewer there do not try one: what a buffer takes in without a queue is no rate that a path
/// carries.
const TRIES: u64 = 10;
/// Packets that leave at less than the sending rate divided by this begin another train.
const SLOWER: f64 = 2.0;
/// ns. But what the sender's clock may delay them counts for nothing.
const CLOCK: u64 = 1_000_000;
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
    /// Acknowledged after the first mark, and what of that was in epochs that are over.
    acked: Bytes,
    before: Bytes,
}

impl Trains {
    /// Takes in an ACK of so many bytes, of full packets that leave at `rate`, with the ACK before.
    /// No train lasts longer than `longest`. Called with every ACK.
    #[inline]
    pub fn record(
        &mut self,
        (before, mark): (Mark, Mark),
        acked: Bytes,
        rate: Rate,
        (packet, longest): (Bytes, Time),
    ) {
        match &mut self.latest {
            Some(train)
                if is_followed(before, mark, acked, rate)
                    && mark.came.counted_from(train.first.came) <= longest =>
            {
                train.acked = train.acked + acked;
            }
            _ => self.begin(before, mark, packet),
        }
    }

    /// An epoch is over, `last` is the latest ACK: the largest rates of its trains. That one's may
    /// go on.
    pub fn take(&mut self, last: Mark, packet: Bytes) -> TrainRates {
        self.count_latest(last, packet);
        if let Some(train) = &mut self.latest {
            train.before = train.acked;
        }
        std::mem::take(&mut self.largest)
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, before: Mark, first: Mark, packet: Bytes) {
        self.count_latest(before, packet);
        self.latest = Some(Train {
            first,
            acked: Bytes(0),
            before: Bytes(0),
        });
    }

    fn count_latest(&mut self, last: Mark, packet: Bytes) {
        let in_epoch = |train: &Train| train.acked > train.before;
        let Some(train) = self.latest.filter(in_epoch) else {
            return;
        };
        let (rate, largest) = (train.rate(last), &mut self.largest);
        if train.acked >= packet * SHOWS {
            largest.shown = largest.shown.max(rate);
        }
        if train.acked >= packet * TRIES {
            largest.tried = largest.tried.max(rate);
        }
    }
}

/// Whether what an ACK acknowledges left soon enough after what the ACK before did.
#[inline]
fn is_followed(before: Mark, mark: Mark, acked: Bytes, rate: Rate) -> bool {
    let apart = mark.left.counted_from(before.left).as_nanos();
    // Without a division, and signed as processors convert: every ACK asks.
    let late = apart as i64 - CLOCK as i64;
    late as f64 * rate.bps() <= SLOWER * 8e9 * acked.0 as i64 as f64
}

impl Train {
    /// Up to its `last` ACK.
    fn rate(&self, last: Mark) -> Rate {
        let left = last.left.since(self.first.left);
        let came = last.came.since(self.first.came);
        let rate = self.acked.per(left.max(came));
        rate.min(Rate::from_bps(MOST_BPS))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const PACKET: Bytes = Bytes(1_000);
    const LONGEST: Duration = Duration::from_millis(100);

    fn at(millis: f64) -> Time {
        Time::from_origin(Duration::from_nanos((millis * 1e6) as u64))
    }

    #[derive(Default)]
    struct Acks {
        last: Mark,
        trains: Trains,
    }

    impl Acks {
        /// One of two packets, the newer of which left then, with R of 8 Mbit/s: two packets need 2
        /// ms.
        fn record(&mut self, left: f64, came: f64) {
            let (left, came) = (at(left), at(came));
            let before = std::mem::replace(&mut self.last, Mark { came, left });
            let bounds = (PACKET, Time::from_origin(LONGEST));
            let rate = Rate::from_bps(8e6);
            self.trains
                .record((before, self.last), PACKET * 2, rate, bounds);
        }

        fn take(&mut self) -> TrainRates {
            self.trains.take(self.last, PACKET)
        }
    }

    /// The rates that what left and came then shows and tries, in Mbit/s.
    fn rates(acks: &[(f64, f64)]) -> (f64, f64) {
        let mut seen = Acks::default();
        for (left, came) in acks {
            seen.record(*left, *came);
        }
        let TrainRates { shown, tried } = seen.take();
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
        let mut acks = Acks::default();
        acks.record(2.0, 40.0);
        acks.record(4.0, 42.0);
        assert_eq!(acks.take(), TrainRates::default());
        acks.record(6.0, 44.0);
        assert_eq!(acks.take().shown.bps(), 8e6);
        acks.record(90.0, 140.0);
        assert_eq!(acks.take(), TrainRates::default());
    }
}
