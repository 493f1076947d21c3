use std::time::Duration;

use super::*;
use crate::feedback::{Acked, Lost};

const MILLI: Duration = Duration::from_millis(1);
const SIZE: Bytes = Bytes(1250);

fn at(millis: u64) -> Time {
    Time::from_origin(MILLI * millis as u32)
}

fn start() -> Start {
    Start {
        initial_window_packets: 10,
        max_datagram_size: SIZE,
        initial_rtt: 333 * MILLI,
    }
}

struct Sender {
    reno: NewReno,
    rtt: Rtt,
    /// What is in flight; the source always has something to send unless it is set.
    in_flight: Bytes,
}

impl Sender {
    fn new() -> Self {
        let mut sender = Self {
            reno: NewReno::new(start(), None),
            rtt: Rtt::new(333 * MILLI),
            in_flight: Bytes(u64::MAX),
        };
        sender.feedback(1_000, &[900], &[]);
        sender
    }

    /// Packets that were sent at these times come back or are lost at `now`, in ms.
    fn feedback(&mut self, now: u64, acked: &[u64], lost: &[u64]) -> (Option<Reaction>, Counted) {
        let acked: Vec<_> = acked
            .iter()
            .map(|sent| Acked {
                sent: at(*sent),
                size: SIZE,
                received: None,
            })
            .collect();
        let lost: Vec<_> = lost
            .iter()
            .map(|sent| Lost {
                sent: at(*sent),
                size: SIZE,
            })
            .collect();
        let feedback = Feedback {
            in_flight: self.in_flight,
            ..Feedback::of(at(now), &acked, &lost)
        };
        self.rtt.record(&feedback);
        let reaction = self.reno.on_losses(&feedback, &self.rtt);
        (reaction, self.reno.counted(&feedback))
    }

    fn packets(&self) -> f64 {
        self.reno.window() / SIZE.0 as f64
    }
}

#[test]
fn a_loss_halves_the_window_once_per_round_trip() {
    let mut sender = Sender::new();
    let halved = Some(Reaction::Halved);
    assert_eq!(sender.feedback(1_100, &[1_000], &[990]).0, halved);
    assert_eq!(
        (sender.packets(), sender.reno.phase()),
        (5.0, Phase::Recovery)
    );
    // Sent before the reaction: neither its loss nor its arrival counts.
    let late = sender.feedback(1_150, &[1_060], &[1_050, 1_100]);
    assert_eq!(late, (None, Counted::default()));
    assert_eq!(sender.reno.phase(), Phase::Recovery);
    let (reaction, counted) = sender.feedback(1_210, &[1_110], &[]);
    assert_eq!((reaction, counted.packets), (None, 1));
    assert_eq!(sender.reno.phase(), Phase::CongestionAvoidance);
    assert_eq!(sender.feedback(1_220, &[], &[1_115]).0, halved);
    assert_eq!(sender.packets(), 2.5);
}

#[test]
fn the_window_never_falls_below_two_packets() {
    let mut sender = Sender::new();
    for round in 0..6 {
        let now = 1_100 + 200 * round;
        sender.feedback(now, &[now - 100], &[now - 110]);
    }
    assert_eq!(sender.packets(), 2.0);
    assert_eq!(sender.reno.bytes(), Bytes(2_500));
    sender.reno.set_packet(Bytes(1_500));
    assert_eq!(sender.reno.bytes(), Bytes(3_000));
}

#[test]
fn slow_start_grows_by_what_is_acknowledged_up_to_the_threshold() {
    let mut reno = NewReno::new(start(), Some(12.0));
    assert_eq!(reno.phase(), Phase::SlowStart);
    reno.grow(2_000);
    assert_eq!(reno.window(), 14_500.0);
    reno.grow(2_000);
    assert_eq!(reno.window(), 15_000.0);
    assert_eq!(reno.phase(), Phase::CongestionAvoidance);
    assert_eq!(reno.bytes(), Bytes(15_000));
}

#[test]
fn an_interruption_of_several_probe_timeouts_is_persistent_congestion() {
    // With an RTT of 100 ms and its variation of 50 ms, three probe timeouts are 975 ms.
    let lost: Vec<u64> = (0..12).map(|i| 1_010 + i * 100).collect();
    let mut sender = Sender::new();
    assert_eq!(
        sender.feedback(2_500, &[2_400], &lost[..9]).0,
        Some(Reaction::Halved)
    );
    let mut sender = Sender::new();
    assert_eq!(
        sender.feedback(2_500, &[2_400], &lost).0,
        Some(Reaction::Collapsed)
    );
    assert_eq!(sender.packets(), 2.0);
    assert_eq!(sender.reno.threshold(), 5.0 * 1250.0);
    assert_eq!(sender.reno.phase(), Phase::SlowStart);
}

#[test]
fn what_was_acknowledged_between_two_losses_ends_a_run() {
    let lost: Vec<u64> = (0..12).map(|i| 1_010 + i * 100).collect();
    let mut now = Sender::new();
    assert_eq!(
        now.feedback(2_500, &[1_550, 2_400], &lost).0,
        Some(Reaction::Halved)
    );
    let mut earlier = Sender::new();
    earlier.feedback(1_650, &[1_550], &[]);
    assert_eq!(
        earlier.feedback(2_500, &[2_400], &lost).0,
        Some(Reaction::Halved)
    );
}

/// Round trips of 100 ms in which so many packets come back, one after the other, and no more is
/// ever in flight.
fn trips(sender: &mut Sender, packets: u64, trips: std::ops::Range<u64>) -> f64 {
    for trip in trips {
        for packet in 0..packets {
            let sent = 1_000 + 100 * trip + packet;
            sender.in_flight = SIZE * (packets - packet);
            let (_, counted) = sender.feedback(sent + 100, &[sent], &[]);
            if sender.reno.in_slow_start() {
                sender.reno.grow(counted.bytes);
            } else {
                let packet = sender.reno.packet();
                sender
                    .reno
                    .change(counted.bytes as f64 * packet / sender.reno.window());
            }
        }
    }
    sender.reno.window() / SIZE.0 as f64
}

#[test]
fn a_window_of_which_little_is_in_flight_does_not_grow_though_nobody_says_so() {
    let mut sender = Sender::new();
    sender.reno.used = Used::default();
    for trip in 1..1_000 {
        assert_eq!(trips(&mut sender, 3, trip..trip + 1), 10.0);
    }
    assert_eq!(
        sender.feedback(101_000, &[100_900, 100_901], &[]).1,
        Counted {
            packets: 2,
            bytes: 0
        }
    );
}

#[test]
fn slow_start_goes_to_twice_what_is_in_flight_and_congestion_avoidance_a_little_beyond() {
    let mut sender = Sender::new();
    sender.reno.used = Used::default();
    assert_eq!(trips(&mut sender, 10, 1..100), 20.0);
    sender.reno.leave_slow_start();
    assert_eq!(trips(&mut sender, 10, 100..200), 20.0);
    let more = trips(&mut sender, 40, 200..400);
    assert!(more > 50.0 && more < 52.0, "{more}");
}
