//! A relay that does not run for a while, as on a busy machine.

use std::time::Duration;

use nix::sys::signal::Signal;
use quiche_cc_link::accuracy::receive;
use serde_json::Value;

use crate::running::{socket, LoggedPath, PATIENCE};

fn down<'a>(log: &'a [Value], event: &str) -> Vec<&'a Value> {
    log.iter()
        .filter(|line| line["event"] == event && line["direction"] == "down")
        .collect()
}

#[test]
fn being_late_neither_lowers_the_rate_nor_spoils_the_log() {
    let client = socket();
    let mut path = LoggedPath::start(&[&client], &["--buffer", "2s"]);
    // Long enough for the samples to have come to rest.
    std::thread::sleep(Duration::from_millis(50));
    path.send(0, 100);
    let first = receive(&client, 1, PATIENCE).unwrap();
    path.interrupt(|| path.send(0, 20));
    let rest = receive(&client, 119, PATIENCE).unwrap();
    path.program.signal(Signal::SIGTERM);
    let summary = path.program.line();
    path.program.end();

    // The schedule is 1190 ms; one that started anew after the pause would be 1440 ms.
    let span = (rest.last().unwrap().at - first[0].at).as_secs_f64();
    assert!((1.1..1.35).contains(&span), "{span} s");
    let lateness = summary["lateness_ms"]["max"].as_f64().unwrap();
    assert!(lateness > 200.0, "{lateness} ms");

    // The samples show the queue as it was, those of the pause included: it goes down by 10 ms in every
    // 10 ms, and once up, when the second batch came.
    let log = path.log();
    let samples = down(&log, "sample");
    let delays: Vec<_> = samples
        .iter()
        .map(|line| line["queue_delay_ms"].as_f64().unwrap())
        .collect();
    let busy: Vec<_> = delays
        .into_iter()
        .skip_while(|&delay| delay == 0.0)
        .take_while(|&delay| delay > 0.0)
        .collect();
    assert!(busy.len() >= 119, "{busy:?}");
    let up = busy
        .windows(2)
        .filter(|pair| (pair[0] - pair[1] - 10.0).abs() > 1e-3)
        .count();
    assert_eq!(up, 1, "{busy:?}");
}

#[test]
fn packets_of_several_clients_keep_their_order_even_if_they_are_read_late() {
    let clients = [socket(), socket()];
    let mut path = LoggedPath::start(&[&clients[0], &clients[1]], &["--buffer", "2s"]);
    path.interrupt(|| {
        for _ in 0..5 {
            path.send(0, 1);
            path.send(1, 1);
        }
    });
    for client in &clients {
        assert_eq!(receive(client, 5, PATIENCE).unwrap().len(), 5);
    }
    path.program.signal(Signal::SIGTERM);
    path.program.end();
    let log = path.log();
    let flows: Vec<_> = down(&log, "packet")
        .iter()
        .map(|line| line["flow"].as_u64().unwrap())
        .collect();
    assert_eq!(flows, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
}
