//! A controller of your own, whole: a window that keeps a fixed number of packets in the queue.
//!
//! ```text
//! cargo run -p quiche-cc --no-default-features --example own_controller
//! ```
//!
//! `docs/guides/add-a-controller.md` goes through it.

use std::sync::Arc;
use std::time::Duration;

use quiche_cc::catalogue::{add, Added};
use quiche_cc::controller::{Burst, Controller, Decision, Ecn, Event, Start, MIN_WINDOW_PACKETS};
use quiche_cc::feedback::{Acked, Feedback, Space};
use quiche_cc::spec::{parse_options, Given, Kind, Parameter, SpecError};
use quiche_cc::units::{Bytes, Time};

const PARAMETERS: [Parameter; 1] = [Parameter {
    name: "packets",
    kind: Kind::Number(1.0, 100.0),
    default: "4",
    help: "packets to keep in the queue",
}];

/// An RTT below this counts as this: a rate is never infinite.
const SHORTEST: Duration = Duration::from_micros(1);

/// The state of one path.
#[derive(Debug)]
struct FewPackets {
    packets: f64,
    packet: Bytes,
    window: f64,
    rtt: Duration,
}

impl FewPackets {
    fn new(packets: f64, start: Start) -> Self {
        let window = start.max_datagram_size * start.initial_window_packets.max(MIN_WINDOW_PACKETS);
        Self {
            packets,
            packet: start.max_datagram_size,
            window: window.0 as f64,
            rtt: start.initial_rtt.max(SHORTEST),
        }
    }

    fn least(&self) -> f64 {
        (self.packet * MIN_WINDOW_PACKETS).0 as f64
    }
}

impl Controller for FewPackets {
    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        if !feedback.lost.is_empty() {
            self.window = (self.window / 2.0).max(self.least());
        }
        let (Some(newest), Some(base)) = (feedback.acked.last(), feedback.min_rtt) else {
            return;
        };
        self.rtt = feedback.now.since(newest.sent).max(base).max(SHORTEST);
        // What of the window waits in the queue, in packets.
        let waiting = self.rtt.saturating_sub(base).as_secs_f64() / self.rtt.as_secs_f64();
        let queued = self.window * waiting / self.packet.0 as f64;
        let acked = feedback.acked_bytes().0 as f64;
        let step = self.packet.0 as f64 * acked / self.window;
        // A window that is not used must not grow (RFC 9002, section 7.8).
        if queued > self.packets {
            self.window = (self.window - step).max(self.least());
        } else if feedback.in_flight.0 as f64 > self.window / 2.0 {
            self.window += step;
        }
    }

    fn on_max_datagram_size(&mut self, size: Bytes) {
        self.packet = size;
        self.window = self.window.max(self.least());
    }

    fn decision(&self) -> Decision {
        let window = Bytes(self.window as u64);
        let rate = window.per(self.rtt);
        Decision {
            window,
            pacing: rate * 1.25,
            bandwidth: rate,
            burst: Burst {
                after_idle: 3,
                together: 2,
                catch_up: Duration::from_millis(1),
            },
            ecn: Ecn::NotEct,
        }
    }

    fn state(&self) -> &'static str {
        "steady"
    }

    fn next_event(&mut self) -> Option<Event> {
        None
    }
}

/// Makes `few` a name like all others, with its option.
fn register() -> Result<(), SpecError> {
    add(Added {
        name: "few".to_owned(),
        summary: "keeps a few packets in the queue".to_owned(),
        configure: Box::new(|_, options| {
            let given = parse_options("few", options, &["default"], &PARAMETERS)?.values;
            let packets = match given.first() {
                Some((_, Given::Number(packets))) => *packets,
                _ => 4.0,
            };
            Ok(Arc::new(move |start| {
                Box::new(FewPackets::new(packets, start))
            }))
        }),
    })
}

/// The window after so many ACKs of one packet each, on a path of 40 ms whose queue takes `queue`.
fn window_after(acks: u32, queue: Duration) -> Bytes {
    let packet = Bytes(1200);
    let start = Start {
        initial_window_packets: 10,
        max_datagram_size: packet,
        initial_rtt: Duration::from_millis(333),
    };
    let base = Duration::from_millis(40);
    let mut controller = FewPackets::new(4.0, start);
    for n in 0..acks {
        let sent = Time::from_origin(Duration::from_millis(u64::from(n)));
        let acked = Acked {
            sent,
            size: packet,
            received: None,
        };
        controller.on_feedback(&Feedback {
            now: sent + base + queue,
            space: Space::Application,
            acked: &[acked],
            lost: &[],
            in_flight: controller.decision().window,
            rtt_sampled: true,
            ack_delay: Duration::ZERO,
            max_ack_delay: Duration::from_millis(25),
            min_rtt: Some(base),
            ecn_ect: 0,
            ecn_ce: 0,
        });
    }
    controller.decision().window
}

fn main() -> Result<(), SpecError> {
    register()?;
    let selected = quiche_cc::parse("few:packets=8")?;
    println!("{selected} can be selected");
    for queue in [0, 40] {
        let window = window_after(1000, Duration::from_millis(queue));
        println!(
            "after 1000 ACKs with {queue} ms of queue: {} bytes",
            window.0
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_can_be_selected_and_says_what_is_wrong_with_its_option() {
        register().unwrap();
        quiche_cc::parse("few:packets=8").unwrap();
        let refused = quiche_cc::parse("few:packets=0").err().unwrap().to_string();
        assert!(refused.contains("from 1 to 100"), "{refused}");
    }

    #[test]
    fn it_grows_on_an_empty_queue_and_shrinks_on_a_full_one() {
        let initial = window_after(0, Duration::ZERO);
        assert!(window_after(1000, Duration::ZERO) > initial);
        assert!(window_after(1000, Duration::from_millis(40)) < initial);
    }

    #[test]
    fn a_path_without_delay_has_a_finite_rate_and_two_packets() {
        let start = Start {
            initial_window_packets: 0,
            max_datagram_size: Bytes(1200),
            initial_rtt: Duration::ZERO,
        };
        let decision = FewPackets::new(4.0, start).decision();
        assert!(decision.pacing.bps().is_finite());
        assert_eq!(decision.window, Bytes(2400));
    }
}
