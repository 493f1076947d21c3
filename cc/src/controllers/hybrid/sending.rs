//! What model and state let the sender do: window, pacing and bursts (section II-C).

use super::control::{Control, State};
use super::model::Model;
use super::params::Params;
use super::startup;
use crate::controller::{Burst, Decision, Ecn};
use crate::controllers::{bounds, pacing};
use crate::units::{Bytes, Owd};

/// R, times this, is the rate of the first flight: the initial window leaves in half of L, so that
/// the first packets come back early.
const FIRST_FLIGHT: f64 = 2.0;
/// Packets that show the time that one takes on the slowest link.
const TRIPLE: usize = 3;

/// What may be sent after so many epochs.
pub fn decision(params: &Params, model: &Model, control: &Control, epochs: u64) -> Decision {
    let first_flight = model.epoch().is_none();
    Decision {
        window: window(params, model, control),
        pacing: match first_flight {
            true => control.rate * FIRST_FLIGHT,
            false => control.rate,
        },
        bandwidth: control.rate,
        burst: burst(params, model, control, epochs),
        ecn: Ecn::NotEct,
    }
}

/// `W = R L` (section II-C). DEVIATION: a queue of d3 is in flight as well, so that the
/// window does not hold back the rate that the zones ask for; and what queues on the return path,
/// waits for an ACK or is held up is no congestion.
fn window(params: &Params, model: &Model, control: &Control) -> Bytes {
    let queue = model.thresholds(params, control.rate).d3 + control.judge.competing_queue();
    let extra = queue.max(Owd::from(model.ack_gap.get()) * 2)
        + Owd::from(model.delay.jitter()) / 2
        + Owd::from(model.delay.return_delay());
    bounds::window(
        control.rate,
        model.length() + extra.to_duration(),
        model.packet(),
    )
}

/// In start-up packets leave together that show the slowest link.
fn burst(params: &Params, model: &Model, control: &Control, epochs: u64) -> Burst {
    let smooth = pacing::smooth(control.rate, model.delay.min_rtt().is_some());
    let starts = matches!(control.state, State::Startup { .. });
    let together = match starts && startup::sends_triples(params, model, control.rate, epochs) {
        true => TRIPLE,
        false => smooth.together,
    };
    Burst { together, ..smooth }
}
