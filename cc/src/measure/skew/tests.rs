use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn micros(value: i64) -> Owd {
    Owd::from_nanos(value * 1_000)
}

/// What the clock is taken to gain in a second, in us, after so many seconds with these delays each
/// way.
fn gain(seconds: u32, delays_us: impl Fn(i64) -> (i64, i64)) -> i64 {
    let mut skew = Skew::new(SECOND);
    feed(&mut skew, 0..seconds, delays_us);
    per_second(&skew)
}

fn feed(skew: &mut Skew, seconds: std::ops::Range<u32>, delays_us: impl Fn(i64) -> (i64, i64)) {
    for second in seconds {
        let (forward, back) = delays_us(second.into());
        let seen = (Some(micros(forward)), Some(micros(forward + back)));
        skew.part_over(second.into(), seen);
    }
}

fn per_second(skew: &Skew) -> i64 {
    skew.ppm().round() as i64
}

/// Noise of 0 to 2 ms.
fn noise(at: i64) -> i64 {
    ((at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as i64 % 2_000
}

#[test]
fn a_clock_is_known_by_what_it_does_to_both_ways() {
    for ppm in [-200, -30, 0, 30, 200] {
        let both = |at: i64| (50_000 + ppm * at, 20_000 - ppm * at);
        assert_eq!(gain(2, both), 0);
        assert_eq!(gain(3, both), ppm);
        assert_eq!(gain(40, both), ppm);
    }
}

#[test]
fn a_queue_either_way_and_a_longer_route_are_no_clock() {
    assert_eq!(gain(40, |at| (50_000 + 300 * at, 20_000)), 0);
    assert_eq!(gain(40, |at| (50_000, 20_000 + 300 * at)), 0);
    assert_eq!(gain(40, |at| (50_000 - 300 * at, 20_000 - 300 * at)), 0);
    let later = |at: i64| if at < 20 { 0 } else { 7_000 };
    for seconds in 1..40 {
        let gained = gain(seconds, |at| (50_000 + later(at), 20_000 + later(at)));
        assert_eq!(gained, 0, "{seconds} s");
    }
}

#[test]
fn noise_is_no_clock_and_hides_none() {
    let noisy = |ppm: i64| move |at: i64| (ppm * at + noise(at), -ppm * at + noise(at + 1_000));
    let wrong = (3..200).map(|seconds| gain(seconds, noisy(0)).abs());
    assert!(wrong.clone().max() <= Some(250), "{:?}", wrong.max());
    let mean = (20..200)
        .map(|seconds| gain(seconds, noisy(500)))
        .sum::<i64>()
        / 180;
    assert!((300..=700).contains(&mean), "{mean} ppm");
}

#[test]
fn a_slow_clock_shows_although_the_controller_holds_the_way_there_still() {
    assert_eq!(gain(40, |at| (50_000 - 60 * at, 20_000 + 100 * at)), -100);
    assert_eq!(gain(40, |at| (50_000 - 40 * at, 20_000 + 100 * at)), -80);
}

#[test]
fn a_clock_that_is_off_by_more_than_a_thousandth_is_set_again_and_again() {
    assert_eq!(gain(40, |at| (1_000 * at, -1_000 * at)), 1_000);
    assert_eq!(gain(40, |at| (-1_000 * at, 1_000 * at)), -1_000);
    let mut skew = Skew::new(SECOND);
    for at in 0..40 {
        let seen = (Some(micros(5_000 * at)), Some(Owd::ZERO));
        let raised = skew.part_over(at as u64, seen).map(|it| it.since(2));
        assert_eq!(raised, (at > 0).then_some(micros(5_000)));
    }
}

#[test]
fn a_clock_that_was_set_is_no_other_speed() {
    for (by, ppm) in [
        (3_000, 0),
        (3_000, 100),
        (-3_000, 0),
        (-1_500, -100),
        (1_500, 900),
    ] {
        let mut skew = Skew::new(SECOND);
        let delays = |at: i64| {
            let clock = ppm * at + if at < 8 { 0 } else { by };
            (50_000 + clock, 20_000 - clock)
        };
        feed(&mut skew, 0..8, delays);
        let (forward, back) = delays(8);
        let seen = (Some(micros(forward)), Some(micros(forward + back)));
        let correction = skew.part_over(8, seen);
        let lacks = |ago| correction.map_or(Owd::ZERO, |it| it.since(ago));
        // A clock that is set back takes the minimum with it.
        let raised = micros(by.max(0));
        assert_eq!(
            [lacks(1), lacks(2), lacks(9)],
            [Owd::ZERO, raised, raised],
            "{by} us"
        );
        for end in 9..30 {
            feed(&mut skew, end..end + 1, delays);
            assert_eq!(per_second(&skew), ppm, "{by} us, {end} s");
        }
    }
}

#[test]
fn after_another_path_the_clock_is_what_it_was_until_more_is_known() {
    let mut skew = Skew::new(SECOND);
    feed(&mut skew, 0..10, |at| (100 * at, -100 * at));
    skew.restart();
    // The part under way, and two more.
    feed(&mut skew, 10..13, |at| (90_000 - 50 * at, 50 * at));
    assert_eq!(per_second(&skew), 100);
    feed(&mut skew, 13..14, |at| (90_000 - 50 * at, 50 * at));
    assert_eq!(per_second(&skew), -50);
}

#[test]
fn what_nobody_has_told_for_a_whole_window_is_forgotten() {
    let mut skew = Skew::new(SECOND);
    feed(&mut skew, 0..5, |at| (100 * at, -100 * at));
    for number in 5..=14 {
        assert_eq!(
            skew.part_over(number, (None, None)).map(|it| it.since(1)),
            None
        );
        assert_eq!(per_second(&skew), 100, "part {number}");
    }
    skew.part_over(15, (None, Some(Owd::ZERO)));
    assert_eq!(per_second(&skew), 0);
}

#[test]
fn corrections_of_a_speed_that_was_none_cancel_out() {
    for ppm in [-100, 100] {
        let mut skew = Skew::new(SECOND);
        feed(&mut skew, 0..2, |at| (ppm * at, -ppm * at));
        let there = skew.part_over(2, (Some(micros(2 * ppm)), Some(Owd::ZERO)));
        let raised = there.map(|it| it.since(3)).unwrap() + skew.gain * TICKS;
        // One that tells as much for either sign.
        let back = skew.part_over(3, (Some(micros(0)), Some(Owd::ZERO)));
        assert_eq!(per_second(&skew), 0);
        assert_eq!(raised + back.map(|it| it.since(4)).unwrap(), Owd::ZERO);
    }
}

#[test]
fn minima_follow_every_tenth_of_a_part_however_late_that_is_asked() {
    let mut skew = Skew::new(SECOND);
    let at = |millis| Time::from_origin(Duration::from_millis(millis));
    assert_eq!(skew.gained(at(350)), None);
    feed(&mut skew, 0..3, |at| (100 * at, -100 * at));
    assert_eq!(skew.gained(at(399)), None);
    assert_eq!(skew.next(), Some(Duration::from_millis(400)));
    assert_eq!(skew.gained(at(400)), Some(micros(10)));
    assert_eq!(skew.gained(at(650)), Some(micros(20)));
    assert_eq!(skew.gained(at(1_000_000)), Some(micros(1_000)));
    assert_eq!(skew.gained(at(1_000_050)), None);
}

#[test]
fn a_correction_counts_from_when_a_minimum_was_seen() {
    let mut skew = Skew::new(SECOND);
    feed(&mut skew, 0..2, |at| (100 * at, -100 * at));
    let fast = skew.part_over(2, (Some(micros(200)), Some(micros(0))));
    assert_eq!(fast.map(|more| more.since(3)), Some(micros(300)));
    let mut skew = Skew::new(SECOND);
    feed(&mut skew, 0..2, |at| (-100 * at, 100 * at));
    let slow = skew.part_over(2, (Some(micros(-200)), Some(micros(0))));
    assert_eq!(slow.map(|more| more.since(1)), Some(micros(0)));
    assert_eq!(slow.map(|more| more.since(3)), Some(micros(-200)));
}
