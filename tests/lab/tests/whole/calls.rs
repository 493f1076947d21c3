//! The senders of the contract tell a controller what quiche tells it, and nothing else: a controller that is told more there
//! would be tested for what no user has.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use quiche_cc::catalogue::{self, Added, Build};
use quiche_cc::controller::{Burst, Controller, Decision, Ecn, Event, Start};
use quiche_cc::feedback::Feedback;
use quiche_cc::units::{Bytes, Rate, Time};
use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::path::{Demand, Path, Receiver, Sender, Topology, SIZE};
use quiche_cc_contract::Subject;

use crate::{plan, run};

/// Packets of a response, which is less than the window.
const PACKETS: u64 = 10;
const EVERY: Duration = Duration::from_millis(300);
/// Nothing happens for so long between two responses.
const PAUSE: Duration = Duration::from_millis(100);
/// Responses that are compared, the last ones: the handshake is over.
const COMPARED: usize = 8;

/// What a controller was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Sent,
    Feedback,
    AppLimited,
}

type Log = Arc<Mutex<Vec<(Time, Call)>>>;

/// Notes what it is told, and lets twice as much leave as there is.
#[derive(Debug)]
struct Listener {
    log: Log,
    now: Time,
}

impl Listener {
    fn note(&mut self, now: Time, call: Call) {
        self.now = now;
        self.log.lock().unwrap().push((now, call));
    }
}

impl Controller for Listener {
    fn on_sent(&mut self, now: Time, _size: Bytes) {
        self.note(now, Call::Sent);
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.note(feedback.now, Call::Feedback);
    }

    fn on_app_limited(&mut self) {
        self.note(self.now, Call::AppLimited);
    }

    fn on_max_datagram_size(&mut self, _size: Bytes) {}

    fn decision(&self) -> Decision {
        Decision {
            window: SIZE * (2 * PACKETS),
            pacing: Rate::from_bps(100e6),
            bandwidth: Rate::from_bps(100e6),
            burst: Burst {
                after_idle: 0,
                together: 1,
                catch_up: Duration::ZERO,
            },
            ecn: Ecn::NotEct,
        }
    }

    fn state(&self) -> &'static str {
        "listening"
    }

    fn next_event(&mut self) -> Option<Event> {
        None
    }
}

fn listener() -> (Log, Arc<Build>) {
    let log = Log::default();
    let noted = log.clone();
    let build = move |_: Start| {
        let log = noted.clone();
        let now = Time::default();
        Box::new(Listener { log, now }) as Box<dyn Controller>
    };
    (log, Arc::new(build))
}

/// What was told of each of the last responses: how many packets left, and the order of calls without repetitions.
fn of_responses(log: &Log) -> Vec<(usize, Vec<Call>)> {
    let log = log.lock().unwrap();
    let apart = |a: &(Time, Call), b: &(Time, Call)| b.0.since(a.0) < PAUSE;
    let responses: Vec<_> = log.chunk_by(apart).map(of_response).collect();
    responses[responses.len() - COMPARED..].to_vec()
}

fn of_response(calls: &[(Time, Call)]) -> (usize, Vec<Call>) {
    let mut order: Vec<Call> = calls.iter().map(|(_, call)| *call).collect();
    let sent = order.iter().filter(|call| **call == Call::Sent).count();
    order.dedup();
    (sent, order)
}

/// By a real connection.
fn of_quiche() -> Vec<(usize, Vec<Call>)> {
    let (log, build) = listener();
    catalogue::add(Added {
        name: "listener".to_owned(),
        summary: "notes what it is told".to_owned(),
        configure: Box::new(move |_, _| Ok(build.clone())),
    })
    .unwrap();
    run(&plan(
        r#"
title = "responses with pauses between them"
duration = "6s"
[[link]]
name = "bottleneck"
rate = "100Mbps"
[[flow]]
name = "main"
path = ["bottleneck"]
rtt = "40ms"
traffic = { kind = "responses", every = "300ms", sizes = [{ bytes = 12100 }] }
"#,
        "listener",
        1,
    ));
    of_responses(&log)
}

/// By a sender of the contract.
fn of_the_contract() -> Vec<(usize, Vec<Call>)> {
    let (log, build) = listener();
    let rtt = Duration::from_millis(40);
    let mut path = Path::new(Topology::new(100_000_000, rtt, Buffer::Bdp(1.0)));
    let demand = Demand::Frames {
        size: SIZE * PACKETS,
        every: EVERY,
    };
    let subject = Subject::of("listener", build);
    path.add(Sender::with_demand(&subject, demand), Receiver::default());
    path.run_for(Duration::from_secs(6));
    of_responses(&log)
}

#[test]
fn a_sender_of_the_contract_tells_what_quiche_tells_of_a_source_that_stops_and_goes_on() {
    let told = of_quiche();
    assert_eq!(told, of_the_contract());
    // It is not told that the source has nothing to send.
    let expected = (PACKETS as usize, vec![Call::Sent, Call::Feedback]);
    assert_eq!(told, vec![expected; COMPARED]);
}
