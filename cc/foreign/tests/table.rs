//! Controllers from tables of functions, as C would bring them.

use std::ffi::{c_char, c_void, CStr};
use std::mem::size_of;
use std::ptr;
use std::time::Duration;

use quiche_cc::catalogue::Algorithm;
use quiche_cc::controller::{Controller, Start};
use quiche_cc::feedback::{Acked, Feedback, Lost, Space};
use quiche_cc::units::{Bytes, Time};
use quiche_cc_foreign::abi::{self, Ops};
use quiche_cc_foreign::register;

const MS: u64 = 1_000_000;

/// What the controller below was told.
#[derive(Debug, Default, PartialEq)]
struct Told {
    options: String,
    sent: u64,
    acked: Vec<abi::Acked>,
    lost: Vec<abi::Lost>,
    min_rtt_ns: u64,
    space: u32,
    app_limited: u64,
    datagram: u64,
}

/// The controller: notes what it is told where `ctx` points to, and doubles its window with every feedback.
struct Noting {
    window: u64,
    told: *mut Told,
    destroyed: *mut u64,
}

#[derive(Default)]
struct Notes {
    told: Told,
    destroyed: u64,
}

unsafe extern "C" fn check(
    _: *mut c_void,
    options: *const c_char,
    reason: *mut c_char,
    size: usize,
) -> bool {
    let why = b"only x is allowed\0";
    let fine = matches!(unsafe { CStr::from_ptr(options) }.to_bytes(), b"" | b"x");
    if !fine && size >= why.len() {
        unsafe { ptr::copy_nonoverlapping(why.as_ptr(), reason.cast(), why.len()) };
    }
    fine
}

unsafe extern "C" fn create(ctx: *mut c_void, start: *const abi::Start) -> *mut c_void {
    let (notes, start) = unsafe { (&mut *ctx.cast::<Notes>(), &*start) };
    notes.told.options = unsafe { CStr::from_ptr(start.options) }
        .to_string_lossy()
        .into();
    let window = start.initial_window_packets * start.max_datagram_bytes;
    Box::into_raw(Box::new(Noting {
        window,
        told: &mut notes.told,
        destroyed: &mut notes.destroyed,
    }))
    .cast()
}

unsafe extern "C" fn create_nothing(_: *mut c_void, _: *const abi::Start) -> *mut c_void {
    ptr::null_mut()
}

unsafe extern "C" fn destroy(controller: *mut c_void) {
    let controller = unsafe { Box::from_raw(controller.cast::<Noting>()) };
    unsafe { *controller.destroyed += 1 };
}

unsafe extern "C" fn on_sent(controller: *mut c_void, _: u64, bytes: u64) {
    unsafe { (*(*controller.cast::<Noting>()).told).sent += bytes };
}

unsafe extern "C" fn on_feedback(controller: *mut c_void, feedback: *const abi::Feedback) {
    let (controller, feedback) = unsafe { (&mut *controller.cast::<Noting>(), &*feedback) };
    controller.window = controller.window.saturating_mul(2);
    let told = unsafe { &mut *controller.told };
    told.acked = (0..feedback.acked_count)
        .map(|n| unsafe { *feedback.acked.add(n) })
        .collect();
    told.lost = (0..feedback.lost_count)
        .map(|n| unsafe { *feedback.lost.add(n) })
        .collect();
    told.min_rtt_ns = feedback.min_rtt_ns;
    told.space = feedback.space;
}

unsafe extern "C" fn on_app_limited(controller: *mut c_void) {
    unsafe { (*(*controller.cast::<Noting>()).told).app_limited += 1 };
}

unsafe extern "C" fn on_max_datagram_bytes(controller: *mut c_void, bytes: u64) {
    unsafe { (*(*controller.cast::<Noting>()).told).datagram = bytes };
}

unsafe extern "C" fn decide(controller: *const c_void, decision: *mut abi::Decision) {
    let (controller, decision) = unsafe { (&*controller.cast::<Noting>(), &mut *decision) };
    decision.window_bytes = controller.window;
    decision.state = u32::from(controller.window > 1_000_000);
}

struct States([*const c_char; 3]);
// SAFETY: constant text.
unsafe impl Sync for States {}
static STATES: States = States([c"small".as_ptr(), c"large".as_ptr(), ptr::null()]);

fn whole() -> Ops {
    Ops {
        version: 1,
        size: size_of::<Ops>() as u32,
        summary: c"notes what it is told".as_ptr(),
        states: STATES.0.as_ptr(),
        check: Some(check),
        create: Some(create),
        destroy: Some(destroy),
        on_sent: Some(on_sent),
        on_feedback: Some(on_feedback),
        on_app_limited: Some(on_app_limited),
        on_max_datagram_bytes: Some(on_max_datagram_bytes),
        decide: Some(decide),
    }
}

const START: Start = Start {
    initial_window_packets: 10,
    max_datagram_size: Bytes(1200),
    initial_rtt: Duration::from_millis(333),
};

fn at(ms: u64) -> Time {
    Time::from_origin(Duration::from_millis(ms))
}

fn feedback<'a>(acked: &'a [Acked], lost: &'a [Lost]) -> Feedback<'a> {
    Feedback {
        now: at(50),
        space: Space::Application,
        acked,
        lost,
        in_flight: Bytes(u64::MAX),
        rtt_sampled: true,
        ack_delay: Duration::ZERO,
        max_ack_delay: Duration::ZERO,
        min_rtt: None,
        ecn_ect: 0,
        ecn_ce: 0,
    }
}

fn build(spec: &str) -> Box<dyn Controller> {
    match quiche_cc::parse(spec).unwrap() {
        Algorithm::Ours { build, .. } => build(START),
        Algorithm::BuiltIn(name) => panic!("{name} is quiche's"),
    }
}

fn registered(name: &str, ops: &Ops) -> &'static mut Notes {
    let notes = Box::leak(Box::<Notes>::default());
    unsafe { register(name, ops, ptr::from_mut(notes).cast()) }.unwrap();
    notes
}

#[test]
fn a_controller_is_told_everything_and_decides() {
    let notes = registered("noting", &whole());
    let mut controller = build("noting:x");
    assert_eq!(controller.decision().window, Bytes(12_000));
    assert_eq!(controller.state(), "small");

    controller.on_sent(at(1), Bytes(1200));
    let received = Some(Duration::from_millis(7));
    let acked = [(10, 1200, received), (11, 0, None)].map(|(ms, size, received)| Acked {
        sent: at(ms),
        size: Bytes(size),
        received,
    });
    let lost = [Lost {
        sent: at(9),
        size: Bytes(1100),
    }];
    controller.on_feedback(&feedback(&acked, &lost));
    controller.on_app_limited();
    controller.on_max_datagram_size(Bytes(1400));
    // In whole packets of the new size.
    assert_eq!(controller.decision().window, Bytes(17 * 1400));

    let told = [(10 * MS, 1200, 7 * MS), (11 * MS, 0, abi::UNKNOWN)];
    let expected = Told {
        options: "x".into(),
        sent: 1200,
        acked: told.map(acked_in_c).into(),
        lost: vec![abi::Lost {
            sent_ns: 9 * MS,
            bytes: 1100,
        }],
        min_rtt_ns: abi::UNKNOWN,
        space: 2,
        app_limited: 1,
        datagram: 1400,
    };
    assert_eq!(notes.told, expected);
    assert_eq!(notes.destroyed, 0);
    drop(controller);
    assert_eq!(notes.destroyed, 1);
}

fn acked_in_c((sent_ns, bytes, received_ns): (u64, u64, u64)) -> abi::Acked {
    abi::Acked {
        sent_ns,
        bytes,
        received_ns,
    }
}

#[test]
fn a_window_without_end_is_held_within_bounds() {
    registered("endless", &whole());
    let mut controller = build("endless");
    for _ in 0..100 {
        controller.on_feedback(&feedback(&[], &[]));
    }
    assert_eq!(controller.decision().window, Bytes((1 << 32) / 1200 * 1200));
    assert_eq!(controller.state(), "large");
}

/// Whatever is in flight, and although each ACK shows more of it.
#[test]
fn a_window_without_end_doubles_per_round_trip_at_most() {
    registered("doubling", &whole());
    let mut controller = build("doubling");
    for round in 0..5 {
        let before = controller.decision().window;
        for packet in 0..before.0 / 1200 {
            let acked = [Acked {
                sent: at(100 * round),
                size: Bytes(1200),
                received: None,
            }];
            controller.on_feedback(&Feedback {
                now: at(100 * (round + 1) + packet / 10),
                in_flight: controller.decision().window,
                ..feedback(&acked, &[])
            });
        }
        assert_eq!(controller.decision().window, before * 2);
    }
}

#[test]
fn a_window_of_which_little_is_in_flight_does_not_grow() {
    registered("unused", &whole());
    let mut controller = build("unused");
    let acked = [Acked {
        sent: at(1),
        size: Bytes(1200),
        received: None,
    }];
    for _ in 0..100 {
        controller.on_feedback(&Feedback {
            in_flight: Bytes(7_000),
            ..feedback(&acked, &[])
        });
    }
    assert_eq!(controller.decision().window, Bytes(13_200));
}

#[test]
fn options_are_refused_with_the_reason_of_the_controller() {
    registered("choosy", &whole());
    let refused = quiche_cc::parse("choosy:y").unwrap_err().to_string();
    assert_eq!(refused, "choosy: only x is allowed");
    let without = Ops {
        check: None,
        ..whole()
    };
    registered("plain", &without);
    let refused = quiche_cc::parse("plain:y").unwrap_err().to_string();
    assert_eq!(refused, "plain: takes no options");
}

#[test]
fn a_path_without_a_controller_keeps_the_initial_window() {
    let ops = Ops {
        create: Some(create_nothing),
        ..whole()
    };
    let notes = registered("nothing", &ops);
    let mut controller = build("nothing");
    controller.on_sent(at(1), Bytes(1200));
    controller.on_feedback(&feedback(&[], &[]));
    controller.on_max_datagram_size(Bytes(1400));
    controller.on_app_limited();
    assert_eq!(controller.decision().window, Bytes(12_000));
    drop(controller);
    assert_eq!(notes.destroyed, 0);
}

#[test]
fn broken_tables_are_refused_by_what_is_wrong() {
    let refused =
        |ops: *const Ops| unsafe { register("broken", ops, ptr::null_mut()) }.unwrap_err();
    assert!(refused(ptr::null()).contains("NULL"));
    let version = refused(&Ops {
        version: 2,
        ..whole()
    });
    assert!(version.contains("version 2; this library knows version 1"));
    assert!(refused(&Ops { size: 8, ..whole() }).contains("has 8 bytes"));
    for (name, ops) in [
        (
            "create",
            Ops {
                create: None,
                ..whole()
            },
        ),
        (
            "on_feedback",
            Ops {
                on_feedback: None,
                ..whole()
            },
        ),
        (
            "decide",
            Ops {
                decide: None,
                ..whole()
            },
        ),
    ] {
        assert!(refused(&ops).contains(&format!("{name} is NULL")), "{name}");
    }
    let endless = [c"again".as_ptr(); 100];
    let states = endless.as_ptr();
    assert!(refused(&Ops { states, ..whole() }).contains("more than 64 states"));
    assert!(quiche_cc::parse("broken").is_err());
}
