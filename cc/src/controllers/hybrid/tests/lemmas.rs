//! The lemmas of `docs/results/lemmas.md` on the step itself, with its floats and whole
//! nanoseconds, over the whole range of its input. Rules 8 and 9 are in play as well.

use super::super::control::{step, Control, Step};
use super::super::drain::{Arrivals, Drain};
use super::super::judge::contended::Contended;
use super::super::judge::Judge;
use super::super::model::link::Link;
use super::super::model::loss::Background;
use super::super::model::seen::{Met, Observed};
use super::super::thresholds::Thresholds;
use super::epochs;
use super::*;
use crate::controllers::bounds::bounded;
use crate::units::Owd;

/// Of a rate: what rounding explains.
const ROUNDING: f64 = 1e-12;
/// bit/s.
const MOST: f64 = 1e10;
const OPTIONS: [&str; 6] = [
    "",
    "target_packets=0.5,drain_epochs=0.5,growth=4,growth_period=1ms,min_decrease=0",
    "target_packets=100,drain_epochs=100,growth=1,growth_period=10s,min_decrease=0.5",
    "target_delay=0.05ms",
    "target_delay=10s,without=catch_up",
    "without=full_buffer+dips+contention+excessive_loss",
];

/// An input of the step.
#[derive(Debug, Clone)]
struct Input {
    params: Params,
    seen: Seen,
    from: Control,
}

impl Input {
    fn step(&self) -> Step {
        step(&self.params, &self.seen, &self.from)
    }

    /// The rate that the controller sets.
    fn rate_after(&self, step: &Step) -> f64 {
        bounded(step.next.rate, self.seen.link.packet(), self.seen.length).bps()
    }

    /// P / (4 L), or what R is at most.
    fn least(&self) -> f64 {
        let packet = self.seen.link.packet().0 as f64 * 8.0;
        (packet / (4.0 * self.seen.length.as_secs_f64())).min(MOST)
    }

    /// Whether rule 4 may apply, or what start-up ends in.
    fn is_slow(&self) -> bool {
        let epoch = self.seen.sampled().filter(|_| !self.seen.interrupted);
        epoch.is_some_and(|epoch| law::zone(&epoch) != law::Zone::Free)
    }

    /// The rate to which the flow may go back.
    fn level(control: &Control) -> f64 {
        let drain = control.state.drain();
        let back = drain.map_or(Rate::default(), |drain| {
            drain.return_rate.max(drain.ceiling.unwrap_or_default())
        });
        control.rate.max(back).bps()
    }
}

/// Powers of ten between these, or nothing in one case of eight.
fn wide(low: f64, high: f64) -> impl Strategy<Value = f64> {
    prop_oneof![7 => (low..high).prop_map(|power| 10f64.powf(power)), 1 => Just(0.0)]
}

fn time(nanos: f64) -> Duration {
    Duration::from_nanos(nanos as u64)
}

/// Whether a lone flow takes the step, or competing flows keep the queue.
fn inputs(lone: bool) -> impl Strategy<Value = Input> {
    let path = (
        1200u64..65_528,
        3.0f64..11.0,
        wide(1.0, 10.0),
        wide(0.0, 12.0),
        wide(0.0, 12.0),
    );
    let epoch = (
        0.0f64..8.0,
        wide(0.0, 12.0),
        0.0f64..=0.5,
        0.0f64..=1.0,
        wide(3.0, 11.0),
        0.0f64..=1.0,
    );
    let flags = prop::array::uniform9(any::<bool>());
    let before = (
        0.0f64..10.0,
        0usize..4,
        wide(0.0, 11.0),
        wide(0.0, 11.0),
        3.0f64..18.0,
    );
    let rest = (0usize..OPTIONS.len(), 0usize..3, 0usize..10);
    (path, epoch, flags, before, rest).prop_map(move |drawn| input(lone, drawn))
}

type Drawn = (
    (u64, f64, f64, f64, f64),
    (f64, f64, f64, f64, f64, f64),
    [bool; 9],
    (f64, usize, f64, f64, f64),
    (usize, usize, usize),
);

fn input(lone: bool, (path, epoch, flags, before, rest): Drawn) -> Input {
    let params = Params::parse(OPTIONS[rest.0]).unwrap();
    let (packet, length) = (Bytes(path.0), time(10f64.powf(path.1)));
    let rate = bounded(Rate::from_bps(10f64.powf(before.0)), packet, length);
    let thresholds = Thresholds::new(&params, rate, packet, Some(Owd::from(time(epoch.4))));
    // In multiples of d1, and above what whole nanoseconds decide.
    let observed = Observed {
        delta: thresholds.d1 * if flags[7] { epoch.0 } else { 0.0 },
        queue: thresholds.d1 * if flags[7] { epoch.0 } else { 0.0 },
        unusual_loss: flags[0],
        excessive_loss: flags[1] && flags[2],
    };
    let seen = Seen {
        now: Time::from_origin(Duration::from_secs(100)),
        duration: length,
        length,
        length_fell: flags[3],
        link: Link::new(packet, time(path.2), flags[8]),
        observed: (rest.2 > 0).then_some(observed),
        thresholds,
        ack_jitter: time(epoch.4),
        delivery_rate: Rate::from_bps(path.3),
        arriving: length,
        arrived: packet * 20,
        delivery_floor: Rate::from_bps(path.4),
        uncertain: epoch.2,
        tells_rate: flags[4],
        variability: epoch.5,
        background: Background::of(epoch.3),
        met: [Met::Nothing, Met::Queue, Met::Capacity][rest.1],
        app_limited: flags[5],
        tried: !flags[5] || flags[0],
        recently_app_limited: flags[5] || flags[6],
        train_rate: Rate::from_bps(epoch.1 / 2.0),
        used_rate: Rate::from_bps(epoch.1),
        may_queue: flags[6],
        interrupted: rest.2 == 9,
        ..epochs::seen()
    };
    let drain = Drain {
        return_rate: Rate::from_bps(before.2),
        ceiling: (before.3 > 0.0 && flags[2]).then(|| Rate::from_bps(before.3)),
        arrivals: Arrivals::new(length, path.3 * length.as_secs_f64()),
    };
    let contended = Contended::new(Time::default(), seen.used_rate, observed.queue, length);
    let judge = if lone {
        Judge::default()
    } else {
        Judge::contended(contended)
    };
    let states = [
        State::Growing,
        State::Draining(drain),
        State::Startup {
            path_is_new: flags[3],
        },
        State::Holding,
    ];
    let from = Control {
        state: states[if lone { before.1 % 3 } else { before.1 }],
        since_decrease: time(10f64.powf(before.4)),
        judge,
        ..Control::new(rate)
    };
    Input { params, seen, from }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn the_rate_is_finite_and_within_bounds(lone in inputs(true), contended in inputs(false)) {
        for input in [lone, contended] {
            let made = input.step();
            let rate = input.rate_after(&made);
            prop_assert!(made.next.rate.bps().is_finite(), "{}", made.next.rate);
            prop_assert!((input.least() * (1.0 - ROUNDING)..=MOST).contains(&rate), "{rate} bit/s");
            prop_assert!(made.beta.is_none_or(|beta| (0.0..=1.0).contains(&beta)), "{:?}", made.beta);
        }
    }

    #[test]
    fn a_lone_flow_never_increases_while_filling_or_congested(input in inputs(true)) {
        let made = input.step();
        if input.is_slow() && made.outcome.is_none() {
            let (before, after) = (input.from.rate.bps(), input.rate_after(&made));
            prop_assert!(after <= before * (1.0 + ROUNDING), "{before} to {after} bit/s");
            if let (State::Growing, Some(beta)) = (input.from.state, made.beta) {
                let least = input.params.min_decrease;
                prop_assert!((least..=0.5).contains(&beta), "beta {beta}");
                let most = (before * (1.0 - least)).max(input.least());
                prop_assert!(after <= most * (1.0 + ROUNDING), "{before} to {after} bit/s");
            }
        }
    }

    #[test]
    fn a_lone_flow_that_does_not_try_its_rate_does_not_go_beyond_what_it_had(input in inputs(true)) {
        let made = input.step();
        if !input.seen.tried && made.outcome.is_none() {
            let (before, after) = (Input::level(&input.from), Input::level(&made.next));
            prop_assert!(after <= before * (1.0 + ROUNDING), "{before} to {after} bit/s");
            if !matches!(input.from.state, State::Draining(_)) {
                prop_assert!(made.next.rate <= input.from.rate);
            }
        }
    }

    #[test]
    fn an_increase_is_a_quarter_at_most(input in inputs(true)) {
        if let Some(alpha) = input.step().alpha {
            let most = input.from.rate.bps() / 4.0;
            prop_assert!((0.0..=most * (1.0 + 1e-9)).contains(&alpha.bps()), "{alpha}, {most}");
        }
    }

    #[test]
    fn a_queue_that_has_drained_leads_back(input in inputs(true)) {
        let (Some(observed), Some(drain)) = (input.seen.observed, input.from.state.drain()) else {
            return Ok(());
        };
        let made = input.step();
        let drained = !input.is_slow() && input.seen.thresholds.is_short(observed.queue);
        if drained && !input.seen.interrupted && made.outcome.is_none() {
            let mut learnt = drain;
            learnt.take_in(&input.seen);
            let least = (learnt.return_rate.bps() * (1.0 - input.params.min_decrease)).min(MOST);
            prop_assert_eq!(made.next.state, State::Growing);
            prop_assert!(input.rate_after(&made) >= least * (1.0 - ROUNDING));
        }
    }

    #[test]
    fn without_a_queue_the_least_rate_becomes_any_other_in_the_steps_of_the_bound(input in inputs(true), most in 3.0f64..10.0) {
        let mut input = input;
        let (packet, length) = (input.seen.link.packet(), input.seen.length);
        let period = input.params.growth_period.max(length).as_secs_f64();
        let wanted = 10f64.powf(most).max(input.least()).min(MOST);
        if input.params.growth == 1.0 {
            return Ok(());
        }
        input.from = Control { state: State::Growing, ..Control::new(Rate::from_bps(input.least())) };
        input.from.rate = bounded(input.from.rate, packet, length);
        let steps = recovery_steps(&input, wanted, period);
        if steps > 20_000.0 {
            return Ok(());
        }
        for _ in 0..steps as usize {
            input.seen = gone(&input, input.from.rate);
            input.from = input.step().next;
        }
        prop_assert!(input.from.rate.bps() >= wanted * (1.0 - 1e-9), "{} after {steps} steps, not {wanted}", input.from.rate);
    }
}

/// ceil(K / L log_growth(25 C K / P)) + ceil(log_1.25(C / R)), with the longest K: until the
/// increase is a quarter, and from then on.
fn recovery_steps(input: &Input, wanted: f64, period: f64) -> f64 {
    let packet = input.seen.link.packet().0 as f64 * 8.0;
    let growing = (25.0 * wanted * period / packet).max(1.0).ln() / input.params.growth.ln();
    let quarters = (wanted / input.least()).max(1.0).ln() / 1.25f64.ln();
    (growing * period / input.seen.length.as_secs_f64()).ceil() + quarters.ceil() + 1.0
}

/// An epoch at this rate that has met no queue and lost nothing.
fn gone(input: &Input, rate: Rate) -> Seen {
    Seen {
        observed: Some(seen(0.0, false)),
        thresholds: Thresholds::new(&input.params, rate, input.seen.link.packet(), None),
        interrupted: false,
        app_limited: false,
        tried: true,
        recently_app_limited: false,
        ..input.seen
    }
}
