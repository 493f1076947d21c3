use super::*;

mod clocks;

const MILLI: Duration = Duration::from_millis(1);

fn at(millis: u64) -> Time {
    Time::from_origin(MILLI * millis as u32)
}

fn packet(sent: u64, size: u64) -> Acked {
    Acked {
        sent: at(sent),
        size: Bytes(size),
        received: None,
    }
}

fn feedback(now: u64, acked: &[Acked]) -> Feedback<'_> {
    Feedback::of(at(now), acked, &[])
}

fn meter() -> OwdMeter {
    OwdMeter::new(Duration::from_secs(10), Bytes(1200))
}

/// The samples of the source in use.
fn samples(meter: &mut OwdMeter, feedback: &Feedback<'_>) -> Vec<Sample> {
    let mut samples = Vec::new();
    let by_ack = meter.record(feedback, |sample| samples.push(sample));
    samples.extend(by_ack);
    samples.retain(|sample| sample.source == meter.source());
    samples
}

#[test]
fn an_ack_gives_one_sample_of_its_newest_packet() {
    let mut meter = meter();
    let acked = [packet(0, 1200), packet(5, 1200)];
    let mut ack = feedback(105, &acked);
    ack.ack_delay = 10 * MILLI;
    let samples = samples(&mut meter, &ack);
    assert_eq!(samples.len(), 1);
    assert_eq!(samples[0].owd, Owd::from(100 * MILLI));
    assert_eq!(meter.min_rtt(), Some(100 * MILLI));
}

/// The OWD by ACK arrival of a packet with this RTT, after one of 70 ms.
fn owd_after_70_ms(rtt: u64, reported: u32, cap: u32) -> Owd {
    let mut meter = meter();
    samples(&mut meter, &feedback(70, &[packet(0, 1200)]));
    let acked = [packet(100, 1200)];
    let mut ack = feedback(100 + rtt, &acked);
    ack.ack_delay = MILLI * reported;
    ack.max_ack_delay = MILLI * cap;
    samples(&mut meter, &ack)[0].owd
}

#[test]
fn the_reported_ack_delay_is_capped_and_takes_no_rtt_below_the_smallest() {
    for (rtt, reported, cap, expected) in [
        (100, 10, 25, 90),
        (100, 40, 25, 75),
        (100, 40, 0, 100),
        (100, 40, 40, 70),
        (100, 200, 300, 70),
        (60, 10, 25, 60),
    ] {
        let expected = Owd::from(MILLI * expected);
        assert_eq!(owd_after_70_ms(rtt, reported, cap), expected, "RTT {rtt}");
    }
}

#[test]
fn one_wrong_ack_delay_does_not_lower_the_base_delay() {
    let mut meter = meter();
    for sent in (0..5_000).step_by(50) {
        let acked = [packet(sent, 1200)];
        let mut ack = feedback(sent + 100, &acked);
        ack.ack_delay = if sent == 1_000 { 25 * MILLI } else { MILLI };
        let above: Vec<_> = samples(&mut meter, &ack).iter().map(|s| s.above).collect();
        assert_eq!(above, [Owd::ZERO], "packet of {sent} ms");
    }
}

#[test]
fn a_pause_of_the_windows_does_not_age_the_minima() {
    let mut meter = meter();
    samples(&mut meter, &feedback(100, &[packet(0, 1200)]));
    meter.pause(true, at(5_000));
    let queue = |sent| feedback_of(sent, 250);
    for sent in (5_000..25_000).step_by(100) {
        queue(sent)(&mut meter);
    }
    meter.pause(false, at(25_000));
    // The minimum was 4.9 s old when the pause began.
    for sent in (25_000..29_500).step_by(100) {
        queue(sent)(&mut meter);
        assert_eq!(meter.min_rtt(), Some(100 * MILLI), "at {sent} ms");
    }
    queue(30_200)(&mut meter);
    assert_eq!(meter.min_rtt(), Some(250 * MILLI));
    assert_eq!(meter.minima(Source::Ack)[3], Some(Owd::from(250 * MILLI)));
}

/// Acknowledges a full packet sent then after so long.
fn feedback_of(sent: u64, rtt: u64) -> impl Fn(&mut OwdMeter) {
    move |meter| {
        meter.record(&feedback(sent + rtt, &[packet(sent, 1200)]), |_| {});
    }
}

#[test]
fn acks_without_an_rtt_sample_or_of_the_handshake_do_not_count() {
    let acked = [packet(0, 1200)];
    let mut ack = feedback(100, &acked);
    ack.rtt_sampled = false;
    assert!(samples(&mut meter(), &ack).is_empty());
    let mut ack = feedback(100, &acked);
    ack.space = Space::Handshake;
    let mut meter = meter();
    assert!(samples(&mut meter, &ack).is_empty());
    assert_eq!(meter.min_rtt(), None);
}

#[test]
fn small_packets_do_not_set_the_minimum_of_full_ones_but_full_ones_bound_small_ones() {
    let mut meter = meter();
    samples(&mut meter, &feedback(90, &[packet(0, 100)]));
    samples(&mut meter, &feedback(200, &[packet(100, 1200)]));
    let millis = |owd: Option<Owd>| owd.map(Owd::as_millis);
    assert_eq!(
        meter.minima(meter.source()).map(millis),
        [Some(90.0), Some(100.0), Some(100.0), Some(100.0)]
    );
    // A first small packet that met a queue is corrected by a full one that did not.
    samples(&mut meter, &feedback(700, &[packet(300, 500)]));
    assert_eq!(meter.minima(meter.source()).map(millis)[1], Some(100.0));
    assert_eq!(meter.min_rtt(), Some(100 * MILLI));
}

#[test]
fn receive_times_give_one_sample_a_packet_and_replace_the_other_source() {
    let mut meter = meter();
    samples(&mut meter, &feedback(100, &[packet(0, 1200)]));
    let stamped = |sent: u64, received: u64| Acked {
        received: Some(MILLI * received as u32),
        ..packet(sent, 1200)
    };
    let acked = [stamped(100, 7), stamped(101, 9)];
    let got = samples(&mut meter, &feedback(200, &acked));
    assert_eq!(meter.source(), Source::ReceiveTimestamps);
    assert_eq!(
        got.iter().map(|s| s.owd.as_millis()).collect::<Vec<_>>(),
        [-93.0, -92.0]
    );
    assert_eq!(meter.minima(meter.source())[3], Some(got[0].owd));
}

/// Ten seconds of full packets every 10 ms over 50 ms each way; `received` says what the peer
/// reports of a packet sent at so many ms that meets a queue of so many.
fn reported(received: impl Fn(u32, u32) -> u32) -> (OwdMeter, Vec<f64>) {
    let mut meter = meter();
    let mut rowds = Vec::new();
    for step in 0..1_000 {
        let (sent, queue) = (step * 10, step % 40);
        let received = Some(MILLI * received(sent, queue));
        let acked = [Acked {
            received,
            ..packet(u64::from(sent), 1200)
        }];
        let ack = feedback(u64::from(sent + 100 + queue), &acked);
        for sample in samples(&mut meter, &ack) {
            let minimum = meter.minima(sample.source)[sample.class].unwrap();
            rowds.push((sample.owd - minimum).as_millis() - f64::from(queue));
        }
    }
    (meter, rowds)
}

#[test]
fn a_clock_step_either_way_costs_a_few_samples() {
    for step in [1_000, 9_000] {
        let clock = |sent| if sent < 5_000 { 5_000 } else { step };
        let (meter, errors) = reported(|sent, queue| clock(sent) + sent + 50 + queue);
        assert_eq!(meter.source(), Source::ReceiveTimestamps);
        assert!(errors.len() >= 997, "{} samples", errors.len());
        assert!(errors.iter().all(|error| *error == 0.0), "{errors:?}");
    }
}

#[test]
fn absurd_times_are_not_believed() {
    // Random noise of a second: most samples are not plausible, and before long the source is given
    // up.
    let (mut meter, _) = reported(|sent, _| 5_000 + sent * 7_919 % 1_000 + sent);
    let evidence = Evidence {
        acked: 10,
        lost: 0,
        by_timestamp: None,
        by_ack: None,
    };
    meter.end_epoch(&evidence);
    assert_eq!(meter.source(), Source::Ack);
}

#[test]
fn drift_of_200_ppm_for_half_an_hour_stays_below_the_slack() {
    for drift in [-200_i64, 200] {
        let mut meter = meter();
        for second in 0..1_800_u64 {
            let now_us = second * 1_000_000;
            let clock = now_us as i64 + 50_000 + now_us as i64 * drift / 1_000_000;
            let received = Some(Duration::from_secs(10) + Duration::from_micros(clock as u64));
            let acked = [Acked {
                received,
                ..packet(second * 1000, 1200)
            }];
            let got = samples(&mut meter, &feedback(second * 1000 + 100, &acked));
            assert_eq!(got.len(), 1, "second {second}");
            let rowd = got[0].owd - meter.minima(got[0].source)[3].unwrap();
            assert!(
                rowd.as_millis() <= 2.0,
                "{} at second {second}",
                rowd.as_millis()
            );
        }
    }
}

/// Full packets every 20 ms for a minute, over 50 ms each way, with a clock that is fast by so many
/// ppm; every tenth meets no queue, the others 3 ms. The most by which a ROWD is off after 5 s, in
/// ms.
fn error_with_a_clock(mut meter: OwdMeter, ppm: i64) -> f64 {
    let mut worst = 0.0_f64;
    for step in 0..3_000_i64 {
        let (sent, queue) = (step * 20, if step % 10 == 0 { 0 } else { 3 });
        let received = 3_600_000_000 + (sent + 50 + queue) * 1_000 + sent * ppm / 1_000;
        let acked = [Acked {
            received: Some(Duration::from_micros(received as u64)),
            ..packet(sent as u64, 1200)
        }];
        let ack = feedback((sent + 100 + queue) as u64, &acked);
        for sample in samples(&mut meter, &ack) {
            let error = (sample.above.as_millis() - queue as f64).abs();
            worst = if sent < 5_000 {
                worst
            } else {
                worst.max(error)
            };
        }
    }
    worst
}

#[test]
fn delays_of_a_clock_that_runs_at_another_speed_are_those_of_one_that_does_not() {
    for ppm in [-500, -50, 0, 50, 500] {
        let plain = error_with_a_clock(meter(), ppm);
        let following = error_with_a_clock(meter().following_skew(), ppm);
        // A clock that is slow only takes minima with it, as long as they are met.
        assert!(
            ppm <= 0 || plain > 0.009 * ppm as f64,
            "{ppm} ppm: {plain} ms"
        );
        assert!(
            following <= 0.15 + 1e-3 * ppm.abs() as f64 / 5.0,
            "{ppm} ppm: {following} ms"
        );
    }
}

#[test]
fn when_the_peer_stops_reporting_ack_arrivals_take_over() {
    let mut meter = meter();
    let received = Some(MILLI * 7);
    let acked = [Acked {
        received,
        ..packet(100, 1200)
    }];
    samples(&mut meter, &feedback(200, &acked));
    assert!(samples(&mut meter, &feedback(300, &[packet(200, 1200)])).is_empty());
    let evidence = Evidence {
        acked: 1,
        lost: 0,
        by_timestamp: None,
        by_ack: None,
    };
    // One epoch in which some came, whether they counted or not, and one without any.
    meter.end_epoch(&evidence);
    assert_eq!(meter.source(), Source::ReceiveTimestamps);
    meter.end_epoch(&evidence);
    assert_eq!(
        samples(&mut meter, &feedback(400, &[packet(300, 1200)])).len(),
        1
    );
}

#[test]
fn the_offset_of_the_clocks_cancels_out() {
    let spread = |offset: Duration| {
        let mut meter = meter();
        let mut delays = Vec::new();
        for (sent, delay) in [(0, 50), (10, 57), (20, 61)] {
            let received = Some(offset + MILLI * (sent + delay));
            let acked = [Acked {
                received,
                ..packet(u64::from(sent), 1200)
            }];
            let got = samples(&mut meter, &feedback(u64::from(sent + delay) + 50, &acked));
            delays.extend(got.iter().map(|s| s.owd));
        }
        let minimum = meter.minima(meter.source())[3].unwrap();
        delays
            .iter()
            .map(|owd| (*owd - minimum).as_millis())
            .collect::<Vec<_>>()
    };
    assert_eq!(spread(Duration::ZERO), [0.0, 7.0, 11.0]);
    assert_eq!(spread(Duration::from_secs(7_200)), spread(Duration::ZERO));
}
