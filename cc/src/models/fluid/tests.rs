use super::*;

const M: f64 = 1500.0;

/// Figure 2: 10 Mbit/s, 50 ms, 1500 bytes, 30 % of other traffic.
fn figure_2(q0_packets: u64) -> Model {
    Model {
        capacity: Rate::from_bps(10e6),
        delay: Duration::from_millis(50),
        available: 0.7,
        packet: Bytes(1500),
        q0: Bytes(1500) * q0_packets,
    }
}

fn run(model: &Model, seconds: u64) -> Vec<(Duration, State)> {
    let past = State {
        queue: 0.0,
        ..model.equilibrium()
    };
    let step = Duration::from_micros(500);
    model.integrate(past, Duration::from_secs(seconds), step)
}

/// Smallest and largest queue in packets from `from` seconds on.
fn swing(track: &[(Duration, State)], from: u64) -> (f64, f64) {
    let late = track.iter().filter(|(at, _)| at.as_secs() >= from);
    late.map(|(_, state)| state.queue / M)
        .fold((f64::INFINITY, 0.0), |(low, high), q| {
            (low.min(q), high.max(q))
        })
}

#[test]
fn the_equilibrium_is_that_of_equation_6() {
    for q0 in [10, 42, 70, 100] {
        let model = figure_2(q0);
        let State { window, queue } = model.equilibrium();
        let marked = queue * (window - M);
        assert!((M * q0 as f64 * M / marked - 1.0).abs() < 1e-12);
        let carried = 0.7 * (queue + model.bandwidth_delay_product());
        assert!((window / carried - 1.0).abs() < 1e-12);
    }
    // q0 = c tau: w = gamma c tau + m, q = m / gamma.
    let model = Model {
        q0: Bytes(62_500),
        ..figure_2(0)
    };
    let State { window, queue } = model.equilibrium();
    assert!((window - (0.7 * 62_500.0 + M)).abs() < 1e-6);
    assert!((queue - M / 0.7).abs() < 1e-6);
}

#[test]
fn an_empty_queue_is_left_but_never_entered_by_the_slope() {
    let start = Start {
        terms: figure_2(42).terms(),
        past: figure_2(42).equilibrium(),
    };
    let slope_at = |queue, window| start.slope(&[0.0, queue], &[window, 0.0])[1];
    assert_eq!(slope_at(0.0, 10.0 * M), 0.0);
    assert!(slope_at(M, 10.0 * M) < 0.0);
    assert!(slope_at(0.0, 40.0 * M) > 0.0);
}

#[test]
fn from_an_empty_queue_it_settles_if_q0_is_the_bandwidth_delay_product_or_more() {
    for q0 in [42, 70, 100] {
        let model = figure_2(q0);
        let end = run(&model, 60).last().unwrap().1;
        let State { window, queue } = model.equilibrium();
        assert!((end.queue / queue - 1.0).abs() < 1e-3, "q0 {q0}: {end:?}");
        assert!((end.window / window - 1.0).abs() < 1e-3, "q0 {q0}: {end:?}");
    }
}

#[test]
fn a_small_q0_gives_a_small_limit_cycle_with_an_empty_queue_in_it() {
    let model = figure_2(10);
    let track = run(&model, 120);
    let (early, late) = (swing(&track[..track.len() / 2], 30), swing(&track, 90));
    assert_eq!(late.0, 0.0);
    assert!((0.5..3.0).contains(&late.1), "{late:?}");
    assert!((early.1 / late.1 - 1.0).abs() < 1e-2, "{early:?} {late:?}");
    assert!(late.1 < swing(&run(&figure_2(40), 1), 0).1);
}

#[test]
fn the_larger_q0_the_larger_the_queue_and_the_calmer() {
    let overshoot = |q0| {
        let model = figure_2(q0);
        swing(&run(&model, 20), 0).1 * M / model.equilibrium().queue
    };
    let queues = [10, 40, 70, 100].map(|q0| figure_2(q0).equilibrium().queue);
    assert!(queues.is_sorted());
    let overshoots = [40, 70, 100].map(overshoot);
    assert!(
        overshoots.windows(2).all(|pair| pair[0] > pair[1]),
        "{overshoots:?}"
    );
}

#[test]
fn the_linearised_system_tells_stability_as_theorem_3_does() {
    for available in [0.1, 0.4, 0.7, 1.0] {
        for share in [1.0, 1.5, 4.0] {
            let model = Model {
                available,
                q0: Bytes((62_500.0 * share) as u64),
                ..figure_2(0)
            };
            assert!(model.is_stable(), "{model:?}");
        }
    }
    assert!(!figure_2(10).is_stable());
}

/// Small deviations grow below the boundary of the linearised system and decay above it.
#[test]
fn the_boundary_of_stability_is_where_oscillations_begin() {
    let boundary = (1..60).find(|q0| figure_2(*q0).is_stable()).unwrap();
    assert!(boundary < 42, "{boundary}");
    for (q0, stable) in [(boundary - 4, false), (boundary + 4, true)] {
        let model = figure_2(q0);
        let rest = model.equilibrium();
        let past = State {
            queue: rest.queue * 1.001,
            ..rest
        };
        let step = Duration::from_millis(1);
        let track = model.integrate(past, Duration::from_secs(30), step);
        let deviation = |from: usize, to: usize| {
            let span = &track[track.len() * from / 30..track.len() * to / 30];
            let apart = |state: &State| (state.queue - rest.queue).abs();
            span.iter()
                .map(|(_, state)| apart(state))
                .fold(0.0, f64::max)
        };
        let growth = deviation(25, 30) / deviation(2, 7);
        assert_eq!(growth < 1.0, stable, "q0 {q0}: {growth}");
    }
}

#[test]
fn a_finer_step_changes_nothing_that_can_be_seen() {
    let model = figure_2(10);
    let past = State {
        queue: 0.0,
        ..model.equilibrium()
    };
    let peak = |micros| {
        let step = Duration::from_micros(micros);
        let track = model.integrate(past, Duration::from_secs(30), step);
        swing(&track, 20).1
    };
    let (coarse, fine) = (peak(1_000), peak(125));
    assert!((coarse / fine - 1.0).abs() < 2e-3, "{coarse} {fine}");
}
