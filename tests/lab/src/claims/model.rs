//! Closed forms that papers set beside measurements, by name.

use std::time::Duration;

use quiche_cc::models::{aimd, fluid, operating_point, tcp};
use quiche_cc::units::{Bytes, PacketRate, Rate};

use super::value::Unit;

/// A formula. Arguments and result are in base units.
#[derive(Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// Its arguments in order.
    pub arguments: &'static [(&'static str, Unit)],
    /// The unit of its result.
    pub unit: Unit,
    /// The result.
    pub compute: fn(&[f64]) -> f64,
}

const PACKET: (&str, Unit) = ("packet", Unit::Bytes);
const RTT: (&str, Unit) = ("rtt", Unit::Time);
const LOSS: (&str, Unit) = ("loss", Unit::Share);
const FLUID: [(&str, Unit); 5] = [
    ("capacity", Unit::Rate),
    ("delay", Unit::Time),
    ("available", Unit::Number),
    PACKET,
    ("q0", Unit::Packets),
];

const FLUID_AT: [(&str, Unit); 6] = [
    FLUID[0],
    FLUID[1],
    FLUID[2],
    FLUID[3],
    FLUID[4],
    ("time", Unit::Time),
];

/// Every formula.
pub const MODELS: [Model; 14] = [
    Model {
        name: "mathis",
        arguments: &[PACKET, RTT, LOSS],
        unit: Unit::Rate,
        compute: |given| {
            let model = square_root(given[0], given[1]);
            beyond_zero(given[2]) * model.throughput(given[2]).bps()
        },
    },
    Model {
        name: "pftk",
        arguments: &[PACKET, RTT, LOSS],
        unit: Unit::Rate,
        compute: |given| {
            let model = tcp::Pftk::tfrc(seconds(given[1]));
            beyond_zero(given[2]) * model.throughput(given[2]).per_sec() * given[0] * 8.0
        },
    },
    Model {
        name: "aimd_throughput",
        arguments: &[
            ("alpha", Unit::Number),
            ("beta", Unit::Number),
            PACKET,
            RTT,
            LOSS,
        ],
        unit: Unit::Rate,
        compute: |given| {
            let path = aimd_path(given[3], given[4]);
            let rate = aimd::throughput(PacketRate::from_per_sec(given[0]), given[1], &path);
            rate.per_sec() * given[2] * 8.0
        },
    },
    Model {
        name: "aimd_increase",
        arguments: &[
            ("target", Unit::Rate),
            ("beta", Unit::Number),
            PACKET,
            RTT,
            LOSS,
        ],
        unit: Unit::Number,
        compute: |given| {
            let target = Rate::from_bps(given[0]).in_packets(bytes(given[2]));
            aimd::increase_for(target, given[1], &aimd_path(given[3], given[4])).per_sec()
        },
    },
    Model {
        name: "share_beside_tcp",
        arguments: &[
            ("capacity", Unit::Rate),
            ("target", Unit::Rate),
            PACKET,
            RTT,
        ],
        unit: Unit::Rate,
        compute: share_beside_tcp,
    },
    Model {
        name: "fluid_queue",
        arguments: &FLUID,
        unit: Unit::Packets,
        compute: |given| fluid_model(given).equilibrium().queue / given[3],
    },
    Model {
        name: "fluid_stable",
        arguments: &FLUID,
        unit: Unit::Number,
        compute: |given| f64::from(u8::from(fluid_model(given).is_stable())),
    },
    Model {
        name: "fluid_queue_at",
        arguments: &FLUID_AT,
        unit: Unit::Packets,
        compute: |given| fluid_state_at(given).queue / given[3],
    },
    Model {
        name: "fluid_window_at",
        arguments: &FLUID_AT,
        unit: Unit::Packets,
        compute: |given| fluid_state_at(given).window / given[3],
    },
    Model {
        name: "fluid_swing",
        arguments: &FLUID,
        unit: Unit::Packets,
        compute: fluid_swing,
    },
    Model {
        name: "fluid_peak",
        arguments: &FLUID,
        unit: Unit::Packets,
        compute: |given| fluid_peak(given) / given[3],
    },
    Model {
        name: "fluid_overshoot",
        arguments: &FLUID,
        unit: Unit::Number,
        compute: |given| fluid_peak(given) / fluid_model(given).equilibrium().queue,
    },
    Model {
        name: "share",
        arguments: &[("part", Unit::Rate), ("whole", Unit::Rate)],
        unit: Unit::Share,
        compute: |given| given[0] / given[1],
    },
    // Kleinrock's power, in Mbit/s per millisecond.
    Model {
        name: "power",
        arguments: &[("rate", Unit::Rate), ("delay", Unit::Time)],
        unit: Unit::Number,
        compute: |given| given[0] / 1e6 / (given[1] * 1e3),
    },
];

impl Model {
    /// By its name.
    ///
    /// # Errors
    /// Which there are.
    pub fn find(name: &str) -> Result<&'static Self, String> {
        MODELS
            .iter()
            .find(|model| model.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = MODELS.iter().map(|model| model.name).collect();
                format!("there is no model `{name}`; there are {}", names.join(", "))
            })
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

fn bytes(bytes: f64) -> Bytes {
    Bytes(bytes as u64)
}

/// 1 where a formula of the loss holds, that is above 0.
fn beyond_zero(loss: f64) -> f64 {
    if loss > 0.0 {
        1.0
    } else {
        f64::NAN
    }
}

fn aimd_path(rtt: f64, loss: f64) -> aimd::Path {
    aimd::Path {
        rtt: seconds(rtt),
        loss,
    }
}

fn square_root(packet: f64, rtt: f64) -> tcp::SquareRoot {
    tcp::SquareRoot {
        k: tcp::SquareRoot::RENO,
        packet: bytes(packet),
        rtt: seconds(rtt),
    }
}

/// The share of `rrr:feedback=tcp` beside one TCP flow: the TCP-like feedback is min((XT / X)^2, 1).
fn share_beside_tcp(given: &[f64]) -> f64 {
    let tcp = square_root(given[2], given[3]);
    let feedback = |rate: Rate| (given[1] / rate.bps()).powi(2).min(1.0);
    let capacity = Rate::from_bps(given[0]);
    operating_point::intersection(capacity, |rate| tcp.loss(rate), feedback)
        .rrr
        .bps()
}

fn fluid_model(given: &[f64]) -> fluid::Model {
    fluid::Model {
        capacity: Rate::from_bps(given[0]),
        delay: seconds(given[1]),
        available: given[2],
        packet: bytes(given[3]),
        q0: bytes(given[4] * given[3]),
    }
}

/// From an empty queue and the equilibrium's window, as the paper's figure 2 starts.
fn fluid_states(model: &fluid::Model, duration: Duration) -> Vec<(Duration, fluid::State)> {
    let past = fluid::State {
        queue: 0.0,
        ..model.equilibrium()
    };
    model.integrate(past, duration, Duration::from_millis(1))
}

fn fluid_state_at(given: &[f64]) -> fluid::State {
    let model = fluid_model(given);
    let states = fluid_states(&model, seconds(given[5]));
    let last = states.last().map(|(_, state)| *state);
    last.unwrap_or_else(|| model.equilibrium())
}

/// The largest queue of 60 s, in bytes.
fn fluid_peak(given: &[f64]) -> f64 {
    let states = fluid_states(&fluid_model(given), Duration::from_secs(60));
    let queues = states.iter().map(|(_, state)| state.queue);
    queues.fold(0.0, f64::max)
}

/// From the smallest to the largest queue in the second half of 60 s.
fn fluid_swing(given: &[f64]) -> f64 {
    let duration = Duration::from_secs(60);
    let states = fluid_states(&fluid_model(given), duration);
    let settled = states.iter().filter(|(at, _)| *at >= duration / 2);
    let (low, high) = settled.fold((f64::INFINITY, 0.0_f64), |(low, high), (_, state)| {
        (low.min(state.queue), high.max(state.queue))
    });
    (high - low) / given[3]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compute(name: &str, given: &[f64]) -> f64 {
        let model = Model::find(name).unwrap();
        assert_eq!(given.len(), model.arguments.len());
        (model.compute)(given)
    }

    #[test]
    fn formulas_give_what_the_papers_print() {
        // Hybrid paper, section III-D, by Mathis: 1250 B, 100 ms and 5 % loss.
        let mathis = compute("mathis", &[1250.0, 0.1, 0.05]);
        assert!((mathis / 1e6 - 0.548).abs() < 0.001, "{mathis}");
        assert!(compute("mathis", &[1250.0, 0.1, 0.0]).is_nan());
        // Akan, table 1.
        let increase = compute("aimd_increase", &[2e6, 0.5, 952.0, 1.0, 1e-3]);
        assert!((increase - 35.7360).abs() < 0.01, "{increase}");
        let throughput = compute("aimd_throughput", &[increase, 0.5, 952.0, 1.0, 1e-3]);
        assert!((throughput - 2e6).abs() < 1.0, "{throughput}");
        // Möller and Johansson, equation (6): with q0 = c tau the queue is m / gamma.
        let queue = compute("fluid_queue", &[10e6, 0.05, 0.7, 1500.0, 125.0 / 3.0]);
        assert!((queue - 1.0 / 0.7).abs() < 1e-3, "{queue}");
        // Figure 2: with q0 above the bandwidth-delay product the queue settles there, with a small one it swings.
        let stable = [10e6, 0.05, 0.7, 1500.0, 70.0];
        let later = [&stable[..], &[60.0]].concat();
        let settled = compute("fluid_queue_at", &later) - compute("fluid_queue", &stable);
        assert!(settled.abs() < 0.01, "{settled}");
        assert!(compute("fluid_swing", &stable) < 0.01);
        let peak = compute("fluid_peak", &stable) / compute("fluid_queue", &stable);
        assert!((peak / compute("fluid_overshoot", &stable) - 1.0).abs() < 1e-12 && peak > 1.0);
        assert!(compute("fluid_swing", &[10e6, 0.05, 0.7, 1500.0, 10.0]) > 0.1);
    }

    #[test]
    fn shares_and_power_are_quotients() {
        assert_eq!(compute("share", &[5e6, 20e6]), 0.25);
        assert_eq!(compute("power", &[10e6, 0.05]), 0.2);
    }

    #[test]
    fn an_unknown_formula_is_refused_with_those_that_there_are() {
        let error = Model::find("magic").map(|_| ()).unwrap_err();
        assert!(
            error.contains("`magic`") && error.contains("mathis"),
            "{error}"
        );
    }
}
