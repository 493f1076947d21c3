//! ACKs that come together.
//!
//! Shared media, cable modems and receivers hold ACKs back and send them in batches (ACK
//! compression: L. Zhang, S. Shenker, D. Clark, SIGCOMM 1991). Where a measurement begins amid a
//! batch, what came back before in the same batch belongs to it: the bytes of the whole batch took
//! the time since the batch before.

use crate::feedback::Feedback;
use crate::units::{Bytes, Time};

/// ACKs come together if their packets left so many times as far apart.
const COMPRESSION: u64 = 8;

/// An ACK.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark {
    /// When it came.
    pub came: Time,
    /// When the newest packet left that it acknowledges.
    pub left: Time,
}

/// The batch of the latest ACK.
#[derive(Debug, Clone, Copy, Default)]
pub struct Batch {
    latest: Mark,
    /// What the batch has acknowledged, and whether with the latest ACK alone.
    acked: Bytes,
    alone: bool,
}

impl Batch {
    /// Takes in a feedback, which acknowledges so many bytes. If it is an ACK, gives the one before
    /// and this one.
    #[inline]
    pub fn record(&mut self, feedback: &Feedback<'_>, acked: Bytes) -> Option<(Mark, Mark)> {
        let mark = Mark {
            came: feedback.now,
            left: feedback.acked.last()?.sent,
        };
        let apart = mark.came.counted_from(self.latest.came).as_nanos();
        let sent_apart = mark.left.counted_from(self.latest.left).as_nanos();
        self.alone = apart > sent_apart / COMPRESSION;
        self.acked = match self.alone {
            true => acked,
            false => self.acked + acked,
        };
        Some((std::mem::replace(&mut self.latest, mark), mark))
    }

    /// The latest ACK.
    pub fn latest(&self) -> Mark {
        self.latest
    }

    /// A measurement ends with the latest ACK, or, if none `acks`, with something else, and another
    /// one begins. Gives what of the batch belongs to the new one: all of it, unless the latest ACK
    /// is the first. That one took the time before it, as an ACK does that comes alone, and belongs
    /// to the measurement that it ends.
    pub fn cut(&mut self, acks: bool) -> Bytes {
        if !acks || self.alone {
            self.acked = Bytes(0);
        }
        self.acked
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::feedback::Acked;

    const SIZE: u64 = 1_000;

    fn at(millis: f64) -> Time {
        Time::from_origin(Duration::from_nanos((millis * 1e6) as u64))
    }

    fn acked(left: f64) -> Acked {
        Acked {
            sent: at(left),
            size: Bytes(SIZE),
            received: None,
        }
    }

    fn record(batch: &mut Batch, came: f64, acked: &[Acked]) {
        let feedback = Feedback::of(at(came), acked, &[]);
        let _ = batch.record(&feedback, feedback.acked_bytes());
    }

    /// What goes over, in packets, if the last of these ACKs ends a measurement: when each came,
    /// and when its packets left.
    fn goes_over(acks: &[(f64, &[f64])]) -> u64 {
        let mut batch = Batch::default();
        for (came, left) in acks {
            let acked: Vec<Acked> = left.iter().copied().map(acked).collect();
            record(&mut batch, *came, &acked);
        }
        batch.cut(true).0 / SIZE
    }

    #[test]
    fn acks_that_come_as_packets_left_come_alone() {
        assert_eq!(goes_over(&[(50.0, &[10.0, 11.0])]), 0);
        assert_eq!(
            goes_over(&[(50.0, &[10.0, 11.0]), (52.0, &[12.0, 13.0])]),
            0
        );
        assert_eq!(
            goes_over(&[(50.0, &[10.0, 11.0]), (50.3, &[12.0, 13.0])]),
            0
        );
    }

    #[test]
    fn an_ack_amid_a_batch_goes_over_with_the_batch() {
        let acks: [(f64, &[f64]); 4] = [
            (40.0, &[7.0, 8.0, 9.0]),
            (50.0, &[10.0, 11.0]),
            (50.1, &[12.0]),
            (50.2, &[13.0, 14.0]),
        ];
        assert_eq!([1, 2, 3, 4].map(|n| goes_over(&acks[..n])), [0, 0, 3, 5]);
    }

    #[test]
    fn late_packets_and_equal_times_leave_a_batch_together() {
        let acks: [(f64, &[f64]); 3] = [(50.0, &[10.0]), (50.0, &[5.0]), (50.0, &[5.0])];
        assert_eq!(goes_over(&acks), 3);
        assert_eq!(goes_over(&[(50.0, &[10.0]), (51.0, &[5.0])]), 0);
    }

    #[test]
    fn a_loss_ends_no_batch() {
        let mut batch = Batch::default();
        record(&mut batch, 50.0, &[acked(10.0)]);
        record(&mut batch, 50.0, &[]);
        record(&mut batch, 50.0, &[acked(20.0)]);
        assert_eq!(batch.cut(true), Bytes(2 * SIZE));
    }

    #[test]
    fn what_belongs_to_one_measurement_belongs_to_no_other() {
        let mut batch = Batch::default();
        let ack = |batch: &mut Batch, left| record(batch, 50.0, &[acked(left)]);
        // The first ACK of a batch ends a measurement, and belongs to it.
        ack(&mut batch, 10.0);
        assert_eq!(batch.cut(true), Bytes(0));
        // The third one ends another. The second one and it go on to whatever the batch ends next.
        ack(&mut batch, 11.0);
        ack(&mut batch, 12.0);
        assert_eq!(batch.cut(true), Bytes(2 * SIZE));
        ack(&mut batch, 13.0);
        assert_eq!(batch.cut(true), Bytes(3 * SIZE));
        // A loss timer, after which nothing goes on.
        assert_eq!(batch.cut(false), Bytes(0));
        ack(&mut batch, 14.0);
        assert_eq!(batch.cut(true), Bytes(SIZE));
    }
}
