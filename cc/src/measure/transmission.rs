//! The time that a full packet occupies the slowest link of the path.
//!
//! A packet that meets another one on the line waits for up to this long although there is no
//! queue. And one packet per transmission time is what the link carries, whoever sends it.
//!
//! Full packets that follow each other closely leave the slowest link one transmission time apart.
//! The smallest spacing of three in a row is the estimate; with three, one packet that comes late
//! spoils it half as much as with two. Jitter makes it too large at first, and too small in time.
//! It can never be larger than the spacing at which the sender sends, so a receiver that lies about
//! it gains at most what a flow of little share is granted.
//!
//! Where the receiver, or a medium before it, hands packets over in batches, receive timestamps
//! tell nothing of the link: packets that left apart come together. While a good part of them does,
//! there is no estimate.
//!
//! Only packets that arrive further apart than they left show what the link carries, and not what
//! the sender sends: packet dispersion (S. Keshav, "A control-theoretic approach to flow control",
//! SIGCOMM 1991; J. Hoe, "Improving the start-up behavior of a congestion control scheme for TCP",
//! SIGCOMM 1996, takes it for the end of slow start). A link spaces them alike, and jitter does
//! not: two have to agree.

use std::time::Duration;

use super::owd::{Sample, Source, CLASSES};
use crate::units::{Owd, Time};

/// Three packets come together if they arrive in less than the time in which they left divided by
/// this.
const TOGETHER_DIVISOR: u32 = 8;
/// If more than so many of so many do, packets come in batches.
const BATCHES: u8 = 16;
const BLOCK: u8 = 64;
/// Spacings agree that exceed the smallest by no more than this part of it.
const AGREE_DIVISOR: u32 = 16;
/// So many that agree are of a link.
const AGREEING: u8 = 2;

/// The estimate. It never rises, except when it starts anew: a path that has become slower is then
/// taken for faster than it is, and a flow that is alone for one that shares it.
#[derive(Debug, Clone)]
pub struct TransmissionTime {
    /// How many full packets have arrived in a row, up to two, and when the last two of them did.
    row: usize,
    previous: [Owd; 2],
    /// When they left.
    sent: [Time; 2],
    /// How many times three in a row have left in less than half of the time in which they arrived,
    /// and arrived about as close to each other as any; no more than it takes.
    agreeing: u8,
    /// Whether any did.
    shown: bool,
    /// Of the block under way: rows of three, and those that came together.
    block: u8,
    together: u8,
    /// Whether packets came in batches in the last block.
    in_batches: bool,
    /// Between the arrivals of a full packet and of the next but one, longer than any before two
    /// have come; and half of that, zero as long.
    least: Owd,
    estimate: Owd,
    version: u32,
}

impl Default for TransmissionTime {
    fn default() -> Self {
        Self {
            row: 0,
            previous: [Owd::ZERO; 2],
            sent: [Time::default(); 2],
            agreeing: 0,
            shown: false,
            block: 0,
            together: 0,
            in_batches: false,
            least: Owd::LONGEST,
            estimate: Owd::ZERO,
            version: 0,
        }
    }
}

impl TransmissionTime {
    /// Takes in a sample. Only receive timestamps tell: ACKs travel in a bunch.
    #[inline]
    pub fn add(&mut self, sample: &Sample) {
        if sample.source == Source::ReceiveTimestamps {
            let arrival = Owd::from(sample.sent) + sample.owd;
            self.arrived(sample.sent, arrival, sample.class == CLASSES - 1);
        }
    }

    /// A packet has arrived. Apart: what hands over samples needs all registers for itself.
    #[inline(never)]
    fn arrived(&mut self, sent: Time, arrival: Owd, full: bool) {
        let [first, second] = self.previous;
        let in_order = self.row == 0 || arrival > second;
        if !full || !in_order {
            self.row = 0;
            return;
        }
        if self.row == self.previous.len() {
            self.see(arrival - first, sent.delay_since(self.sent[0]));
        } else {
            self.row += 1;
        }
        self.previous = [second, arrival];
        self.sent = [self.sent[1], sent];
    }

    /// Takes in the times in which three in a row came and had left.
    fn see(&mut self, came: Owd, left: Owd) {
        self.block += 1;
        if came * TOGETHER_DIVISOR < left {
            self.together += 1;
        }
        if self.block == BLOCK {
            self.end_block();
        }
        if self.in_batches {
            return;
        }
        if came < self.least {
            if self.least > with_margin(came) {
                self.agreeing = 0;
            }
            self.least = came;
            self.estimate = came.max(Owd::ZERO) / 2;
            self.changes();
        }
        if left * 2 < came {
            self.see_dispersed(came);
        }
    }

    /// Takes in the time in which three in a row came that had left closer together.
    #[cold]
    fn see_dispersed(&mut self, came: Owd) {
        self.shown = true;
        if self.agreeing < AGREEING && came <= with_margin(self.least) {
            self.agreeing += 1;
            self.changes();
        }
    }

    #[cold]
    fn end_block(&mut self) {
        self.in_batches = self.together > BATCHES;
        (self.block, self.together) = (0, 0);
        if self.in_batches {
            (self.least, self.estimate) = (Owd::LONGEST, Owd::ZERO);
            self.changes();
            (self.agreeing, self.shown) = (0, false);
        }
    }

    /// The clock of receive timestamps was set: what comes is no continuation of what came.
    #[cold]
    pub fn restart_clock(&mut self) {
        self.row = 0;
    }

    /// Sizes have changed: what was seen no longer counts.
    pub fn restart(&mut self) {
        let version = self.version;
        *self = Self {
            version,
            ..Self::default()
        };
        self.changes();
    }

    fn changes(&mut self) {
        self.version = self.version.wrapping_add(1);
    }

    /// Whether three in a row have shown it at all, be they spaced by the link or by jitter.
    pub fn is_shown(&self) -> bool {
        self.shown
    }

    /// Whether the estimate is at most what the slowest link takes, and not only what the sender
    /// has left between packets.
    pub fn is_dispersed(&self) -> bool {
        self.agreeing == AGREEING
    }

    /// The estimate; zero as long as nothing has been seen.
    pub fn get(&self) -> Duration {
        self.estimate.to_duration()
    }

    /// Another number whenever the estimate changes or becomes that of the link: it is asked for
    /// with every ACK.
    pub fn version(&self) -> u32 {
        self.version
    }
}

/// The longest time that agrees with this one.
fn with_margin(came: Owd) -> Owd {
    came + came / AGREE_DIVISOR
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(sent_ms: u64, owd_ms: i64, class: usize) -> Sample {
        Sample {
            sent: Time::from_origin(Duration::from_millis(sent_ms)),
            owd: Owd::from_nanos(owd_ms * 1_000_000),
            above: Owd::ZERO,
            class,
            source: Source::ReceiveTimestamps,
            restarts: false,
        }
    }

    fn after(samples: &[Sample]) -> f64 {
        let mut time = TransmissionTime::default();
        samples.iter().for_each(|sample| time.add(sample));
        time.get().as_secs_f64() * 1e3
    }

    /// Sent every 2 ms over a link that takes 10 ms for each.
    fn queued() -> Vec<Sample> {
        (0..5)
            .map(|n| sample(2 * n, 8 * n as i64 - 3_600_000, 3))
            .collect()
    }

    #[test]
    fn packets_that_queue_show_the_time_that_one_takes() {
        assert_eq!(after(&queued()), 10.0);
        assert_eq!(after(&queued()[..2]), 0.0, "two packets are no evidence");
    }

    /// Sent a millisecond apart over a fast link, and handed over every eight, a microsecond apart.
    fn in_batches(count: i64) -> Vec<Sample> {
        let handed_over = |n: i64| (n / 8 + 1) * 8_000_000 + n % 8 * 1_000;
        (0..count)
            .map(|n| Sample {
                owd: Owd::from_nanos(handed_over(n) - n * 1_000_000),
                ..sample(n as u64, 0, 3)
            })
            .collect()
    }

    #[test]
    fn what_comes_in_batches_shows_no_link() {
        assert_eq!(after(&in_batches(200)), 0.0);
        // Later packets come as the link lets them.
        let mut samples = in_batches(200);
        let last = Time::from_origin(Duration::from_millis(200));
        samples.extend(queued().iter().map(|one| Sample {
            sent: last + Duration::from_nanos(one.sent.as_nanos()),
            ..*one
        }));
        assert_eq!(after(&samples), 0.0, "it takes more of them");
        let paced = (200..400).map(|n| sample(n, 3, 3));
        samples.extend(paced);
        assert_eq!(after(&samples), 1.0);
    }

    #[test]
    fn one_late_packet_spoils_half_of_what_it_would_with_pairs() {
        let mut samples = queued();
        samples[2].owd = samples[2].owd + Owd::from_nanos(9_000_000);
        // A pair would show 1 ms.
        assert_eq!(after(&samples), 5.5);
    }

    #[test]
    fn small_packets_late_ones_other_sources_and_another_clock_break_the_row() {
        let breaks: [fn(&mut Sample); 2] = [
            |sample| sample.class = 0,
            |sample| sample.owd = sample.owd - Owd::from_nanos(60_000_000),
        ];
        for spoil in breaks {
            let mut samples = queued()[..4].to_vec();
            spoil(&mut samples[2]);
            assert_eq!(after(&samples[..3]), 0.0);
        }
        let mut by_ack = queued();
        by_ack
            .iter_mut()
            .for_each(|sample| sample.source = Source::Ack);
        assert_eq!(after(&by_ack), 0.0);
        let mut time = TransmissionTime::default();
        let samples = queued();
        samples[..2].iter().for_each(|sample| time.add(sample));
        time.restart_clock();
        time.add(&samples[2]);
        assert_eq!(time.get(), Duration::ZERO);
    }

    /// Three at a time, which arrive so far apart (in ms).
    fn dispersed(apart: &[i64]) -> bool {
        let mut time = TransmissionTime::default();
        for (at, apart) in (0_i64..).map(|n| 100 * n).zip(apart) {
            for n in 0..3 {
                time.add(&sample(at as u64, n * apart, 3));
            }
        }
        time.is_dispersed()
    }

    #[test]
    fn a_link_spaces_packets_alike_and_jitter_does_not() {
        assert!(!dispersed(&[16]), "one agrees with nothing");
        assert!(dispersed(&[16, 17]));
        assert!(!dispersed(&[16, 18]));
        assert!(dispersed(&[16, 40, 24, 16]), "others came between");
        assert!(!dispersed(&[18, 16]), "the smallest is another one");
        assert!(dispersed(&[17, 16]));
        let jitter = [17, 9, 31, 13, 22, 5, 41, 11, 26, 3, 19, 7];
        assert!(!dispersed(&jitter));
    }

    #[test]
    fn packets_that_left_as_they_arrive_show_no_link() {
        let mut time = TransmissionTime::default();
        (0..50).for_each(|n| time.add(&sample(20 * n, 0, 3)));
        assert_eq!(time.get(), Duration::from_millis(20));
        assert!(!time.is_dispersed());
    }

    #[test]
    fn it_is_never_longer_than_the_spacing_of_departures() {
        let paced: Vec<_> = (0..50).map(|n| sample(20 * n, (n % 3) as i64, 3)).collect();
        assert!(after(&paced) <= 20.0);
    }
}
