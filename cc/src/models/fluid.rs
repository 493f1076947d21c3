//! The fluid model of `smallq` on one bottleneck: equations (2) to (6) and theorem 3 of N. Möller,
//! K. H. Johansson, "Congestion control for small queues: analysis and evaluation of a new
//! protocol".
//!
//! ```text
//!   w'(t) = (m - p w(t - tau)) / R                                (4)
//!   q'(t) = w(t - tau) / R + w'(t) - gamma c, never below q = 0   (5)
//!
//!   with p = q(t - tau) / (q0 + q(t - tau)) and R = tau + q(t - tau) / c
//! ```

use std::f64::consts::FRAC_PI_2;
use std::time::Duration;

use super::dde::{integrate, System};
use crate::units::{Bytes, Rate};

/// A bottleneck that marks with probability q / (q + q0), and one flow on it beside traffic of
/// constant rate.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// c.
    pub capacity: Rate,
    /// tau: the round-trip time without queueing.
    pub delay: Duration,
    /// gamma: the share of the capacity that the other traffic leaves, above 0 up to 1.
    pub available: f64,
    /// m.
    pub packet: Bytes,
    /// q0: the queue at which half of the packets are marked.
    pub q0: Bytes,
}

/// Window and queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// w, in bytes.
    pub window: f64,
    /// q, in bytes.
    pub queue: f64,
}

/// The model's quantities in bytes and seconds.
#[derive(Debug, Clone, Copy)]
struct Terms {
    c: f64,
    tau: f64,
    gamma: f64,
    m: f64,
    q0: f64,
}

impl Model {
    fn terms(&self) -> Terms {
        Terms {
            c: self.capacity.bps() / 8.0,
            tau: self.delay.as_secs_f64(),
            gamma: self.available,
            m: self.packet.0 as f64,
            q0: self.q0.0 as f64,
        }
    }

    /// The bandwidth-delay product, c tau, in bytes.
    pub fn bandwidth_delay_product(&self) -> f64 {
        let Terms { c, tau, .. } = self.terms();
        c * tau
    }

    /// Equation (6): `m q0 = q (w - m)` and `w = gamma (q + c tau)`.
    pub fn equilibrium(&self) -> State {
        let Terms {
            c,
            tau,
            gamma,
            m,
            q0,
        } = self.terms();
        let half = gamma * c * tau - m;
        let queue = ((half * half + 4.0 * gamma * m * q0).sqrt() - half) / (2.0 * gamma);
        State {
            window: gamma * (queue + c * tau),
            queue,
        }
    }

    /// Whether small deviations from the equilibrium decay. Exact for the linearised system of
    /// theorem 3's proof, `x'(t) = -M x(t - 1)`: it is stable if every eigenvalue r e^(i phi) of M
    /// has r < pi / 2 - |phi|, which for real ones is the bound of lemma 2. The theorem's
    /// `q0 >= c tau` is sufficient.
    pub fn is_stable(&self) -> bool {
        let Terms { c, tau, q0, .. } = self.terms();
        let State { window, queue } = self.equilibrium();
        let d = tau / (tau + queue / c);
        let a = d * queue / (q0 + queue);
        let b = d * q0 * window / (q0 + queue).powi(2);
        let cc = self.available * d;
        let (half_trace, determinant) = ((a + b + cc) / 2.0, a * cc + b * d);
        let discriminant = half_trace * half_trace - determinant;
        if discriminant >= 0.0 {
            let smaller = half_trace - discriminant.sqrt();
            let larger = half_trace + discriminant.sqrt();
            return smaller > 0.0 && larger < FRAC_PI_2;
        }
        let angle = (-discriminant).sqrt().atan2(half_trace);
        determinant.sqrt() < FRAC_PI_2 - angle
    }

    /// Window and queue from the start to `duration`, if both were constantly `past` before. The
    /// times are at most `step` apart, in whole parts of the delay. Figure 2 of the paper starts
    /// from an empty queue and the window of the equilibrium.
    ///
    /// The error is of fourth order in the step while the queue is not empty, and of first order
    /// where it becomes so.
    pub fn integrate(
        &self,
        past: State,
        duration: Duration,
        step: Duration,
    ) -> Vec<(Duration, State)> {
        let terms = self.terms();
        let parts = (terms.tau / step.as_secs_f64()).ceil().max(1.0) as usize;
        let start = Start { terms, past };
        let states = integrate(&start, terms.tau, duration.as_secs_f64(), parts);
        let time = |place: usize| self.delay.mul_f64(place as f64 / parts as f64);
        let state = |[window, queue]: [f64; 2]| State { window, queue };
        let states = states.into_iter().enumerate();
        states.map(|(place, x)| (time(place), state(x))).collect()
    }
}

struct Start {
    terms: Terms,
    past: State,
}

impl System<2> for Start {
    fn slope(&self, x: &[f64; 2], past: &[f64; 2]) -> [f64; 2] {
        let Terms {
            c,
            tau,
            gamma,
            m,
            q0,
        } = self.terms;
        let [w, q] = *past;
        let rtt = tau + q / c;
        let window = (m - q * w / (q0 + q)) / rtt;
        let queue = w / rtt + window - gamma * c;
        [window, if x[1] > 0.0 { queue } else { queue.max(0.0) }]
    }

    fn history(&self, _t: f64) -> [f64; 2] {
        [self.past.window, self.past.queue]
    }

    fn constrain(&self, x: &mut [f64; 2]) {
        x[1] = x[1].max(0.0);
    }
}

#[cfg(test)]
mod tests;
