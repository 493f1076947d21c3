//! Work for a profiler: one controller that sends without a pause over a path of 10 Mbit/s and 40 ms.
//!
//! ```text
//! cargo run --release -p quiche-cc --no-default-features --example cost -- SPEC [PACKETS_PER_ACK] [ACKS] [silent]
//! ```
//!
//! `silent` is a receiver that reports no receive timestamps. `tests/cost/cost.py --without-quiche` says what an ACK costs. The
//! output only shows that the controller does what it does elsewhere, and by the digest of its decisions whether a change
//! that is to change nothing has changed something.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use quiche_cc::controller::{Controller, Start};
use quiche_cc::feedback::{Acked, Feedback, Lost, Space};
use quiche_cc::units::{Bytes, Rate, Time};
use quiche_cc::Algorithm;

const SIZE: Bytes = Bytes(1250);
/// 1250 bytes at 10 Mbit/s.
const TRANSMISSION: Duration = Duration::from_millis(1);
const ONE_WAY: Duration = Duration::from_millis(20);
/// Packets that wait longer are lost: a buffer of one bandwidth-delay product.
const BUFFER: Duration = Duration::from_millis(40);
const MAX_ACK_DELAY: Duration = Duration::from_millis(25);
/// The receiver's clock is ahead by this much.
const CLOCK: Duration = Duration::from_secs(3_600);

struct Sender {
    controller: Box<dyn Controller>,
    per_ack: usize,
    reports: bool,
    now: Duration,
    next_departure: Duration,
    /// When the bottleneck will have sent all that waits.
    idle_at: Duration,
    /// When it was sent, and when it arrives unless it is lost.
    in_flight: VecDeque<(Duration, Option<Duration>)>,
    /// Of all decisions and events.
    digest: DefaultHasher,
}

impl Sender {
    /// Lets packets leave until the next ACK, and takes that in.
    fn until_next_ack(&mut self) {
        let decision = self.controller.decision();
        self.digest(decision.window, decision.pacing);
        let spacing = Duration::from_secs_f64(SIZE.0 as f64 * 8.0 / decision.pacing.bps());
        loop {
            let ack = self.next_ack();
            let departure = self.next_departure.max(self.now);
            let in_flight = SIZE * (self.in_flight.len() as u64 + 1);
            match ack {
                Some((at, packets)) if at <= departure || in_flight > decision.window => {
                    self.now = at;
                    return self.acknowledge(packets);
                }
                _ => {
                    self.now = departure;
                    self.next_departure = departure + spacing;
                    self.send();
                }
            }
        }
    }

    fn send(&mut self) {
        self.controller.on_sent(Time::from_origin(self.now), SIZE);
        let begins = self.idle_at.max(self.now);
        let fits = begins - self.now <= BUFFER;
        if fits {
            self.idle_at = begins + TRANSMISSION;
        }
        let arrival = fits.then(|| self.idle_at + ONE_WAY);
        self.in_flight.push_back((self.now, arrival));
    }

    /// When the next ACK comes, and how many packets it tells about, lost ones included.
    fn next_ack(&self) -> Option<(Duration, usize)> {
        let arrivals = self.in_flight.iter().enumerate();
        let mut arrivals =
            arrivals.filter_map(|(place, (_, arrival))| Some((place + 1, (*arrival)?)));
        let complete = arrivals.clone().nth(self.per_ack - 1);
        let late = || {
            arrivals
                .next_back()
                .map(|(packets, arrival)| (packets, arrival + MAX_ACK_DELAY))
        };
        let (packets, sent) = complete.or_else(late)?;
        Some((sent + ONE_WAY, packets))
    }

    fn acknowledge(&mut self, packets: usize) {
        let (mut acked, mut lost) = (Vec::new(), Vec::new());
        let in_flight = SIZE * self.in_flight.len() as u64;
        for (sent, arrival) in self.in_flight.drain(..packets) {
            let sent = Time::from_origin(sent);
            match arrival {
                Some(arrival) => acked.push(Acked {
                    sent,
                    size: SIZE,
                    received: self.reports.then(|| arrival + CLOCK),
                }),
                None => lost.push(Lost { sent, size: SIZE }),
            }
        }
        self.controller.on_feedback(&Feedback {
            now: Time::from_origin(self.now),
            space: Space::Application,
            acked: &acked,
            lost: &lost,
            in_flight,
            rtt_sampled: true,
            ack_delay: Duration::ZERO,
            max_ack_delay: MAX_ACK_DELAY,
            min_rtt: Some(2 * ONE_WAY),
            ecn_ect: 0,
            ecn_ce: 0,
        });
    }

    fn digest(&mut self, window: Bytes, pacing: Rate) {
        window.0.hash(&mut self.digest);
        pacing.bps().to_bits().hash(&mut self.digest);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments
        .next()
        .expect("a controller, as in hybrid:target_delay=10ms");
    let mut number = |default| {
        arguments
            .next()
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (per_ack, acks) = (number(2), number(10_000));
    let reports = arguments.next().as_deref() != Some("silent");
    let Ok(Algorithm::Ours { build, .. }) = quiche_cc::parse(&spec) else {
        panic!("{spec} is none of the catalogue");
    };
    let mut sender = Sender {
        controller: build(Start {
            initial_window_packets: 10,
            max_datagram_size: SIZE,
            initial_rtt: Duration::from_millis(333),
        }),
        per_ack,
        reports,
        now: Duration::from_secs(43_200),
        next_departure: Duration::ZERO,
        idle_at: Duration::ZERO,
        in_flight: VecDeque::new(),
        digest: DefaultHasher::new(),
    };
    let began = sender.now;
    for _ in 0..acks {
        sender.until_next_ack();
    }
    let carried = (SIZE * (acks * per_ack) as u64).per(sender.now - began);
    println!("{carried} digest {:016x}", sender.digest.finish());
}
