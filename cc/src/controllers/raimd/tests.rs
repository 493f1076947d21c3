mod pauses;

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::controller::Value;
use crate::feedback::{Acked, Lost};

const MILLI: Duration = Duration::from_millis(1);
const SIZE: Bytes = Bytes(1250);

fn at(millis: u64) -> Time {
    Time::from_origin(Duration::from_millis(millis))
}

fn raimd(options: &str) -> Raimd {
    let start = Start {
        initial_window_packets: 10,
        max_datagram_size: SIZE,
        initial_rtt: 333 * MILLI,
    };
    Raimd::new(Params::parse(options).unwrap(), "raimd", start)
}

/// A path on which a packet leaves every `gap` ms and comes back, or does not, after `rtt` ms. As
/// much is in flight as the rate allows, or as these packets take if the application has no more.
struct Walk {
    raimd: Raimd,
    rtt: u64,
    gap: u64,
    now: u64,
    limited: bool,
    events: Vec<Event>,
}

impl Walk {
    fn new(options: &str, rtt: u64, gap: u64) -> Self {
        Self {
            raimd: raimd(options),
            rtt,
            gap,
            now: 0,
            limited: false,
            events: Vec::new(),
        }
    }

    /// Until `end`; packets sent at the times in `lost` are lost.
    fn until(&mut self, end: u64, lost: &[u64]) -> f64 {
        while self.now < end {
            self.raimd.on_sent(at(self.now), SIZE);
            if let Some(sent) = self.now.checked_sub(self.rtt) {
                let acked = [Acked {
                    sent: at(sent),
                    size: SIZE,
                    received: None,
                }];
                let gone = [Lost {
                    sent: at(sent),
                    size: SIZE,
                }];
                let now = at(self.now);
                let in_flight = match self.limited {
                    true => SIZE * (self.rtt / self.gap),
                    false => Bytes(u64::MAX),
                };
                if lost.contains(&sent) {
                    self.feedback(now, &[], &gone, in_flight);
                } else {
                    self.feedback(now, &acked, &[], in_flight);
                }
                self.events
                    .extend(std::iter::from_fn(|| self.raimd.next_event()));
            }
            self.now += self.gap;
        }
        self.raimd.rate.per_sec()
    }

    fn feedback(&mut self, now: Time, acked: &[Acked], lost: &[Lost], in_flight: Bytes) {
        self.raimd.on_feedback(&Feedback {
            in_flight,
            ..Feedback::of(now, acked, lost)
        });
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

#[test]
fn the_rate_grows_by_alpha_per_round_trip_and_keeps_beta_at_a_loss() {
    let mut walk = Walk::new("paper,alpha=3", 100, 10);
    let first = walk.until(110, &[]);
    assert!(close(first, 100.0), "{first}");
    let grown = walk.until(1_110, &[]);
    assert!(close(grown, 130.0), "{grown}");
    let after = walk.until(1_160, &[1_050]);
    assert!(close(after, 65.0), "{after}");
}

#[test]
fn losses_of_one_round_trip_are_one_event_and_the_next_is_another() {
    let mut walk = Walk::new("paper", 100, 10);
    walk.until(500, &[]);
    let before = walk.raimd.rate.per_sec();
    // All were on their way when the first of them was missed at 500 ms.
    let after = walk.until(600, &[400, 420, 450, 490]);
    assert!(close(after, before / 2.0 + 2.0), "{before} {after}");
    let again = walk.until(720, &[610]);
    // At 600 and 700 ms a round trip had ended.
    assert!(close(again, (after + 4.0) / 2.0), "{after} {again}");
}

#[test]
fn acks_that_are_rarer_than_round_trips_lose_no_increase() {
    // A packet every five of them, as the rate says: each comes back before the next one leaves.
    let mut walk = Walk::new("paper,alpha=0.01,initial_rate=400kbps", 10, 50);
    let before = walk.until(60, &[]);
    let after = walk.until(1_060, &[]);
    assert!((after - before - 1.0).abs() <= 0.05, "{before} {after}");
}

#[test]
fn a_round_trip_of_minutes_is_a_round_trip() {
    let mut walk = Walk::new("paper,alpha=10,initial_rate=1Mbps", 500_000, 1_000);
    walk.until(500_001, &[]);
    let after = walk.until(2_500_001, &[]);
    assert!(close(after, 140.0), "{after}");
    // 140 packets/s for 500 s, twice.
    assert_eq!(walk.raimd.decision().window, SIZE * 140_000);
    let target = raimd("target=2Mbps").increase(None);
    assert!(target.per_sec() > 0.0);
}

#[test]
fn an_application_with_less_to_send_does_not_raise_the_rate() {
    let mut walk = Walk::new("paper,initial_rate=4Mbps", 100, 10);
    walk.limited = true;
    for end in (110..200_000).step_by(10) {
        let rate = walk.until(end, &[]);
        assert!(close(rate, 400.0), "{rate} at {end} ms");
    }
    let updates = walk.events.iter().filter(|e| e.name == "raimd_updated");
    assert!(updates.clone().count() > 1_000 && updates.clone().all(is_unused));
    walk.limited = false;
    let used = walk.until(200_200, &[]);
    assert!(used > 400.0, "{used}");
}

fn is_unused(event: &Event) -> bool {
    event
        .fields
        .contains(&("cause", Value::Text("unused".into())))
}

#[test]
fn start_up_ends_at_what_the_application_uses() {
    let mut walk = Walk::new("", 100, 10);
    walk.limited = true;
    // 10 packets in a round trip, and one more that might have been.
    let rate = walk.until(10_000, &[]);
    assert!((100.0..=200.0).contains(&rate), "{rate}");
}

#[test]
fn a_loss_with_the_first_sample_lowers_the_initial_rate_and_it_stays_low() {
    let mut raimd = raimd("");
    (0..10).for_each(|millis| raimd.on_sent(at(millis), SIZE));
    let acked = |sent| {
        [Acked {
            sent: at(sent),
            size: SIZE,
            received: None,
        }]
    };
    let lost = [Lost {
        sent: at(1),
        size: SIZE,
    }];
    raimd.on_feedback(&Feedback::of(at(100), &acked(5), &lost));
    let lowered = raimd.rate.per_sec();
    // 10 packets in 95 ms.
    assert!(lowered < 0.9 * 10.0 / 0.095, "{lowered}");
    raimd.on_feedback(&Feedback::of(at(101), &acked(6), &[]));
    assert_eq!(raimd.rate.per_sec(), lowered);
}

#[test]
fn a_loss_before_the_first_sample_does_not_count() {
    let mut raimd = raimd("");
    (0..10).for_each(|millis| raimd.on_sent(at(millis), SIZE));
    let lost = [Lost {
        sent: at(1),
        size: SIZE,
    }];
    let before = raimd.rate.per_sec();
    raimd.on_feedback(&Feedback::of(at(100), &[], &lost));
    assert_eq!(raimd.rate.per_sec(), before);
    assert_eq!(raimd.next_event().unwrap().name, "parameters_set");
    assert!(raimd.next_event().is_none() && raimd.state() == "initial");
}

#[test]
fn a_loss_of_what_little_was_sent_lowers_the_rate_to_a_share_of_that() {
    let mut walk = Walk::new("paper,initial_rate=4Mbps", 100, 10);
    walk.limited = true;
    walk.until(1_000, &[]);
    let rate = walk.until(1_200, &[1_000]);
    // Half of 10 packets in flight over 0.8, and one more, in 100 ms; and a round trip that used
    // that.
    assert!(close(rate, 67.5 + 2.0), "{rate}");
}

#[test]
fn start_up_doubles_until_the_target_or_a_loss() {
    let mut walk = Walk::new("target=8Mbps", 100, 10);
    for (end, rate) in [(110, 100.0), (210, 200.0), (310, 400.0), (410, 800.0)] {
        let got = walk.until(end, &[]);
        assert!(close(got, rate), "{got} at {end} ms");
    }
    let doubled = |event: &&Event| *field(event, "cause") == Value::Text("startup".into());
    for event in walk.events[1..].iter().filter(doubled) {
        let told = (number(event, "target"), number(event, "rounds"));
        assert_eq!(told, (800.0, 1.0), "{event:?}");
    }
    let beyond = walk.until(510, &[]);
    assert!(beyond > 800.0 && beyond < 1_200.0, "{beyond}");
    let mut walk = Walk::new("", 100, 10);
    walk.until(310, &[]);
    let rate = walk.raimd.rate.per_sec();
    let after = walk.until(330, &[210]);
    assert!(
        close(after, 0.7 * rate) && walk.raimd.state() == "steady",
        "{rate} {after}"
    );
}

#[test]
fn another_packet_size_leaves_the_bit_rate() {
    let mut walk = Walk::new("paper", 100, 10);
    walk.until(110, &[]);
    walk.raimd.on_max_datagram_size(Bytes(2500));
    assert!(close(walk.raimd.rate.per_sec(), 50.0));
    assert!(close(walk.raimd.decision().pacing.bps(), 1e6));
}

#[test]
fn an_interruption_takes_the_rate_to_two_packets_per_round_trip() {
    let mut walk = Walk::new("paper", 100, 10);
    walk.until(2_000, &[]);
    let lost: Vec<Lost> = (2_000..6_000)
        .step_by(10)
        .map(|sent| Lost {
            sent: at(sent),
            size: SIZE,
        })
        .collect();
    let acked = [Acked {
        sent: at(6_000),
        size: SIZE,
        received: None,
    }];
    walk.raimd
        .on_feedback(&Feedback::of(at(6_100), &acked, &lost));
    assert!(close(walk.raimd.rate.per_sec(), 20.0));
    assert_eq!(walk.raimd.decision().window, SIZE * 4);
}

#[test]
fn a_loss_after_a_silence_is_not_undone_by_the_round_trips_of_the_silence() {
    let mut walk = Walk::new("paper,alpha=20", 100, 10);
    walk.until(2_000, &[]);
    let before = walk.raimd.rate.per_sec();
    // Too short for persistent congestion: seven round trips without an ACK, and less than three
    // probe timeouts of losses.
    let lost: Vec<Lost> = (1_900..2_020)
        .step_by(10)
        .map(|sent| Lost {
            sent: at(sent),
            size: SIZE,
        })
        .collect();
    let acked = |sent| {
        [Acked {
            sent: at(sent),
            size: SIZE,
            received: None,
        }]
    };
    walk.raimd
        .on_feedback(&Feedback::of(at(2_700), &acked(2_600), &lost));
    assert!(close(walk.raimd.rate.per_sec(), before / 2.0));
    walk.raimd
        .on_feedback(&Feedback::of(at(2_710), &acked(2_610), &[]));
    // The round trip under way may end.
    let after = walk.raimd.rate.per_sec();
    assert!(close(after, before / 2.0 + 20.0), "{before} {after}");
}

#[test]
fn a_loss_takes_no_round_trip_where_acks_are_rarer_than_these() {
    // 20 packets/s, and five round trips between ACKs.
    let mut walk = Walk::new("paper,initial_rate=200kbps,alpha=0.01,beta=0.8", 10, 50);
    let before = walk.until(1_010, &[]);
    let after = walk.until(1_160, &[1_040]);
    assert!(close(after, 0.8 * before + 15.0 * 0.01), "{before} {after}");
}

fn field<'a>(event: &'a Event, name: &str) -> &'a Value {
    let found = event.fields.iter().find(|(field, _)| *field == name);
    found.map(|(_, value)| value).unwrap()
}

fn number(event: &Event, name: &str) -> f64 {
    match field(event, name) {
        Value::Number(number) => *number,
        Value::Count(count) => *count as f64,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn the_trace_tells_enough_to_repeat_each_update() {
    let mut walk = Walk::new("paper,beta=0.6,target=3Mbps", 100, 10);
    walk.until(20_000, &[3_000, 3_500, 6_000, 6_010, 9_000, 15_000]);
    let events = std::mem::take(&mut walk.events);
    assert_eq!(events[0].name, "parameters_set");
    let mut intervals = Vec::new();
    for (place, event) in events[1..].iter().enumerate() {
        assert_eq!(number(event, "update") as usize, place);
        let (before, after) = (number(event, "rate_before"), number(event, "rate_after"));
        if *field(event, "cause") == Value::Text("loss".into()) {
            intervals.push(number(event, "interval") as u64);
            assert!(close(after, 0.6 * before));
            continue;
        }
        let path = Path {
            rtt: 100 * MILLI,
            loss: number(event, "loss"),
        };
        assert!(close(number(event, "target"), 300.0));
        let alpha = aimd::increase_for(PacketRate::from_per_sec(300.0), 0.6, &path);
        assert!(
            close(number(event, "alpha"), alpha.per_sec().min(before)),
            "{event:?}"
        );
        assert!(close(
            after,
            before + number(event, "rounds") * number(event, "alpha")
        ));
    }
    // Packets sent after the decrease, up to the lost one: 301 with the first; then from 3110 ms,
    // 3610 ms, ... on.
    assert_eq!(intervals, [301, 40, 240, 290, 590]);
}

#[test]
fn options_are_checked() {
    let target = |options: &str| Params::parse(options).unwrap().target;
    assert_eq!(target(""), Target::Tcp);
    assert_eq!(target("paper"), Target::Off);
    assert_eq!(target("target=2Mbps"), Target::Rate(Rate::from_bps(2e6)));
    let message = |options: &str| Params::parse(options).unwrap_err().to_string();
    assert!(message("target=udp").contains("or one of off, tcp"));
    assert!(message("beta=1").contains("from 0.1 to 0.95"));
}

#[test]
fn a_source_is_told_what_the_flow_does() {
    use crate::estimate::State::*;
    let told = crate::controllers::testing::estimated_states(raimd(""));
    assert_eq!(told, [Startup, Steady, Interrupted]);
}

proptest! {
    #[test]
    fn whatever_comes_back_rate_and_window_stay_sane(
        spec in prop::sample::select(vec!["", "paper", "target=2Mbps", "beta=0.1,wgain=8,history=1"]),
        steps in prop::collection::vec((0u64..400, 0u64..600_000, 0u64..1500, 0usize..3, 0usize..3), 1..300),
    ) {
        let mut raimd = raimd(spec);
        let mut now = 10_000_000;
        for (wait, age, size, acked, lost) in steps {
            now += wait;
            let (sent, size) = (at(now - age), Bytes(size));
            let acked = vec![Acked { sent, size, received: None }; acked];
            let lost = vec![Lost { sent, size }; lost];
            raimd.on_sent(at(now), size);
            raimd.on_feedback(&Feedback::of(at(now), &acked, &lost));
            let decision = raimd.decision();
            prop_assert!(decision.window.0 >= 2 * SIZE.0);
            prop_assert!(decision.pacing.bps() > 0.0 && decision.pacing.bps() <= 10e9 + 1.0);
            while raimd.next_event().is_some() {}
        }
    }
}
