//! Clients that lie about what they have received, beside honest ones.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{ask_without_reading, assert_served, memory, Forger, Lie, Server, Talker};

const CONTROLLERS: [&str; 3] = ["cubic", "bbr2", "hybrid"];

/// One that has asked for this.
fn liar(server: &Server, path: &str) -> Forger {
    let (client, _) = ask_without_reading(Talker::connect(server.address), path, 1);
    Forger::new(client)
}

/// Tells the lie until the log says this, and serves an honest client meanwhile. Returns the large
/// packets that the liar got.
fn got_until(server: &Server, lie: Lie, said: &str) -> u64 {
    let mut liar = liar(server, "/1000000000");
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let telling = scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                liar.tell(lie);
            }
            liar.full
        });
        assert_served(server);
        server.await_log(said);
        over.store(true, Ordering::Relaxed);
        telling.join().unwrap()
    })
}

/// RFC 9000, section 13.1: PROTOCOL_VIOLATION, if it can be detected.
#[test]
fn who_acknowledges_what_was_never_sent_is_cut_off() {
    for cc in CONTROLLERS {
        let server = Server::start_logged(&["--cc", cc]);
        got_until(&server, Lie::NeverSent, "closed: QUIC error 0xa");
    }
}

/// RFC 9000, section 21.4.
#[test]
fn who_acknowledges_numbers_that_were_left_out_is_cut_off() {
    for cc in CONTROLLERS {
        let server = Server::start_logged(&["--cc", cc]);
        got_until(&server, Lie::Skipped, "closed: QUIC error 0xa");
    }
}

#[test]
fn who_acknowledges_nothing_gets_little_and_is_cut_off() {
    for cc in CONTROLLERS {
        let server = Server::start_logged(&["--cc", cc, "--stall-timeout", "1"]);
        let got = got_until(&server, Lie::Nothing, "nothing was asked for or taken");
        // The window after the handshake and probes; that of hybrid is about 100 packets on loopback.
        assert!(got < 300, "{cc}: {got} packets");
    }
}

#[test]
fn who_says_that_he_was_late_makes_no_round_trip_shorter() {
    // Enough that it wants acknowledgements, and too little for a number to be left out.
    const PACKETS: u64 = 25;
    for cc in CONTROLLERS {
        let server = Server::start(&["--cc", cc]);
        let mut liar = liar(&server, &format!("/{}", PACKETS * 1300));
        while liar.received < PACKETS {
            liar.tell(Lie::Delay);
            assert!(liar.silent < 1000, "{cc}: {} packets", liar.received);
        }
        liar.tell(Lie::Delay);
        liar.close();
        assert_served(&server);
        thread::sleep(Duration::from_millis(50));
        let events = server.stop();
        let honest = |event: &serde_json::Value| event["bytes_sent"].as_u64() > Some(100_000);
        let event = events.iter().find(|event| !honest(event)).unwrap();
        let rtt = |which: &str| event[format!("rtt_{which}_ms")].as_f64();
        assert_eq!(event["reason"], "closed by the client: no error");
        assert!(rtt("min") > Some(0.0), "{event}");
        assert!(rtt("mean") >= rtt("min"), "{event}");
    }
}

/// Each PING draws an acknowledgement with many ranges, and the congestion window limits none of them.
#[test]
fn who_acknowledges_nothing_but_wants_acknowledgements_takes_little_memory() {
    // One of each of quiche's two recoveries.
    for cc in ["cubic", "hybrid"] {
        let server = Server::start(&["--cc", cc]);
        let mut liar = liar(&server, "/1");
        assert_served(&server);
        let before = memory(&server);
        for _ in 0..4_000 {
            liar.ping_with_gap();
            // Those that come together are acknowledged together.
            thread::sleep(Duration::from_millis(1));
        }
        assert_served(&server);
        let more = memory(&server).saturating_sub(before);
        assert!(more < 3_000_000, "{cc}: {more} bytes");
        liar.close();
    }
}
