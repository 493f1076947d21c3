//! The feedback functions and the update, as pure functions of one measurement.

use super::params::{Feedback, Params};
use crate::measure::rate::RateSample;
use crate::units::Rate;

/// pT(X_out): the relative rate reduction wanted at this rate; (15), (16), (19), the last with this
/// `xt`.
pub fn wanted(params: &Params, xt: Rate, output: Rate) -> f64 {
    match params.feedback {
        Feedback::Fixed => params.pfix,
        Feedback::Linear => params.ptlim * (1.0 - output.bps() / params.xtlim.bps()).max(0.0),
        Feedback::Tcp => (xt.bps() / output.bps()).powi(2).min(1.0),
    }
}

/// The largest reduction that is aimed at: with it an unreduced rate grows as much as it may.
/// DEVIATION: the paper divides by 1 - pT whatever that is, and leaves the rest to C_max.
pub fn largest(params: &Params) -> f64 {
    1.0 - 1.0 / params.growth
}

/// A reduction beyond this ends start-up: a fifth of what start-up aims at, a tenth of the rate if
/// that doubles. Half of it would let a late flow take three quarters of a path before it notices.
pub fn ends_startup(params: &Params, sample: &RateSample) -> bool {
    sample.reduction() > largest(params) / 5.0
}

/// The reduction aimed at.
pub fn aim(params: &Params, xt: Rate, sample: &RateSample, startup: bool) -> f64 {
    let largest = largest(params);
    if startup {
        largest
    } else {
        wanted(params, xt, sample.output()).min(largest)
    }
}

/// Equation (13), X_in = X_out / (1 - pT), where the rate was used.
///
/// Where less was sent than pacing allowed (the application, the window or a late timer held it
/// back), X_out says what arrived of what was sent, not what could arrive. Then (11), the same law
/// written for ratios, applies to what was allowed, and holds the rate where it would raise it
/// beyond what was tried.
pub fn next_rate(params: &Params, sample: &RateSample, aim: f64) -> Rate {
    let input = sample.input();
    let by_output = sample.output() * (1.0 / (1.0 - aim));
    // X_in is a mean of what was allowed in between if nothing else held it back.
    let unused = sample.allowed_first.min(sample.allowed_last).bps() / input.bps();
    let next = if unused <= 1.0 {
        by_output
    } else if sample.reduction() > aim {
        by_output * unused
    } else {
        // A queue that drains lets more arrive than was sent, which says nothing of a rate that was
        // not tried.
        let tried = by_output.min(input * params.growth);
        tried.clamp(sample.allowed_last, Rate::INFINITE)
    };
    let most = input.clamp(sample.allowed_last, Rate::INFINITE) * params.growth;
    next.min(most).min(ceiling(params))
}

/// C_max, and XTlim, beyond which (16) neither raises nor lowers the rate (decision).
pub fn ceiling(params: &Params) -> Rate {
    match params.feedback {
        Feedback::Linear => params.cmax.min(params.xtlim),
        Feedback::Fixed | Feedback::Tcp => params.cmax,
    }
}
