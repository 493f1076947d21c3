//! The senders of the contract tell a controller what quiche tells it, and nothing else: a controller that is told more there
//! would be tested for what no user has. In a process of its own, as it adds a controller to the catalogue.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quiche_cc::catalogue::{self, Added, Build};
use quiche_cc::controller::{Burst, Controller, Decision, Ecn, Event, Start};
use quiche_cc::feedback::Feedback;
use quiche_cc::units::{Bytes, Rate, Time};
use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::path::{Demand, Path, Receiver, Sender, Topology, SIZE};
use quiche_cc_contract::Subject;
use quiche_cc_lab::scenario::{self, Overrides};
use quiche_cc_lab::simulation::{self, RunConfig};

/// Packets of a response, which is less than the window.
const PACKETS: u64 = 10;
const EVERY: Duration = Duration::from_millis(300);
/// Nothing happens for so long between two responses.
const PAUSE: Duration = Duration::from_millis(100);
const DURATION: Duration = Duration::from_secs(15);
/// The first responses are not compared, for the handshake, nor is the last, which may be incomplete.
const NOT_COMPARED: usize = 3;

/// What a controller was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// What is told of a response: how many packets leave, and the order of calls without repetitions.
type Told = (usize, Vec<Call>);

/// All that was told of responses.
fn of_responses(log: &Log) -> BTreeSet<Told> {
    let log = log.lock().unwrap();
    let apart = |a: &(Time, Call), b: &(Time, Call)| b.0.since(a.0) < PAUSE;
    let responses: Vec<_> = log.chunk_by(apart).map(of_response).collect();
    let compared = &responses[NOT_COMPARED..responses.len() - 1];
    assert!(compared.len() > 40, "{} responses", compared.len());
    compared.iter().cloned().collect()
}

fn of_response(calls: &[(Time, Call)]) -> Told {
    let mut order: Vec<Call> = calls.iter().map(|(_, call)| *call).collect();
    let sent = order.iter().filter(|call| **call == Call::Sent).count();
    order.dedup();
    // After which of a response's ACKs it is told is a matter of how many there were before.
    if order.ends_with(&[Call::AppLimited, Call::Feedback]) {
        order.pop();
    }
    (sent, order)
}

/// By a real connection.
fn of_quiche() -> BTreeSet<Told> {
    let (log, build) = listener();
    catalogue::add(Added {
        name: "listener".to_owned(),
        summary: "notes what it is told".to_owned(),
        configure: Box::new(move |_, _| Ok(build.clone())),
    })
    .unwrap();
    quiche_cc_lab::neighbour::register().unwrap();
    let text = r#"
title = "responses with pauses between them"
duration = "15s"
[[link]]
name = "bottleneck"
rate = "100Mbps"
[[flow]]
name = "main"
path = ["bottleneck"]
rtt = "40ms"
traffic = { kind = "responses", every = "300ms", sizes = [{ bytes = 12100 }] }
"#;
    let scenario = scenario::parse(
        text,
        "responses",
        std::path::Path::new(""),
        &Overrides::default(),
    )
    .unwrap();
    let mut config = RunConfig {
        cc: "listener",
        seed: 1,
        qlog: None,
        recording: None,
        progress: &mut |_| {},
    };
    simulation::run(&scenario, &mut config).unwrap();
    of_responses(&log)
}

/// By a sender of the contract.
fn of_the_contract() -> BTreeSet<Told> {
    let (log, build) = listener();
    let rtt = Duration::from_millis(40);
    let mut path = Path::new(Topology::new(100_000_000, rtt, Buffer::Bdp(1.0)));
    let demand = Demand::Frames {
        size: SIZE * PACKETS,
        every: EVERY,
    };
    let subject = Subject::of("listener", build);
    path.add(Sender::with_demand(&subject, demand), Receiver::default());
    path.run_for(DURATION);
    of_responses(&log)
}

#[test]
fn a_sender_of_the_contract_tells_what_quiche_tells_of_a_source_that_stops_and_goes_on() {
    use Call::{AppLimited, Feedback, Sent};
    let told = of_quiche();
    assert_eq!(told, of_the_contract());
    // That there is nothing to send it is told only with an acknowledgement that the sender itself owes now and then.
    let packets = PACKETS as usize;
    let expected = [vec![Sent, Feedback], vec![Sent, Feedback, AppLimited]];
    assert_eq!(told, expected.map(|calls| (packets, calls)).into());
}
