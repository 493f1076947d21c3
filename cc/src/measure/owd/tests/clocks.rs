//! What a peer's clock, or its silence about it, does to the base delay.

use super::*;

/// A full packet sent at so many ms over 50 ms each way, after a queue of so many; the peer's clock
/// is ahead by `clock`, or it says nothing.
fn arrive(meter: &mut OwdMeter, sent: u64, queue: u64, clock: Option<u64>) -> Vec<Sample> {
    arrive_with(meter, 1_200, (sent, queue), clock)
}

/// The same of a packet of this size.
fn arrive_with(
    meter: &mut OwdMeter,
    size: u64,
    (sent, queue): (u64, u64),
    clock: Option<u64>,
) -> Vec<Sample> {
    let received = clock.map(|ahead| MILLI * (ahead + sent + 50 + queue) as u32);
    let acked = [Acked {
        received,
        ..packet(sent, size)
    }];
    samples(meter, &feedback(sent + 100 + queue, &acked))
}

/// An epoch of one packet.
fn epoch(meter: &mut OwdMeter, sent: u64, queue: u64, clock: Option<u64>) -> Vec<Owd> {
    let samples = arrive(meter, sent, queue, clock);
    meter.end_epoch(&NOTHING_LOST);
    samples.iter().map(|sample| sample.above).collect()
}

const NOTHING_LOST: Evidence = Evidence {
    acked: 1,
    lost: 0,
    by_timestamp: None,
    by_ack: None,
};

fn queue(millis: u32) -> Owd {
    Owd::from(MILLI * millis)
}

#[test]
fn a_peer_that_is_silent_for_a_while_hides_no_queue() {
    for silence in [1, 2, 20] {
        let mut meter = meter();
        epoch(&mut meter, 0, 0, Some(5_000));
        epoch(&mut meter, 100, 30, Some(5_000));
        for step in 0..silence {
            epoch(&mut meter, 200 + step * 100, 30, None);
        }
        assert_eq!(meter.source(), Source::Ack, "{silence} epochs");
        for sent in (3_000..8_000).step_by(100) {
            let above = epoch(&mut meter, sent, 30, Some(5_000));
            assert_eq!(above, [queue(30)], "{silence} epochs, {sent} ms");
        }
        assert_eq!(meter.source(), Source::ReceiveTimestamps);
    }
}

#[test]
fn a_slow_flow_gives_up_a_clock_that_is_set_again_and_again() {
    // One packet an epoch; the clock is set every fourth.
    let mut meter = meter();
    let mut steps = 0;
    for step in 0..100 {
        let ahead = if step / 4 % 2 == 0 { 5_000 } else { 6_000 };
        let got = arrive(&mut meter, step * 100, 0, Some(ahead));
        steps += got.iter().filter(|sample| sample.restarts).count();
        meter.end_epoch(&NOTHING_LOST);
    }
    assert_eq!(steps, 9);
    assert!(arrive(&mut meter, 10_000, 0, Some(5_000))
        .iter()
        .all(|sample| sample.source == Source::Ack));
}

#[test]
fn a_clock_that_was_set_in_silence_hides_no_queue() {
    let mut meter = meter();
    epoch(&mut meter, 0, 0, Some(5_000));
    epoch(&mut meter, 100, 30, None);
    let above: Vec<_> = (2..10)
        .flat_map(|step| arrive(&mut meter, step * 100, 30, Some(9_000)))
        .filter(|sample| sample.source == Source::ReceiveTimestamps)
        .map(|sample| sample.above)
        .collect();
    // The first two of the new clock do not count.
    assert_eq!(above, [queue(30); 6]);
}

#[test]
fn packets_of_another_size_hide_no_queue() {
    for (before, after) in [(1_200, 1_452), (1_452, 1_200), (1_200, 8_900)] {
        for clock in [Some(5_000), None] {
            let mut meter = OwdMeter::new(Duration::from_secs(10), Bytes(before));
            arrive_with(&mut meter, before, (0, 0), clock);
            arrive_with(&mut meter, before, (100, 30), clock);
            meter.set_max_datagram_size(Bytes(after));
            let above = arrive_with(&mut meter, after, (200, 30), clock)[0].above;
            assert_eq!(above, queue(30), "{before} to {after} B, {clock:?}");
        }
    }
}

#[test]
fn a_clock_that_tells_whole_steps_is_believed_as_far_as_its_steps_are_short() {
    // 2^exponent us; queues swing between nothing and 20 ms.
    let source = |exponent: u32| {
        let mut meter = meter();
        for step in 0..2_000_u64 {
            let (sent, queue) = (step * 10 + step % 3, step % 20);
            let exact = (5_000 + sent + 50 + queue) * 1_000;
            let received = Some(Duration::from_micros(exact >> exponent << exponent));
            let acked = [Acked {
                received,
                ..packet(sent, 1200)
            }];
            samples(&mut meter, &feedback(sent + 100 + queue, &acked));
            if step % 10 == 0 {
                meter.end_epoch(&NOTHING_LOST);
            }
        }
        meter.source()
    };
    for exponent in [0, 3, 10, 12] {
        assert_eq!(
            source(exponent),
            Source::ReceiveTimestamps,
            "2^{exponent} us"
        );
    }
    for exponent in [15, 17, 20] {
        assert_eq!(source(exponent), Source::Ack, "2^{exponent} us");
    }
}
